"""Fingerprint a classifier that is at hand as an object: its code, and the numbers it uses.

A run that is drawn from Python is resumed only with the same classifier. Of a function its source
is not enough: what it closes over, its defaults, the globals it names and the object of a method
may hold other weights. `live_fingerprint` walks through all of these. It cannot see what lies
outside Python, such as a model behind a web address, and it also sees what is no weight, such as a
counter of calls. A text in an attribute `fingerprint` of the classifier stands for all of it.
"""

import functools
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from simplicert.models.model import classifier_fingerprint, digest_parts, is_module, tensor_bytes

DEEPEST = 12  # objects within objects; deeper ones count by their type alone
PLAIN = (str, bytes, int, float, complex, bool, type(None))


def live_fingerprint(classifier: Callable[[Any], Any]) -> str:
    """Return 32 hex digits of the classifier's code and of every number it is seen to use."""
    if isinstance(getattr(classifier, "fingerprint", None), str) or is_module(classifier):
        return classifier_fingerprint(classifier)
    return digest_parts("live", classifier_fingerprint(classifier), _walk(classifier, {}, 0))


def _walk(value: Any, seen: dict[int, int], depth: int) -> Iterator[bytes]:
    """Yield an object's type and content; an object that comes again is its number."""
    yield type(value).__qualname__.encode()
    if isinstance(value, PLAIN):
        yield repr(value).encode()
        return
    if id(value) in seen or depth > DEEPEST or isinstance(value, types.ModuleType):
        yield str(seen.get(id(value), "")).encode()
        return
    seen[id(value)] = len(seen)
    if isinstance(value, np.ndarray | np.generic):
        yield from _array_bytes(np.asarray(value), seen, depth)
    elif is_module(value):
        yield classifier_fingerprint(value).encode()
    elif hasattr(value, "detach") and hasattr(value, "cpu"):  # a tensor
        yield from tensor_bytes({"": value})
    else:
        for part in _parts(value):
            yield from _walk(part, seen, depth + 1)


def _array_bytes(array: np.ndarray, seen: dict[int, int], depth: int) -> Iterator[bytes]:
    """Yield an array's numbers; of records field by field, as their padding may hold anything."""
    yield f"{array.dtype} {array.shape}".encode()
    if array.dtype.names:
        for name in array.dtype.names:
            yield from _array_bytes(array[name], seen, depth)
    elif array.dtype == object:
        for item in array.ravel().tolist():
            yield from _walk(item, seen, depth + 1)
    else:
        yield np.ascontiguousarray(array).tobytes()


def _parts(value: Any) -> Iterator[Any]:
    """Yield what an object is made of: items, or what a function uses, or its state."""
    if isinstance(value, Mapping):
        for name in sorted(value, key=repr):
            yield name
            yield value[name]
    elif isinstance(value, list | tuple):
        yield from value
    elif isinstance(value, set | frozenset):
        yield from sorted(value, key=repr)
    elif isinstance(value, functools.partial):
        yield from (value.func, value.args, value.keywords)
    elif isinstance(value, types.MethodType):
        yield from (value.__func__, value.__self__)
    elif isinstance(value, types.FunctionType):
        yield from _function_parts(value)
    elif not isinstance(value, type):
        yield _state(value)


def _function_parts(function: types.FunctionType) -> Iterator[Any]:
    """Yield a function's code, what it closes over, its defaults, and the globals it names."""
    yield function.__code__.co_code
    yield [repr(c) for c in function.__code__.co_consts if isinstance(c, PLAIN)]
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            yield None
    yield from (function.__defaults__, function.__kwdefaults__)
    names = [name for name in function.__code__.co_names if name in function.__globals__]
    for name in names:
        yield from (name, function.__globals__[name])


def _state(value: Any) -> Any:
    """Return what an object would pickle of itself; an object that says nothing is its type."""
    try:
        return value.__getstate__()
    except Exception:  # foreign code may raise anything
        return None
