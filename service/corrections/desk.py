"""
Takes in what people put right: finds the memory, checks the decision, keeps it, and lets everybody else know.

A decision is one line on disk before anybody is answered. All that reads memories reads what stands from there: nothing
else has to be changed, and taking a decision back restores what was.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.corrections.record import NEEDS_WORDS, OF_ENTITIES, Correction, Target, Undo, What
from consolidation.kernel.errors import CorrectionConflict, CorrectionNotFound, InvalidRequest
from consolidation.text.names import name_key
from service.corrections.targets import entity_name, find_target, newest_target
from service.mind.mind_gate import Paused
from service.mind.own_settings import own_settings_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from consolidation.corrections.standing import Standing
    from consolidation.kernel.ports import Clock
    from consolidation.secrets.privacy_filter import PrivacyFilter
    from service.corrections.targets import Meant
    from service.mind.minds import Mind

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Decision:
    """What a caller wants to decide; of something new to be said, ``meant`` may be None."""

    what: What
    meant: Meant | None
    to: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A decision as it is kept: whether it stands, whether a later one took its place, and what took it back."""

    correction: Correction
    is_new: bool = False
    is_current: bool = True
    undone: Undo | None = None


@dataclass(frozen=True, slots=True)
class KeptPage:
    """Decisions, newest first, and the id that the next page begins behind; None at the end."""

    items: tuple[Kept, ...]
    next_cursor: str | None


class CorrectionDesk:
    """Makes, lists and takes back the corrections of every mind."""

    def __init__(
        self,
        *,
        clock: Clock,
        privacy_filter: PrivacyFilter,
        is_paused: Callable[[str], Paused],
        changed: Callable[[Mind, Correction], None],
    ) -> None:
        """*changed* is told of each decision that is new, and of each that is taken back."""
        self._clock = clock
        self._privacy_filter = privacy_filter
        self._is_paused = is_paused
        self._changed = changed

    async def make(self, mind: Mind, decision: Decision, *, by: str) -> Kept:
        """
        Keep a decision. One that stands already is not kept twice, and an edit back to the first words is ``right``.

        Raises InvalidRequest, MemoryNotFound, AmbiguousMemory, CorrectionConflict, HomeFault, OSError; then nothing is.
        """
        self._check_erasing(mind)
        standing = await anyio.to_thread.run_sync(mind.corrections.standing)
        privacy = (await own_settings_of(mind)).privacy(self._privacy_filter)
        to, reason = _stored(decision.to, privacy, pointer="#/to"), privacy.note(decision.reason or "") or None
        _check_words(decision, to)
        if decision.what is What.SAY:
            meant = decision.meant.text if decision.meant is not None else None
            to = to or _stored(meant, privacy, pointer="#/target/text")
            if to is None:
                raise InvalidRequest("says nothing: the new fact goes here", pointer="#/to")
            target = Target("fact", to)
        else:
            if decision.meant is None:
                raise InvalidRequest("is missing: which memory is meant?", pointer="#/target")
            target = await find_target(mind, decision.meant, decision.what, standing=standing)
            target = newest_target(target, decision.what, to=to, standing=standing)
        if decision.what in OF_ENTITIES:
            to = await anyio.to_thread.run_sync(_other_name, mind, decision.what, target, to or "", standing)
        what = decision.what
        if what is What.EDIT and to is not None and _is_same(target, to):
            what, to = _as_it_was_told(target, standing), None
        correction = Correction(self._clock.fresh_id(), self._clock.now(), by, what, target, to, reason)
        self._check_erasing(mind)  # one may have begun while the memory was looked for
        kept = await anyio.to_thread.run_sync(
            partial(mind.corrections.add, correction, check=partial(_check_beside, correction))
        )
        is_new = kept.id == correction.id
        if is_new:
            log.info("correction.made", mind_id=mind.mind_id, correction_id=kept.id, what=kept.what, by=by)
            self._changed(mind, kept)
        return Kept(kept, is_new=is_new)

    async def undo(self, mind: Mind, correction_id: str, *, by: str) -> Kept:
        """Take a decision back; twice is once. Raises CorrectionNotFound, CorrectionConflict, OSError."""
        self._check_erasing(mind)
        undo = Undo(self._clock.fresh_id(), self._clock.now(), by, correction_id)
        made, undone = await anyio.to_thread.run_sync(mind.corrections.undo, undo)
        if undone.id == undo.id:
            log.info("correction.undone", mind_id=mind.mind_id, correction_id=made.id, what=made.what, by=by)
            self._changed(mind, made)
        return Kept(made, is_new=undone.id == undo.id, is_current=False, undone=undone)

    async def listed(self, mind: Mind, *, after: str | None, limit: int) -> KeptPage:
        """Every decision of a mind. Raises InvalidRequest for a cursor of another list."""
        lines = await anyio.to_thread.run_sync(mind.corrections.lines)
        standing = await anyio.to_thread.run_sync(mind.corrections.standing)
        undone = {one.of: one for one in lines if isinstance(one, Undo)}
        made = [one for one in reversed(lines) if isinstance(one, Correction)]
        if after is not None:
            places = [at for at, one in enumerate(made) if one.id == after]
            if not places:
                raise InvalidRequest("is not a cursor of this list", pointer="query/cursor")
            made = made[places[0] + 1 :]
        page = made[:limit]
        kept = tuple(
            Kept(one, is_current=one.id not in undone and standing.is_current(one), undone=undone.get(one.id))
            for one in page
        )
        return KeptPage(kept, page[-1].id if len(made) > limit else None)

    async def one(self, mind: Mind, correction_id: str) -> Kept:
        """One decision. Raises CorrectionNotFound."""
        lines = await anyio.to_thread.run_sync(mind.corrections.lines)
        made = next((one for one in lines if isinstance(one, Correction) and one.id == correction_id), None)
        if made is None:
            raise CorrectionNotFound("no correction has this id")
        undone = next((one for one in lines if isinstance(one, Undo) and one.of == correction_id), None)
        standing = await anyio.to_thread.run_sync(mind.corrections.standing)
        return Kept(made, is_current=undone is None and standing.is_current(made), undone=undone)

    def _check_erasing(self, mind: Mind) -> None:
        if self._is_paused(mind.mind_id) is not Paused.NOTHING:
            raise CorrectionConflict("something of this mind is being erased: try again when that is done")


