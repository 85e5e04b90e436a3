"""Check sizes in a `.pt2` archive, which are texts that torch lets sympy evaluate.

A size is a short term of symbols, whole numbers and a few named operations. sympy computes whatever
it is given, and 9**9**9**9 would keep it busy forever, so the size of the result is bounded
first.
"""

import ast
import re
from math import frexp, isfinite

MOST_CHARACTERS = 2000  # of one size
MOST_NODES = 500  # of its tree
MOST_BITS = 1024  # of any number that can come up on the way
DEEPEST = 40  # brackets inside each other
SYMBOL_BITS = 64  # a symbol stands for a length of a tensor

# sympy's and torch's operations on lengths; none computes more than its arguments allow.
PRODUCTS = frozenset({"Mul", "Rational", "FloorDiv", "CeilDiv", "CleanDiv", "IntTrueDiv"})

OTHERS = frozenset(
    {
        *("Add", "Max", "Min", "Abs", "And", "Or", "Not", "Where", "Identity", "FloatTrueDiv"),
        *("Eq", "Ne", "Lt", "Le", "Gt", "Ge", "Equality", "Unequality", "StrictLessThan"),
        *("LessThan", "StrictGreaterThan", "GreaterThan", "Mod", "PythonMod", "ModularIndexing"),
        *("CeilToInt", "FloorToInt", "TruncToInt", "TruncToFloat", "RoundToInt", "ToFloat"),
    }
)

NAME = re.compile("[a-z]+[0-9]+")  # of a symbol


def is_size(text: object) -> bool:
    """Return whether a text is a size that is safe to evaluate; an empty text is harmless."""
    if not isinstance(text, str) or len(text) > MOST_CHARACTERS or _bracket_depth(text) > DEEPEST:
        return False
    try:
        tree = ast.parse(text or "0", mode="eval").body
        return sum(1 for _ in ast.walk(tree)) <= MOST_NODES and _count_bits(tree) <= MOST_BITS
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError):
        return False


def _bracket_depth(text: str) -> int:
    """Return how deep brackets are nested."""
    depth, most = 0, 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        most = max(most, depth)
    return most


def _count_bits(node: ast.expr) -> int:
    """Return the bits of the largest number that can come up; raise TypeError for no size."""
    match node:
        case ast.Constant(value=int() | float() as value) if isfinite(value):
            bits = value.bit_length() if isinstance(value, int) else abs(frexp(value)[1])
        case ast.Name(id=name) if NAME.fullmatch(name):
            bits = SYMBOL_BITS
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=inner):
            bits = _count_bits(inner)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            bits = _power_bits(left, right)
        case ast.BinOp(left=left, op=ast.Mult() | ast.FloorDiv() | ast.Div(), right=right):
            bits = _count_bits(left) + _count_bits(right)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mod(), right=right):
            bits = max(_count_bits(left), _count_bits(right)) + 1
        case ast.Compare(left=left, comparators=others):
            bits = max(_count_bits(left), *map(_count_bits, others))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if all(
            isinstance(word.value, ast.Constant) for word in keywords
        ):
            bits = _call_bits(name, args)
        case _:
            raise TypeError(type(node).__name__)
    return bits


def _call_bits(name: str, args: list[ast.expr]) -> int:
    """Return the bits that a named operation can come to."""
    match name, args:
        case "Symbol", [ast.Constant(value=str(text))] if text.isidentifier():
            bits = SYMBOL_BITS
        case "Float", [ast.Constant(value=str(text)), *_] if len(text) < SYMBOL_BITS:
            bits = _count_bits(ast.Constant(float(text)))
        case "Integer", [inner]:
            bits = _count_bits(inner)
        case "Pow", [base, exponent]:
            bits = _power_bits(base, exponent)
        case _ if name in PRODUCTS:
            bits = sum(map(_count_bits, args))
        case _ if name in OTHERS:
            bits = max(map(_count_bits, args)) + len(args)
        case _:
            raise TypeError(name)
    return bits


def _power_bits(base: ast.expr, exponent: ast.expr) -> int:
    """Return the bits of a power whose exponent is a number: that many times the base's bits."""
    match exponent:
        case ast.Call(func=ast.Name(id="Integer"), args=[inner]):
            exponent = inner
    match exponent:
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            exponent = inner
    match exponent:
        case ast.Constant(value=int(times)) if times <= MOST_BITS:
            return max(times, 1) * max(_count_bits(base), 1)
    raise TypeError("Pow")
