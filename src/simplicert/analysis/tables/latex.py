"""A table as LaTeX with booktabs rules; every text from outside is escaped."""

import re
import unicodedata

from simplicert.analysis.tables.grid import Grid, one_line, spans, words

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "[": "{[}",  # a row that began with one would be read as the length of the line break
    "]": "{]}",
    "*": "{*}",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "\u00d7": r"$\times$",
}
GREEK = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"  # those that LaTeX has a name for


def greek(letter: str) -> str:
    """A Greek letter by the name that Unicode and LaTeX share, but for one spelling."""
    name = unicodedata.name(letter).split()[-1].replace("LAMDA", "LAMBDA")
    return rf"$\{name.capitalize() if letter.isupper() else name.lower()}$"


LETTERS = SPECIAL | {letter: greek(letter) for letter in GREEK}
SYMBOLS = {"sigma": r"$\sigma$", ">": "$>$"}  # headings that papers print as symbols
NUMBER = re.compile(r"([<>]?)(\+-|\+|-)?(\d+(?:\.\d+)?)(?:e([+-]\d+))?")
RANGE = re.compile(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")


def latex(grid: Grid) -> str:
    """A floating table: caption, rules, rows, and the notes below in small type."""
    columns = "".join("l" if words(grid, place) else "r" for place in range(len(grid.headings)))
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table*}",
        rf"\caption{{{escaped(grid.title)}}}",
        r"\centering",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *over_headings(grid),
        row([SYMBOLS.get(heading, escaped(heading)) for heading in grid.headings]),
        r"\midrule",
    ]
    for place, cells in enumerate(grid.rows):
        lines += [r"\midrule"] if place in grid.rules else []
        lines.append(row([cell(grid, place, column) for column in range(len(cells))]))
    lines += [r"\bottomrule", r"\end{tabular}"]
    if grid.notes:
        lines += ["", r"\smallskip", r"\begin{minipage}{\linewidth}\footnotesize"]
        lines += [rf"{escaped(note)}\par" for note in grid.notes]
        lines.append(r"\end{minipage}")
    return "\n".join([*lines, r"\end{table*}", ""])


def over_headings(grid: Grid) -> list[str]:
    """The line of headings over headings, with a rule below each."""
    groups = spans(grid)
    if not any(text for text, _ in groups):
        return []
    cells = [
        rf"\multicolumn{{{len(columns)}}}{{c}}{{{escaped(text)}}}" if text else ""
        for text, columns in groups
    ]
    rules = [
        rf"\cmidrule(lr){{{columns[0] + 1}-{columns[-1] + 1}}}" for text, columns in groups if text
    ]
    return [row(cells), " ".join(rules)]


def row(cells: list[str]) -> str:
    """Cells joined and ended."""
    return " & ".join(cells) + r" \\"


def cell(grid: Grid, place: int, column: int) -> str:
    """One cell with its weight; numbers are set as mathematics where text would look wrong."""
    text = one_line(grid.rows[place][column])
    shown = escaped(text) if column < grid.keys else number(text)
    if (place, column) in grid.bold:
        return rf"\textbf{{{shown}}}"
    return rf"{{\scriptsize {shown}}}" if place in grid.faint and shown else shown


def number(text: str) -> str:
    """A number, an interval or other text."""
    if found := NUMBER.fullmatch(text):
        sign, plus, digits, power = found.groups()
        plus = {"+-": r"\pm", "+": "+", "-": "-", None: ""}[plus]
        if not (sign or plus or power):
            return digits
        times = "" if digits == "1" else rf"{digits} \times "
        tail = rf"{times}10^{{{int(power)}}}" if power else digits
        return f"${sign}{plus}{tail}$"
    if found := RANGE.fullmatch(text):
        return f"{found[1]}--{found[2]}"
    return escaped(text)


def escaped(text: str) -> str:
    """Text that prints as itself. Letters beyond Latin and Greek need XeLaTeX or LuaLaTeX."""
    safe = "".join(LETTERS.get(letter, letter) for letter in one_line(text))
    return re.sub("-(?=-)", "-{}", safe)  # two hyphens would print as a dash
