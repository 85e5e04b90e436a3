// What a term means, shown where it is pointed at.

// A term's explanation, by the pointer, the keyboard or a touch.
function explain(element, term) {
  const text = page.terms[term] ?? page.terms[term.replace(/[>≥=].*/, "")];
  if (!text) return;
  element.dataset.tip = text;
  if (!element.matches("button, a, select, input")) element.tabIndex = 0;
}

let tipped = null; // the element whose explanation is shown
function showTip(element) {
  const tip = byId("tip");
  tipped = element;
  tip.hidden = !element;
  if (!element) return;
  tip.textContent = element.dataset.tip;
  element.setAttribute("aria-describedby", "tip");
  const at = element.getBoundingClientRect();
  const left = Math.min(Math.max(8, at.left), document.documentElement.clientWidth - tip.offsetWidth - 8);
  const below = at.bottom + 6 + tip.offsetHeight < innerHeight;
  Object.assign(tip.style, { left: `${left}px`, top: `${below ? at.bottom + 6 : at.top - tip.offsetHeight - 6}px` });
}

function explainTerms() {
  for (const element of document.querySelectorAll("[data-term]")) explain(element, element.dataset.term);
  for (const heading of document.querySelectorAll("table.grid th")) explain(heading, heading.textContent);
  const tipOf = (event) => (event.target instanceof Element ? event.target.closest("[data-tip]") : null);
  for (const start of ["mouseover", "focusin"]) document.addEventListener(start, (event) => showTip(tipOf(event)));
  document.addEventListener("focusout", () => showTip(null));
  addEventListener("scroll", () => { if (tipped) showTip(tipped); }, { passive: true });
}
