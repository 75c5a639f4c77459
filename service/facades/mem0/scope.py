"""Whose memories a call of mem0 means: its `user_id`, `agent_id`, `app_id` and `run_id`, as a mind and a session."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, TypeAdapter, ValidationError

from consolidation.kernel.errors import InvalidRequest
from service.facades.memory_ids import mind_for
from service.facades.records import check_new
from service.http.problems import pointer_step
from service.http.schemas.fields import Instant, SessionId
from service.index.turn_fields import TurnFilter, has_fields, is_indexed
from service.retrieval.time_window import TimeWindow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from starlette.datastructures import QueryParams

    from consolidation.kernel.turns import StoredTurn
    from service.access.principal import Principal
    from service.index.turn_fields import Scalar

OURS = "mem0"  # the field of a turn's metadata that keeps the ids as they were sent
DEFAULT_SESSION = "mem0"
_OWNERS = ("user_id", "agent_id", "app_id")  # the first that is given names the mind
_NAMES = (*_OWNERS, "run_id")
_TWO_VALUES = "one call concerns one value of each id"
PROJECT = frozenset({"org_id", "project_id", "org_name", "project_name"})  # mem0's clients send them by themselves
_SESSION: TypeAdapter[str] = TypeAdapter(SessionId)


def _of_a_day(at: time) -> BeforeValidator:
    """A day means this time of it; a time without an offset is in UTC, as in mem0."""

    def instant(value: object) -> object:
        if not isinstance(value, str):
            return value
        try:
            is_day = len(value) == _DAY
            told = datetime.combine(date.fromisoformat(value), at) if is_day else datetime.fromisoformat(value)
        except ValueError:
            return value
        return told.replace(tzinfo=UTC).isoformat() if told.tzinfo is None else value

    return BeforeValidator(instant)


_DAY = len("2026-01-09")
TimeOfMem0 = Annotated[Instant, _of_a_day(time.min)]
EndOfMem0 = Annotated[Instant, _of_a_day(time.max)]
_TIMES: dict[str, TypeAdapter[datetime]] = {"gte": TypeAdapter(TimeOfMem0), "lte": TypeAdapter(EndOfMem0)}


@dataclass(frozen=True, slots=True)
class Scope:
    """The ids of a call. Memories in ``window`` are meant, of turns whose own metadata has all of ``metadata``."""

    user_id: str | None = None
    agent_id: str | None = None
    app_id: str | None = None
    run_id: str | None = None
    window: TimeWindow = field(default_factory=TimeWindow)
    metadata: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)  # of each id in the request

    @property
    def ids(self) -> dict[str, str]:
        """The ids that are given, by mem0's names."""
        return {name: value for name, value in asdict(self).items() if name in _NAMES and value is not None}

    @property
    def is_whole_mind(self) -> bool:
        """Whether nothing narrows it down to a part of its mind."""
        return len(self.ids) == 1 and self.run_id is None and not self.metadata

    @property
    def session_id(self) -> str:
        """The session that its turns belong to."""
        return self.run_id or DEFAULT_SESSION

    def mind_id(self, caller: Principal) -> str:
        """
        The mind of the user, else of the agent, else of the app; for a run alone, the caller's own or the default one.

        Raises InvalidMindId, and MindNotFound for a mind that *caller* may not see.
        """
        named = next((name for name in _OWNERS if name in self.ids), None)
        if named is None:
            return mind_for(caller.default_mind, caller)
        return mind_for(self.ids[named], caller, pointer=self.places.get(named, "#"))

    def within(self, *, since: datetime | None, until: datetime | None) -> Scope:
        """The same, of what was said from *since* to *until* alone. Raises InvalidRequest."""
        window = TimeWindow(
            since=max(filter(None, (since, self.window.since)), default=None),
            until=min(filter(None, (until, self.window.until)), default=None),
        )
        return replace(self, window=window)

    def holds(self, turn: StoredTurn) -> bool:
        """Whether *turn* has the metadata, and is of the run, agent and app, as far as they do not name the mind."""
        sent = ids_of(turn)
        is_of_run = self.run_id is None or turn.turn.session_id == self.run_id
        is_of_ids = is_of_run and all(sent.get(name) == value for name, value in self._narrowing().items())
        return is_of_ids and has_fields(turn.turn.metadata, self.metadata)

    @property
    def turns(self) -> TurnFilter:
        """The same for a search, by as much as is indexed."""
        ids: dict[str, tuple[Scalar, ...]] = {f"{OURS}.{name}": (one,) for name, one in self._narrowing().items()}
        wanted = {**self.metadata, **ids}
        indexed = {name: values for name, values in wanted.items() if all(map(is_indexed, values))}
        return TurnFilter(sessions=() if self.run_id is None else (self.run_id,), metadata=indexed)

    def _narrowing(self) -> dict[str, str]:
        named = next((name for name in _OWNERS if name in self.ids), None)
        return {name: value for name, value in self.ids.items() if name not in {named, "run_id"}}


