"""
Writes a network as an ONNX file in memory, so that onnxruntime can run it: the few messages that we need.

The numbers are those of the fields in onnx.proto; the package onnx, 31 MB, would write the same bytes.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Attribute = int | float

MICROSOFT = "com.microsoft"  # onnxruntime's own operators
_OPERATORS = (("", 18), (MICROSOFT, 1))
_FORMAT = 9
_FLOAT = 1
_KINDS = {"float32": _FLOAT, "uint8": 2, "int64": 7}
_SEVEN_BITS = 0x7F
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INTEGER = 1, 2


@dataclass(slots=True)
class OnnxFile:
    """Nodes in the order they run, and the constants they use."""

    nodes: list[bytes] = field(default_factory=list)
    constants: list[bytes] = field(default_factory=list)

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        """Add an array; its name."""
        dimensions = b"".join(_number(1, size) for size in value.shape)
        kind = _number(2, _KINDS[value.dtype.name])
        self.constants.append(dimensions + kind + _text(8, name) + _bytes(9, value.tobytes()))
        return name

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        *,
        domain: str = "",
        attributes: Mapping[str, Attribute] | None = None,
    ) -> str:
        """Add an operation; the name of its first output."""
        ends = b"".join(_text(1, name) for name in inputs) + b"".join(_text(2, name) for name in outputs)
        more = b"".join(_bytes(5, _attribute(name, value)) for name, value in (attributes or {}).items())
        self.nodes.append(ends + _text(4, operator) + more + _text(7, domain))
        return outputs[0]

    def written(self, *, takes: tuple[str, Sequence[str | int]], gives: tuple[str, Sequence[str | int]]) -> bytes:
        """The whole file, of a network that *takes* one array of floats and *gives* one: names and shapes."""
        graph = [part for node in self.nodes for part in _framed(1, node)]
        graph += [part for constant in self.constants for part in _framed(5, constant)]
        graph += [_text(2, "network"), _bytes(11, _value(*takes)), _bytes(12, _value(*gives))]
        operators = [_bytes(8, _text(1, domain) + _number(2, version)) for domain, version in _OPERATORS]
        size = sum(map(len, graph))  # joined once, since the weights are most of it
        return b"".join((_number(1, _FORMAT), _key(7, 2), _varint(size), *graph, *operators))


def _value(name: str, shape: Sequence[str | int]) -> bytes:
    sizes = (_number(1, size) if isinstance(size, int) else _text(2, size) for size in shape)
    tensor = _number(1, _FLOAT) + _bytes(2, b"".join(_bytes(1, size) for size in sizes))
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return _text(1, name) + _key(2, 5) + struct.pack("<f", value) + _number(20, _ATTRIBUTE_FLOAT)
    return _text(1, name) + _number(3, value) + _number(20, _ATTRIBUTE_INTEGER)


def _number(number: int, value: int) -> bytes:
    return _key(number, 0) + _varint(value)


def _text(number: int, value: str) -> bytes:
    return _bytes(number, value.encode())


def _bytes(number: int, value: bytes) -> bytes:
    return b"".join(_framed(number, value))


def _framed(number: int, value: bytes) -> tuple[bytes, bytes]:
    return _key(number, 2) + _varint(len(value)), value


def _key(number: int, wire: int) -> bytes:
    return _varint(number << 3 | wire)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > _SEVEN_BITS:
        out.append(value & _SEVEN_BITS | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
