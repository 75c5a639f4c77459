"""
Counts tokens, and cuts a text to a number of them, the way current models count: o200k_base.

The encoding is read from the files litellm bundles, without importing litellm: tiktoken by itself would fetch it from
the network, without a timeout. Where the files are missing the count is an estimate that rather says too many.
Text that looks like a special token ("<|endoftext|>") counts as the plain text it is.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import importlib.util
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import tiktoken

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
# As in tiktoken_ext.openai_public, whose own function would load the ranks along with it.
PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# tiktoken takes quadratic time over one endless word and overflows its stack on a longer one.
CHUNK_CHARACTERS = 4_000
ESTIMATED_BYTES = 3

_LOADING = threading.Lock()


def count_tokens(text: str) -> int:
    """Say how many tokens *text* takes. Large texts belong in a worker thread: a megabyte takes a tenth of a second."""
    encoding = _encoding()
    if encoding is None:
        return -(-len(_encodable(text).encode()) // ESTIMATED_BYTES)
    return sum(len(encoding.encode_ordinary(chunk)) for chunk in _chunks(_encodable(text)))


def cut_to_tokens(text: str, *, limit: int) -> str:
    """Return the beginning of *text* that takes at most *limit* tokens; the whole text where it fits."""
    room = max(limit, 0)
    length = _fitting_length(_encodable(text), room)
    # A beginning may be split otherwise than the whole was, and take a token more.
    while count_tokens(text[:length]) > room:
        length -= 1
    return text[:length]


def _fitting_length(text: str, room: int) -> int:
    encoding = _encoding()
    if encoding is None:
        return len(text.encode()[: room * ESTIMATED_BYTES].decode(errors="ignore"))
    length = 0
    for chunk in _chunks(text):
        numbers = encoding.encode_ordinary(chunk)
        if len(numbers) > room:
            return length + len(encoding.decode_bytes(numbers[:room]).decode(errors="ignore"))
        room -= len(numbers)
        length += len(chunk)
    return length


def _encodable(text: str) -> str:
    """Lone surrogates become question marks, so that lengths stay as they are."""
    return text.encode(errors="replace").decode()


def _chunks(text: str) -> Iterator[str]:
    """Cut before a space, where tokens part anyway, or anywhere in an endless word."""
    start = 0
    while start < len(text):
        end = start + CHUNK_CHARACTERS
        if end < len(text):
            space = text.rfind(" ", start + 1, end)
            end = space if space > start else end
        yield text[start:end]
        start = end


def _encoding() -> tiktoken.Encoding | None:
    with _LOADING:
        return _load()


@functools.cache
def _load() -> tiktoken.Encoding | None:
    path = _bundled_file()
    if path is None:
        return None
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256:
        return None
    pairs = (line.split() for line in content.splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    return tiktoken.Encoding("o200k_base", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})


def _bundled_file() -> Path | None:
    found = importlib.util.find_spec("litellm")
    if found is None or found.origin is None:
        return None
    name = hashlib.sha1(SOURCE.encode(), usedforsecurity=False).hexdigest()
    path = Path(found.origin).parent / "litellm_core_utils" / "tokenizers" / name
    return path if path.is_file() else None