def ids_of(turn: StoredTurn) -> dict[str, str]:
    """The ids with which *turn* was added through this door."""
    sent = turn.turn.metadata.get(OURS)
    return {name: sent[name] for name in _NAMES if isinstance(sent.get(name), str)} if isinstance(sent, dict) else {}


def scope_of(sent: Mapping[str, Any], *, filters: Mapping[str, Any] | None = None, place: str = "#") -> Scope:
    """
    The scope from ids and filters, side by side or under one ``AND``: ids, ``created_at`` with ``gte`` and ``lte``, and
    ``metadata`` with values.

    *place* is that of *sent* in the request. Raises InvalidRequest for other filters, for no id at all, and for one
    that is sent with two values.
    """
    ids: dict[str, str] = {}
    places: dict[str, str] = {}
    times: dict[str, datetime] = {}
    metadata: dict[str, tuple[Scalar, ...]] = {}
    for name, value, where in (*_conditions(sent, place), *_conditions(filters or {}, f"{place}/filters")):
        if name == "created_at":
            times |= _times(value, where)
            continue
        if name == "metadata":
            wanted = _metadata(value, where)
            if any(metadata.get(one, values) != values for one, values in wanted.items()):
                raise InvalidRequest(_TWO_VALUES, pointer=where)
            metadata |= wanted
            continue
        if not isinstance(value, str) or not value or value == "*":
            raise InvalidRequest("must be one id, as text; lists and * are not served", pointer=where)
        if ids.setdefault(name, value) != value:
            raise InvalidRequest(_TWO_VALUES, pointer=where)
        places.setdefault(name, where)
    if not ids:
        raise InvalidRequest("needs a user_id, an agent_id, an app_id or a run_id", pointer=place)
    if "run_id" in ids:
        ids["run_id"] = _session(ids["run_id"], places["run_id"])
        check_new(ids["run_id"], pointer=places["run_id"])
    window = TimeWindow(since=times.get("gte"), until=times.get("lte"))
    return Scope(**ids, window=window, metadata=metadata, places=places)


def scope_of_query(sent: QueryParams, *, besides: frozenset[str] = frozenset()) -> Scope:
    """The same from the parameters of a query, which has others *besides*. Raises InvalidRequest."""
    for name in sent:
        if len(set(sent.getlist(name))) > 1:
            raise InvalidRequest(_TWO_VALUES, pointer=f"query/{pointer_step(name)}")
    others = PROJECT | besides
    return scope_of({name: one for name, one in sent.items() if name not in others}, place="query")


def _conditions(sent: Mapping[str, Any], place: str) -> Iterator[tuple[str, Any, str]]:
    """Each name with its value and its place. Raises InvalidRequest."""
    for name, value in sent.items():
        where = f"{place}/{pointer_step(name)}"
        if name == "AND" and isinstance(value, list) and all(isinstance(one, dict) for one in value):
            for at, one in enumerate(value):
                yield from _conditions(one, f"{where}/{at}")
        elif name in {*_NAMES, "created_at", "metadata"}:
            yield name, value, where
        else:
            raise InvalidRequest(
                "is not served: filters are user_id, agent_id, app_id, run_id, created_at (gte, lte), "
                "metadata (values), and AND of these",
                pointer=where,
            )


def _times(value: object, pointer: str) -> dict[str, datetime]:
    if not isinstance(value, dict) or not value or not value.keys() <= {"gte", "lte"}:
        raise InvalidRequest("needs gte, lte or both", pointer=pointer)
    try:
        return {name: _TIMES[name].validate_python(one) for name, one in value.items()}
    except ValidationError as error:
        raise InvalidRequest("must be days or times, like 2026-01-09T18:30:00Z", pointer=pointer) from error


def _metadata(value: object, pointer: str) -> dict[str, tuple[Scalar, ...]]:
    """The values that are wanted, by dotted names. Raises InvalidRequest."""
    if not isinstance(value, dict) or not value:
        raise InvalidRequest("needs names with values", pointer=pointer)
    found: dict[str, tuple[Scalar, ...]] = {}
    for name, one in value.items():
        if not isinstance(one, str | int | float | bool):
            reason = "must be one text, number or truth value: operators and lists are not served"
            raise InvalidRequest(reason, pointer=f"{pointer}/{pointer_step(name)}")
        found[name] = (one,)
    return found


def _session(value: str, pointer: str) -> str:
    try:
        return _SESSION.validate_python(value)
    except ValidationError as error:
        reason = 'must be printable text of at most 200 characters, with no step "." or ".." between slashes'
        raise InvalidRequest(reason, pointer=pointer) from error
