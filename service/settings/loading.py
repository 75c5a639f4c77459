"""Reads the settings for a command: once, with every mistake explained in a sentence that names its place."""

from __future__ import annotations

import json
import os
import tomllib
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

from pydantic import BaseModel, JsonValue, SecretStr, ValidationError
from pydantic_settings import SettingsError

from consolidation.kernel.errors import ConfigurationFault
from consolidation.secrets.redaction import without_secrets_of
from service.access.keys import parse_key
from service.settings.settings import SHOWN, TOML, Settings, read_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

type Source = Literal["default", "file", "environment", "option"]

PREFIX = "MIND_MEMORY_"
_URL, KEY = "MIND_MEMORY_URL", "MIND_MEMORY_KEY"  # of commands that talk to a service; no settings of the service
_OF_COMPOSE = tuple(f"{PREFIX}{name}" for name in ("DATA", "UID", "GID", "PUBLISH"))  # in .env, for compose.yaml
_GRAPH = "FALKORDB_URL"
_ADDRESSES = frozenset({*SHOWN, "api_base", "otlp_endpoint"})  # which may hold a password
_HIDDEN = "set, not shown"
_LEAST_LIKE, _MOST_MEANT = 0.6, 3  # of names that may have been meant
_DEFAULTS = Settings.model_construct()


@dataclass(frozen=True, slots=True)
class Origin:
    """A setting that somebody set: its dotted name, its value with secrets hidden, and where it was set."""

    name: str
    shown: str
    place: str


def wants_colours() -> bool:
    """Whether a person may be shown colours, by the standard variable; rich reads it by itself."""
    return not os.environ.get("NO_COLOR")


