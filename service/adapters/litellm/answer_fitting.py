"""
Fits what a model wrote to the shape it was asked for, where the two differ and nothing is lost or invented by it.

A key in another spelling (``validAt``) is that of its field, and a key that nobody asked for is left out. Null is the
default of a field that has one. Where objects with one required text are wanted, a text alone is that text; where a
list of objects is wanted, one object is a list of one. Where a text is wanted, a whole number is written out; of 9.3
nobody knows whether 9.30 was meant. Where a number is wanted, "fact 2" is 2, and "none" is nothing. All else stays as
it is, for pydantic to judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAliasType, TypeGuard, Union, get_args, get_origin

from pydantic import AliasChoices, AliasPath, BaseModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo

_LISTS = frozenset({list, set, frozenset, Sequence})
_SEPARATORS = re.compile(r"[\W_]+")
_NUMBERED = re.compile(r"\s{0,3}(?:[^\W\d_]{1,20}[\s.:]{0,3})?[#(\[]?(\d{1,6})[)\].:]?\s{0,3}")  # "fact 2", "#2", "[2]"
_NOTHING = frozenset({"", "none", "null", "nil", "nothing", "n/a", "na", "no", "-"})


class _Place(NamedTuple):
    """Where the value of a key belongs, and what is wanted there."""

    field: str
    wanted: object
    is_required: bool


def fit(value: object, wanted: object, *, drops_unknown: bool) -> object:
    """
    Return *value* in the form that *wanted* has, a shape or a part of one.

    *drops_unknown*: whether keys that nobody asked for are left out, where the shape holds nothing of that name deeper.
    """
    is_optional, wanted = _allows_none(wanted), _without_none(wanted)
    if _is_shape(wanted):
        return _object(value, wanted, drops_unknown=drops_unknown) if isinstance(value, dict) else value
    item = _item(wanted)
    if item is not None:
        listed = _listed(value, _without_none(item)) if _unwrapped(item) is not int else _numbers(value)
        return [fit(one, item, drops_unknown=drops_unknown) for one in listed] if isinstance(listed, list) else value
    if wanted is str and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if wanted is int and isinstance(value, str):
        return None if is_optional and _is_nothing(value) else _number(value)
    return value


def fields_held(value: object, shape: type[BaseModel]) -> int:
    """How many fields of *shape* have a key in *value*; -1 where it is not an object."""
    if not isinstance(value, dict):
        return -1
    return len({place.field for key in value if (place := _place(key, shape)[1]) is not None})


def _object(value: dict[str, object], shape: type[BaseModel], *, drops_unknown: bool) -> dict[str, object]:
    fitted, unknown, taken = dict[str, object](), dict[str, object](), set[str]()
    # A key as it is asked for goes before one that only resembles it; that one then stays under its own name.
    for key in sorted(value, key=lambda key: key not in _places(shape)):
        name, place = _place(key, shape)
        if place is None or (name != key and place.field in taken):
            unknown[key] = value[key]
            continue
        taken.add(place.field)
        if value[key] is not None or place.is_required or _allows_none(place.wanted):
            fitted[name] = fit(value[key], place.wanted, drops_unknown=drops_unknown)
    if taken and drops_unknown and shape.model_config.get("extra") != "allow":
        unknown = {key: said for key, said in unknown.items() if _is_misplaced(key, said, shape)}
    return fitted | unknown


def _is_misplaced(key: str, said: object, shape: type[BaseModel]) -> bool:
    """Whether there is a place in the shape, here or deeper, for what is said: without it something would be lost."""
    return said not in (None, "", [], {}) and _spelling(key) in _spellings_within(shape)


def _listed(value: object, item: object) -> object:
    """A list for one object, and an object for each text of a list, where *item* is a shape."""
    if not _is_shape(item):
        return value
    if isinstance(value, dict):
        return [value] if value else value
    needed = [place for place in _places(item).items() if place[1].is_required]
    if not isinstance(value, list) or len(needed) != 1 or _without_none(needed[0][1].wanted) is not str:
        return value
    return [{needed[0][0]: one} if isinstance(one, str) else one for one in value]


def _numbers(value: object) -> object:
    """A list without the words that stand for nothing; one of them alone is an empty list."""
    if isinstance(value, list):
        return [one for one in value if not _is_nothing(one)]
    return [] if _is_nothing(value) else value


def _number(value: str) -> object:
    """The number that a text names, such as "fact 2"; the text where it names more or none."""
    found = _NUMBERED.fullmatch(value)
    return int(found[1]) if found else value


def _is_nothing(value: object) -> bool:
    return isinstance(value, str) and value.strip().strip(".").casefold() in _NOTHING


def _place(key: str, shape: type[BaseModel]) -> tuple[str, _Place | None]:
    """The key by which pydantic reads what stands under *key*, and its place; the key itself where it has none."""
    places = _places(shape)
    name = key if key in places else _spelled(shape).get(_spelling(key), key)
    return name, places.get(name)


@cache
def _places(shape: type[BaseModel]) -> dict[str, _Place]:
    """The keys that pydantic reads, by name and by alias."""
    return {key: place for name, field in shape.model_fields.items() for key, place in _keys(name, field, shape)}


def _keys(name: str, field: FieldInfo, shape: type[BaseModel]) -> Iterator[tuple[str, _Place]]:
    config, alias = shape.model_config, field.validation_alias
    for one in alias.choices if isinstance(alias, AliasChoices) else (alias,):
        if isinstance(one, AliasPath):
            yield str(one.path[0]), _Place(name, Any, is_required=field.is_required())  # the value is somewhere inside
        elif one is not None:
            yield one, _Place(name, field.annotation, is_required=field.is_required())
    if alias is None or config.get("populate_by_name") or config.get("validate_by_name"):
        yield name, _Place(name, field.annotation, is_required=field.is_required())


@cache
def _spelled(shape: type[BaseModel]) -> dict[str, str]:
    """The keys that pydantic reads, by their letters alone; without those of two fields that differ in nothing else."""
    found = dict[str, str]()
    owners = dict[str, set[str]]()
    for key, place in _places(shape).items():
        for spelling in (_spelling(key), _spelling(place.field)):
            found.setdefault(spelling, key)
            owners.setdefault(spelling, set()).add(place.field)
    return {spelling: key for spelling, key in found.items() if len(owners[spelling]) == 1}


@cache
def _spellings_within(shape: type[BaseModel]) -> frozenset[str]:
    """The keys of a shape and of all shapes inside it, by their letters alone."""
    found, waiting = set[type[BaseModel]](), [shape]
    while waiting:
        found.add(one := waiting.pop())
        inside = (_shapes_in(place.wanted) for place in _places(one).values())
        waiting += {inner for shapes in inside for inner in shapes} - found
    return frozenset(_spelling(key) for one in found for key in (*_places(one), *one.model_fields))


def _shapes_in(wanted: object) -> Iterator[type[BaseModel]]:
    wanted = _unwrapped(wanted)
    if _is_shape(wanted):
        yield wanted
    for part in get_args(wanted):
        yield from _shapes_in(part)


def _spelling(key: str) -> str:
    return _SEPARATORS.sub("", key).casefold()


def _is_shape(wanted: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(wanted, type) and issubclass(wanted, BaseModel)


def _unwrapped(wanted: object) -> object:
    """A type without its notes and without its other name."""
    while True:
        if isinstance(wanted, TypeAliasType):
            wanted = wanted.__value__
        elif get_origin(wanted) is Annotated:
            wanted = get_args(wanted)[0]
        else:
            return wanted


def _arms(wanted: object) -> list[object]:
    """The types of a choice; a type that is none is its only one."""
    wanted = _unwrapped(wanted)
    return [_unwrapped(arm) for arm in get_args(wanted)] if get_origin(wanted) in (Union, UnionType) else [wanted]


def _without_none(wanted: object) -> object:
    """The one type that is wanted beside None; of several the choice is pydantic's."""
    arms = [arm for arm in _arms(wanted) if arm not in (None, NoneType)]
    return arms[0] if len(arms) == 1 else None


def _allows_none(wanted: object) -> bool:
    return any(arm in (None, NoneType, Any, object) for arm in _arms(wanted))


def _item(wanted: object) -> object:
    """What the items of a list have to be; None where no list of one kind is wanted."""
    origin, kinds = get_origin(wanted), get_args(wanted)
    if origin is tuple:
        return kinds[0] if kinds[1:] == (...,) else None
    return kinds[0] if origin in _LISTS and kinds else None
