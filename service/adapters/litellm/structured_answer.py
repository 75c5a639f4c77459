"""
Reads a model's text into the shape it was asked for: tolerant of the wrapping, never of the content.

Thoughts, fences, prose around the JSON, a name for the whole and the missing name of a single field are tolerated,
broken JSON is repaired, and what only looks different from the shape is fitted to it (`answer_fitting.py`). A required
field that is missing is refused, and so is an object with none of the fields: where all have defaults, it would be an
answer that nobody gave. So is one that breaks off, unless its shape is of use in part: what it lacks would be lost, and
nobody would know.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from consolidation.kernel.errors import InvalidModelOutput
from service.adapters.litellm.answer_fitting import fields_held, fit

if TYPE_CHECKING:
    from collections.abc import Iterator

THOUGHTS = (("<think>", "</think>"), ("<thinking>", "</thinking>"))
FENCE = "```"
MOST_REASONS = 5
# Mending takes time with the square of depth and length: 63 kB of strings without commas took three minutes.
DEEPEST = 32
LONGEST_MENDED = 10_000
_NOTHING = -2  # less than what holds no field, and than what is not an object
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)


def read_answer[A: BaseModel](text: str, *, shape: type[A]) -> A:
    """
    Read *text* as a *shape*.

    Raises InvalidModelOutput; its message says why, in words that help a model to do better. Of the readings of the
    text it is about the one with the most fields of the shape, since the others are pieces of it.
    """
    spoken = without_thoughts(text)
    if not spoken:
        raise InvalidModelOutput("the answer is empty")
    in_part = getattr(shape, "is_of_use_in_part", False)
    reason, most = "the answer holds no JSON", _NOTHING
    for value, is_mended in _values(spoken, in_part=in_part):
        named = _named(value, shape=shape)
        try:
            return _in_shape(named, shape=shape, is_mended=is_mended)
        except InvalidModelOutput as fault:
            if (held := fields_held(named, shape)) > most:
                reason, most = str(fault), held
    if most <= 0 and not in_part and not _is_whole(spoken):
        reason = "the answer breaks off before its JSON ends"
    raise InvalidModelOutput(reason)


def read_part[A: BaseModel](text: str, *, shape: type[A]) -> A | None:
    """
    Read what is whole in the beginning of an answer whose fields are lists: lists, and items; None where nothing is.

    The items of a list that is not over yet have to be objects.
    """
    spoken = without_thoughts(text)
    after_item, after_list = (spoken.rfind(ending) + 1 for ending in "}]")
    first = spoken.find("{")
    # Behind an item, its list is open; or it stands where a list was asked for; or it is the answer, and that is over.
    for end, closing in ((after_item, "]}"), (after_item, "}"), (after_item, ""), (after_list, "}")):
        if 0 <= first < end:
            with suppress(ValueError, RecursionError, InvalidModelOutput):
                return _in_shape(json.loads(spoken[first:end] + closing), shape=shape, is_mended=False)
    return None


def without_thoughts(text: str) -> str:
    """Return what is said after thinking aloud; nothing if the thought never ends."""
    spoken = text.strip()
    for opening, closing in THOUGHTS:
        thought, closed, rest = spoken.partition(closing)
        # Some servers swallow the opening tag; inside a JSON string neither is a tag.
        if closed and (thought.startswith(opening) or not thought.startswith(("{", "[", FENCE))):
            return rest.strip()
        if spoken.startswith(opening):
            return ""
    return spoken


def schema_of(shape: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema that *shape* reads."""
    return shape.model_json_schema(mode="validation")


def _values(text: str, *, in_part: bool) -> Iterator[tuple[object, bool]]:
    """
    Every reading of the text as JSON, and whether it was mended: the most literal first, the mended ones last.

    *in_part* also of what is cut.
    """
    inside = tuple(_enclosed(text))
    for candidate in (text, *inside):
        try:
            yield json.loads(candidate), False
        except (ValueError, RecursionError):
            continue
    mended = (_mended(candidate) for candidate in inside if in_part or _is_whole(candidate))
    yield from ((value, True) for value in mended if value is not None)


def _enclosed(text: str) -> Iterator[str]:
    """The fenced blocks' contents, then from the first bracket on; only what can begin an object or a list."""
    for block in text.split(FENCE)[1::2]:
        body = block.strip()
        if not body.startswith(("{", "[")):  # a language's name stands first
            body = body.partition("\n")[2].strip()
        if _begins_json(body):
            yield body
    for opening, closing in (("{", "}"), ("[", "]")):
        first, last = text.find(opening), text.rfind(closing)
        if first >= 0 and _begins_json(text[first:]):
            yield text[first : last + 1] if last > first else text[first:]


def _begins_json(text: str) -> bool:
    following = text[1:].lstrip()[:1]
    return text[:1] == "{" or (text[:1] == "[" and following in {"{", '"', "["})  # not "[object Object]"


def _mended(text: str) -> object:
    import json_repair

    if len(text) > LONGEST_MENDED or _depth(text) > DEEPEST:
        return None
    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError):
        return None


def _depth(text: str) -> int:
    """How deep brackets nest, those inside strings counted too: an upper bound is enough."""
    steps = accumulate((letter in "{[") - (letter in "}]") for letter in text)
    return max(steps, default=0)


def _is_whole(text: str) -> bool:
    """Whether every bracket that is opened outside of strings is closed again."""
    bare = _STRING.sub("", text)
    return bare.count("{") <= bare.count("}") and bare.count("[") <= bare.count("]")


def _named(value: object, *, shape: type[BaseModel]) -> object:
    """The object that a list stands for, or that stands alone under a name of its own: {"answer": {…}}."""
    if isinstance(value, list) and value and len(shape.model_fields) == 1:
        return {next(iter(shape.model_fields)): value}
    if isinstance(value, list) and len(value) == 1:
        return value[0]
    if isinstance(value, dict) and len(value) == 1 and not fields_held(value, shape):
        [inner] = value.values()
        return inner if fields_held(inner, shape) > 0 else value
    return value


def _in_shape[A: BaseModel](value: object, *, shape: type[A], is_mended: bool) -> A:
    """Raises InvalidModelOutput."""
    if not value:
        raise InvalidModelOutput("the answer holds nothing")
    if not fields_held(value, shape):
        raise InvalidModelOutput(f"the answer has none of the fields {', '.join(shape.model_fields)}")
    try:
        # A text with quotation marks in it may be mended to half a text and a key that nobody wrote.
        return shape.model_validate(fit(value, shape, drops_unknown=not is_mended))
    except ValidationError as error:
        raise InvalidModelOutput(_reason(error)) from error


def _reason(error: ValidationError) -> str:
    details = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, d['loc'])) or 'answer'}: {d['msg']}" for d in details[:MOST_REASONS])
