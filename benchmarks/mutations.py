"""The small faults of mutation testing, as changes of a syntax tree."""

import ast
import copy
from dataclasses import dataclass

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
LOGIC = {ast.And: ast.Or, ast.Or: ast.And}
FUNCTIONS = {
    "minimum": "maximum",
    "maximum": "minimum",
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "argmax": "argmin",
    "argmin": "argmax",
    "floor": "ceil",
    "ceil": "floor",
}


@dataclass(frozen=True)
class Mutant:
    """A module with one fault: which change of which node."""

    line: int
    change: str
    text: str
    node: int
    which: int

    def source(self):
        """The whole module with its fault."""
        tree = ast.parse(self.text)
        node = list(ast.walk(tree))[self.node]
        list(changes(node))[self.which](node)
        return ast.unparse(tree)


def mutants_of(text):
    """Every mutant of a module's source, but for types and messages, which compute nothing."""
    tree = ast.parse(text)
    silent = set(map(id, types_and_messages(tree)))
    out = []
    for number, node in enumerate(ast.walk(tree)):
        for which, change in enumerate(() if id(node) in silent else changes(node)):
            twin = copy.deepcopy(node)
            before = ast.unparse(twin)
            change(twin)
            after = ast.unparse(twin)
            if before != after:
                out.append(Mutant(node.lineno, f"`{before}` to `{after}`", text, number, which))
    return out


def types_and_messages(tree):
    """Every node of an annotation or of a formatted text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield from ast.walk(node)
        for name in ("annotation", "returns"):
            if isinstance(type_ := getattr(node, name, None), ast.AST):
                yield from ast.walk(type_)


def changes(node):
    """Functions that each put one fault into a node of this kind, in place."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        yield lambda twin: twin.ops.__setitem__(0, COMPARISONS[type(twin.ops[0])]())
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in ARITHMETIC:
        yield lambda twin: setattr(twin, "op", ARITHMETIC[type(twin.op)]())
    if isinstance(node, ast.BoolOp):
        yield lambda twin: setattr(twin, "op", LOGIC[type(twin.op)]())
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert | ast.USub):
        yield lambda twin: setattr(twin, "op", ast.UAdd() if arithmetic(twin) else twin.op)
    if isinstance(node, ast.Attribute) and node.attr in FUNCTIONS:
        yield lambda twin: setattr(twin, "attr", FUNCTIONS[twin.attr])
    if isinstance(node, ast.Name) and node.id in ("min", "max"):
        yield lambda twin: setattr(twin, "id", FUNCTIONS[twin.id])
    if isinstance(node, ast.Constant) and type(node.value) in (bool, int, float):
        yield lambda twin: setattr(twin, "value", another(twin.value))
    if isinstance(node, ast.Return) and node.value is not None:
        yield lambda twin: setattr(twin, "value", ast.Constant(None))


def arithmetic(twin):
    """Whether leaving the sign out is a fault; `not` and `~` become nothing by hand."""
    if isinstance(twin.op, ast.USub):
        return True
    # `not x` and `~x` lose their meaning: twice negated, the truth of x.
    twin.operand = ast.UnaryOp(op=type(twin.op)(), operand=twin.operand)
    return False


def another(value):
    """A number near this one: one more, or a tenth more; of a truth value, the other."""
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else (value * 1.1 if value else 1.0)