def _stored(text: str | None, privacy: PrivacyFilter, *, pointer: str) -> str | None:
    """A person's words as they are stored, None for nothing. Raises InvalidRequest for what is off the record."""
    stored = privacy.note(text or "")
    if not stored and privacy.cleaned(text or "").strip():
        raise InvalidRequest("is off the record, so nothing of it is stored", pointer=pointer)
    return stored or None


def _check_words(decision: Decision, to: str | None) -> None:
    """Whether the decision has the words that it needs, and no others."""
    what, kind = decision.what, decision.meant.kind if decision.meant is not None else "fact"
    if what in OF_ENTITIES and kind != "entity":
        raise InvalidRequest(f"must be an entity for {what.value}", pointer="#/target/kind")
    if what is What.SAY:
        if kind != "fact":
            raise InvalidRequest("must be a fact for say: its words are in `to`", pointer="#/target/kind")
        if to is None and not (decision.meant is not None and (decision.meant.text or "").strip()):
            raise InvalidRequest("says nothing: the new fact goes here", pointer="#/to")
        if decision.meant is not None and (decision.meant.id is not None or decision.meant.turn_ids):
            raise InvalidRequest("is new for say: it has no id and no turns yet", pointer="#/target")
    elif what in NEEDS_WORDS and to is None:
        raise InvalidRequest(f"is needed for {what.value}: nothing would be left", pointer="#/to")
    elif what not in NEEDS_WORDS and decision.to is not None:
        raise InvalidRequest(f"is not read for {what.value}", pointer="#/to")
    if what is What.SPLIT and not (decision.meant is not None and decision.meant.turn_ids):
        raise InvalidRequest("must name the turns that are about the other one", pointer="#/target/turn_ids")


def _is_same(target: Target, to: str) -> bool:
    return " ".join(target.text.split()) == " ".join(to.split())  # a sign or an accent may be all that is wrong


def _as_it_was_told(target: Target, standing: Standing) -> What:
    """
    What an edit to the words of *target* itself decides: after other decisions of it, that it is as it was told.

    Raises InvalidRequest where nobody decided otherwise.
    """
    turns = [standing.turn(one) for one in target.turn_ids] if target.kind != "entity" else []
    own = standing.fact(target.text, target.turn_ids, joins=target.joins, teller=target.teller)
    decided = [*turns, *([own] if target.kind == "fact" else [])]
    if all(one.truth is None for one in decided):
        raise InvalidRequest("says what the memory says already", pointer="#/to")
    return What.RIGHT


def _other_name(mind: Mind, what: What, target: Target, to: str, standing: Standing) -> str:
    """The name that ``to`` gives. Raises InvalidRequest, MemoryNotFound, CorrectionConflict, IndexUnusable."""
    if what is What.MERGE:
        to = entity_name(mind, to, standing=standing, pointer="#/to")
    is_same = name_key(to) == name_key(target.text)
    is_spelt_anew = what is What.RENAME and is_same and to != standing.name_of(target.text)
    if (is_same and not is_spelt_anew) or not name_key(to):
        raise InvalidRequest("must be another name", pointer="#/to")
    is_own = name_key(to) in (standing.keys_of(target.text) if what is What.RENAME else {name_key(target.text)})
    is_known = not is_own and any(name_key(name) == name_key(to) for _, name in mind.text.names_in(to))
    if what is not What.MERGE and is_known:
        raise CorrectionConflict("there is an entity of this name already: merge the two instead")
    return to


def _check_beside(correction: Correction, standing: Standing) -> None:
    """Whether a decision can stand beside what stands. Raises CorrectionConflict."""
    key = name_key(correction.target.text)
    if correction.what is What.MERGE:
        if key in standing.keys_of(correction.to or ""):
            raise CorrectionConflict("the two are one entity already")
        merged = [one for one in standing.corrections if one.what is What.MERGE]
        if any(name_key(one.target.text) == key for one in merged):
            raise CorrectionConflict("this entity was merged into another one before: take that back first")
    if correction.what is What.RENAME:
        others = standing.same.keys() - standing.keys_of(correction.target.text)
        if name_key(correction.to or "") in {name_key(standing.name_of(one)) for one in others}:
            raise CorrectionConflict("another entity has been given this name: merge the two instead")
