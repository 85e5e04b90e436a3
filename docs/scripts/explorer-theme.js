// The explorer on the front page is light or dark as the page around it, not as the system.
const framed = document.querySelector(".explorer iframe");
if (framed) {
  const tell = () => {
    const dark = document.body.dataset.mdColorScheme === "slate";
    framed.contentWindow.postMessage({ theme: dark ? "dark" : "light" }, "*");
  };
  framed.addEventListener("load", tell);
  new MutationObserver(tell).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  tell();
}
