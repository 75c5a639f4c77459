"""
A graph as a file: what the server makes of it with DUMP, and beside that its rows without their vectors.

A dump comes back in a moment, and only to a server that knows its format. The rows come back to any server, with
vectors made again; no model is asked. A checkpoint is a zip file with a checksum for each of its three parts.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.files import replacing

if TYPE_CHECKING:
    from pathlib import Path

_FORMAT = 1
_HEADER, _DUMP, _ROWS = "checkpoint.json", "graph.dump", "graph.jsonl"
_UNREADABLE = (zipfile.BadZipFile, KeyError, ValueError, EOFError, NotImplementedError)


class CheckpointUnreadable(Exception):
    """The file is damaged, or of a version that is not known here."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A dump, the rows (JSON lines of ``graph_rows``), and the dimension of the vectors that the rows are without."""

    dump: bytes
    rows: bytes
    dimension: int


def write_checkpoint(file: Path, checkpoint: Checkpoint) -> None:
    """Write *file*, whole or not at all, and to the disk. Raises OSError."""
    header = json.dumps({"format": _FORMAT, "dimension": checkpoint.dimension})
    with replacing(file) as opened, zipfile.ZipFile(opened, "w") as parts:
        parts.writestr(_HEADER, header)
        parts.writestr(_DUMP, checkpoint.dump)  # as it is: vectors do not shrink
        parts.writestr(_ROWS, checkpoint.rows, zipfile.ZIP_DEFLATED, compresslevel=1)


def read_checkpoint(file: Path) -> Checkpoint | None:
    """Read *file*; None where there is none. Raises CheckpointUnreadable, OSError."""
    try:
        with zipfile.ZipFile(file) as parts:
            header = json.loads(parts.read(_HEADER))
            if header["format"] != _FORMAT:
                raise CheckpointUnreadable(f"{file} has the format {header['format']!r}, and not {_FORMAT}")
            return Checkpoint(parts.read(_DUMP), parts.read(_ROWS), int(header["dimension"]))
    except FileNotFoundError:
        return None
    except _UNREADABLE as error:
        raise CheckpointUnreadable(f"{file} is damaged: {error}") from error