def read_settings(**flags: object) -> Settings:
    """
    Read the settings from *flags* (None: not given), the environment, mind-memory.toml and the defaults.

    Raises ConfigurationFault, which says what is wrong where, and never shows a secret. An empty variable is not set.
    """
    _refuse_unknown_variables()
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings(_env_ignore_empty=True, **given)  # type: ignore[arg-type] # checked by pydantic
    except ValidationError as error:
        mistakes = error.errors(include_url=False, include_input=False)
        raise ConfigurationFault("; ".join(_sentence(one, flags=given) for one in mistakes)) from error
    except SettingsError as error:
        raise ConfigurationFault(_unparsed(error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationFault(f"{Path(TOML).absolute()} is not TOML: {error}; correct it or move it away") from error
    except OSError as error:
        raise ConfigurationFault(f"{Path(TOML).absolute()} can not be read: {error.strerror}") from error


def read_key() -> SecretStr:
    """The key for a service elsewhere; empty without one. Raises ConfigurationFault, which does not show it."""
    key = os.environ.get(KEY, "").strip()
    if key and parse_key(key) is None:
        raise ConfigurationFault(
            f"{KEY} is not a key: it should be what `mind-memory keys create` printed, like mm_…_…"
        )
    return SecretStr(key)


def read_url(settings: Settings) -> str | None:
    """The address of a service elsewhere that commands talk to; None where a home of this machine is named."""
    url = os.environ.get(_URL, "").strip()
    return url if url and settings.model_fields_set.isdisjoint({"home", "database"}) else None


def origins(settings: Settings, **flags: object) -> tuple[Origin, ...]:
    """Every setting that somebody set, with the place that set it."""
    toml = read_toml()
    found = []
    for path in _leaves(Settings):
        name = ".".join(path)
        if flags.get(name) is not None:
            place = f"--{name.replace('_', '-')}"
        else:
            place = _set_variable(path) or (TOML if _at(toml, path) is not None else "")
        if place:
            found.append(Origin(name, _shown(name, _value(settings, path)), place))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """
    A setting as it holds: its variable without the prefix, its value as JSON, where that comes from, its description.

    ``value`` is None where it is a secret, and has no password where it is an address.
    """

    name: str
    value: JsonValue
    source: Source
    about: str
    is_secret: bool


def effective_settings(settings: Settings) -> tuple[EffectiveSetting, ...]:
    """Every setting that *settings* hold, in order. Raises OSError, TOMLDecodeError if mind-memory.toml is not TOML."""
    toml, dumped, plain = read_toml(), settings.model_dump(mode="json"), _without_options()
    return tuple(
        EffectiveSetting(
            name=_GRAPH if _is_graph(path) else "__".join(path).upper(),
            value=_told(path, _value(settings, path), _at(dumped, path)),
            source=_source(path, settings, toml=toml, plain=plain),
            about=_field(path).description or "",
            is_secret=_is_secret(path),
        )
        for path in _leaves(Settings)
    )


def known_variables() -> tuple[str, ...]:
    """Every environment variable that the service or a command reads."""
    return (_GRAPH, _URL, KEY, *_OF_COMPOSE, *(_variable(path) for path in _paths(Settings)))


def _source(path: tuple[str, ...], settings: Settings, *, toml: object, plain: Settings | None) -> Source:
    """Where a value comes from. What differs from all that environment and file say was given as an option."""
    if not _is_set(settings, path):
        return "default"
    if plain is not None and _value(plain, path) == _value(settings, path):
        if _is_in_environment(path):
            return "environment"
        if _at(toml, path) is not None:
            return "file"
    return "option"


def _is_in_environment(path: tuple[str, ...]) -> bool:
    """Whether a variable sets this field, by itself or in the JSON of a section."""
    for length in range(len(path), 0, -1):
        name = _set_variable(path[:length], is_exact=True)
        if name and (length == len(path) or _at(json.loads(os.environ[name]), path[length:]) is not None):
            return True
    return False


def _without_options() -> Settings | None:
    """What environment and file say; None where they alone are not valid."""
    try:
        return Settings(_env_ignore_empty=True)
    except (ValidationError, SettingsError):
        return None


def _is_set(section: BaseModel, path: Sequence[str]) -> bool:
    first, *rest = path
    return first in section.model_fields_set and (not rest or _is_set(getattr(section, first), rest))


def _is_graph(path: Sequence[str]) -> bool:
    return path[0].lower() == _GRAPH.lower()


def _is_secret(path: tuple[str, ...]) -> bool:
    """Whether no part of the value may be shown. Where graph and database are may, without a password."""
    is_hidden = SecretStr in (_field(path).annotation, *get_args(_field(path).annotation))
    return is_hidden and path[0].lower() not in SHOWN


def _field(path: tuple[str, ...]) -> FieldInfo:
    section: type[BaseModel] = Settings
    for part in path[:-1]:
        section = section.model_fields[part].annotation  # type: ignore[assignment] # only sections have fields below
    return section.model_fields[path[-1]]


def _told(path: tuple[str, ...], value: object, dumped: object) -> JsonValue:
    """A value as everybody who looks after the service may see it."""
    if value is None or _is_secret(path):
        return None
    if path[-1] in _ADDRESSES:
        return _shown(".".join(path), value)
    return cast("JsonValue", dumped)


def _refuse_unknown_variables() -> None:
    known = known_variables()
    for name in os.environ:
        if name.upper().startswith(PREFIX) and name.upper() not in known:
            raise ConfigurationFault(f"{name} is not a setting{_nearest(name.upper(), known, between='__')}")


def _nearest(name: str, known: Sequence[str], *, between: str = ".") -> str:
    """
    What may have been meant. The last part of a name counts by itself, since whoever forgets a section writes it alone.

    Where several sections have that name, all of them are named.
    """
    bare = name.removeprefix(PREFIX)
    others = [one for one in known if not name.startswith((f"{one}__", f"{one}."))]  # not its own section
    scored = [(_likeness(bare, one.removeprefix(PREFIX), between=between), one) for one in others]
    close, most = max(scored, default=((0.0, 0.0), ""))
    if close[0] < _LEAST_LIKE:
        return "; remove it"
    same = [one for likeness, one in scored if likeness[0] == 1]
    is_clear = between in bare or not 1 < len(same) <= _MOST_MEANT
    return f"; did you mean {most if is_clear else ' or '.join(same)}?"


def _likeness(name: str, known: str, *, between: str) -> tuple[float, float]:
    """How like two names are: in their last parts or as a whole, then as a whole."""
    whole = SequenceMatcher(None, name, known).ratio()
    last = SequenceMatcher(None, name.rpartition(between)[2], known.rpartition(between)[2]).ratio()
    return max(whole, last), whole


def _sentence(error: ErrorDetails, *, flags: Mapping[str, object]) -> str:
    path = tuple(str(part) for part in error["loc"])
    if at := next((n for n, part in enumerate(error["loc"]) if isinstance(part, int)), 0):
        return _sentence_of_entry(error, path, at=at, flags=flags)
    if error["type"] == "extra_forbidden":
        known = [".".join(each) for each in _paths(Settings)]
        return f"{_place(path, flags=flags)} is not a setting{_nearest('.'.join(path), known)}"
    place = _place(path, flags=flags)
    return f"{place}: {_wanted(error, path, is_in_file=place.endswith(TOML))}"


def _sentence_of_entry(error: ErrorDetails, path: tuple[str, ...], *, at: int, flags: Mapping[str, object]) -> str:
    """The fault of one entry of a list, or of a field of it: which entry it is, and which field."""
    field = f" {'.'.join(path[at + 1 :])}" if path[at + 1 :] else ""
    place = f"{_place(path[:at], flags=flags)}: entry {int(path[at]) + 1}{field}"
    if error["type"] == "extra_forbidden":
        entry = _entry(path[:at])
        return f"{place} is not a field{_nearest(path[-1], tuple(entry.model_fields) if entry is not None else ())}"
    if error["type"] == "model_type":
        is_in_file = _place(path[:at], flags=flags).endswith(TOML)
        return f"{place}: {_table_of(path[:at]) if is_in_file else f'must be as in {_example(path[:at])}'}"
    return f"{place}: {_in_our_words(error)}"


def _wanted(error: ErrorDetails, path: tuple[str, ...], *, is_in_file: bool) -> str:
    """What a setting has to be, in our words where pydantic has only names of classes."""
    if error["type"] == "tuple_type":
        is_of_tables = is_in_file and _entry(path) is not None
        return _table_of(path) if is_of_tables else f"must be a list, like {_example(path)}"
    if error["type"] == "model_type":
        return _table_of(path) if is_in_file else _section_of(path)
    return _in_our_words(error)


def _in_our_words(error: ErrorDetails) -> str:
    message = error["msg"].removeprefix("Value error, ")
    return f"{message[:1].lower()}{message[1:]}"


def _table_of(path: tuple[str, ...]) -> str:
    """How a section, or an entry of a list of sections, is written in the file."""
    entry, name = _entry(path), ".".join(path)
    head = f"[{name}]" if entry is None else f"[[{name}]]"
    field = _first_of(path) if entry is None else next(iter(entry.model_fields))
    return f"must be a section: write {head}, and below it a line for each of its settings, such as {field} = …"


def _section_of(path: tuple[str, ...]) -> str:
    """How a section is written in the environment."""
    first = _first_of(path)
    return f'must be JSON, like {{"{first}": …}}; or set what is in it by itself, as {_variable((*path, first))}'


def _first_of(path: tuple[str, ...]) -> str:
    """The first setting of a section."""
    return next(iter(type(cast("BaseModel", _value(_DEFAULTS, path))).model_fields))


def _place(path: tuple[str, ...], *, flags: Mapping[str, object]) -> str:
    """What a person typed to set this: a flag, a variable, or a key of the file."""
    if path[0] in flags:
        return f"--{path[0].replace('_', '-')}"
    if name := _set_variable(path, is_exact=True) or _variables_below(path):
        return name
    for length in range(len(path) - 1, 0, -1):
        if (name := _set_variable(path[:length], is_exact=True)) and _at(json.loads(os.environ[name]), path[length:]):
            return f"{name}: {'.'.join(path[length:])}"
    return f"{'.'.join(path)} in {TOML}"


def _variables_below(path: tuple[str, ...]) -> str:
    """The variables that set fields of a section, as they are written in the environment; empty where none does."""
    below = f"{_variable(path)}__"
    return ", ".join(sorted(name for name, value in os.environ.items() if value and name.upper().startswith(below)))


def _unparsed(error: SettingsError) -> str:
    """A list or a section given as text that is not JSON: pydantic names the section, we name the variable."""
    for path in _paths(Settings):
        name = _set_variable(path, is_exact=True)
        if name and _is_composed(path) and not _is_json(os.environ[name]):
            is_section = isinstance(_value(_DEFAULTS, path), BaseModel)
            return f"{name} {_section_of(path) if is_section else f'must be JSON, like {_example(path)}'}"
    return str(error)


def _example(path: tuple[str, ...]) -> str:
    """A list as a variable would have it: with what is there by itself, or with what each of its entries needs."""
    entry, found = _entry(path), cast("Sequence[object]", _value(_DEFAULTS, path))
    if entry is not None:
        needed: object = {name: "…" for name, field in entry.model_fields.items() if field.is_required()}
    else:
        needed = next(iter(found or _field(path).examples or ("…",)))
    return json.dumps([needed], ensure_ascii=False)


def _entry(path: tuple[str, ...]) -> type[BaseModel] | None:
    """What each entry of a list of sections is; None for another field."""
    kinds = get_args(_field(path).annotation)
    return next((one for one in kinds if isinstance(one, type) and issubclass(one, BaseModel)), None)


def _is_composed(path: Sequence[str]) -> bool:
    return isinstance(_value(_DEFAULTS, path), BaseModel | tuple)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _set_variable(path: tuple[str, ...], *, is_exact: bool = False) -> str:
    """The variable that sets this field, or the section it stands in, as it is written in the environment."""
    lengths = (len(path),) if is_exact else range(len(path), 0, -1)
    wanted = [_variable(path[:length]) for length in lengths]
    if _is_graph(path):
        wanted = [_GRAPH, *wanted]
    present = {name.upper(): name for name, value in os.environ.items() if value}
    return next((present[name] for name in wanted if name in present), "")


def _variable(path: Sequence[str]) -> str:
    return f"{PREFIX}{'__'.join(path)}".upper()


def _paths(section: type[BaseModel], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every field and every section, by path."""
    for name, field in section.model_fields.items():
        yield (*above, name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _paths(field.annotation, (*above, name))


def _leaves(section: type[BaseModel]) -> Iterator[tuple[str, ...]]:
    paths = tuple(_paths(section))
    sections = {path[:-1] for path in paths}
    return (path for path in paths if path not in sections)


def _at(tree: object, path: Sequence[str]) -> object:
    for part in path:
        tree = tree.get(part) if isinstance(tree, dict) else None
    return tree


def _value(settings: BaseModel, path: Sequence[str]) -> object:
    found: object = settings
    for part in path:
        found = getattr(found, part)
    return found


def _shown(name: str, value: object) -> str:
    if isinstance(value, tuple):
        names = (getattr(one, "name", one) if isinstance(one, BaseModel) else one for one in value)
        return ", ".join(map(str, names)) or "none"
    if isinstance(value, SecretStr) and name in SHOWN:
        return SHOWN[name](value.get_secret_value())
    if name.rpartition(".")[2] in _ADDRESSES:
        return without_secrets_of(str(value))
    return _HIDDEN if isinstance(value, SecretStr) else str(value)
