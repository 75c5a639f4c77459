"""Lists what deep sleeps measured of an agent, and has a person accept what one of them proposes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.dreams.evaluation import Acceptance
from consolidation.kernel.errors import DreamNotFound, ProposalConflict

if TYPE_CHECKING:
    from consolidation.dreams.dream_files import DreamFiles
    from consolidation.dreams.evaluation import Evaluation, Proposal
    from consolidation.kernel.ports import Clock
    from service.mind.minds import Mind, Minds
    from service.sleep.sleeper import Sleeper


@dataclass(frozen=True, slots=True)
class EvaluationPage:
    """Evaluations, newest first, and the number of the last one where more follow."""

    items: tuple[Evaluation, ...]
    next_number: int | None


@dataclass(frozen=True, slots=True)
class Accepted:
    """An evaluation whose proposal was accepted; ``etag`` is of the settings that this changed, None if it did not."""

    evaluation: Evaluation
    etag: str | None = None


class Evaluations:
    """Reads and accepts evaluations of any mind. *relevance* is the service's. No file I/O on the event loop."""

    def __init__(self, sleeper: Sleeper, *, minds: Minds, clock: Clock, relevance: float) -> None:
        self._sleeper = sleeper
        self._minds = minds
        self._clock = clock
        self._relevance = relevance
        self._accepting = asyncio.Lock()

    async def listed(self, mind: Mind, *, below: int | None, limit: int) -> EvaluationPage:
        """The newest evaluations, or those whose number is *below* one. Raises DreamUnwritable."""
        found = await anyio.to_thread.run_sync(self._sleeper.files(mind).evaluations)
        wanted = [one for one in reversed(found) if below is None or one.dream < below]
        page = tuple(wanted[:limit])
        return EvaluationPage(page, page[-1].dream if len(wanted) > limit else None)

    async def accept(self, mind: Mind, number: int, *, by: str) -> Accepted:
        """
        Set what the evaluation of this number proposes; a second time changes nothing.

        Raises DreamNotFound, DreamUnwritable, what changing settings raises, and ProposalConflict where nothing is
        proposed, where it is not a setting of a mind, and where that has another value by now.
        """
        await self._minds.take_over(mind.mind_id)
        async with self._accepting:
            return await anyio.to_thread.run_sync(lambda: self._accept(mind, number, by=by))

    def _accept(self, mind: Mind, number: int, *, by: str) -> Accepted:
        files = self._sleeper.files(mind)
        found = _one(files, number)
        if found.accepted_at is not None:
            return Accepted(found)
        etag = self._set(mind, _acceptable(found))
        files.accept_evaluation(Acceptance(t=self._clock.now(), accepted=number, by=by))
        return Accepted(_one(files, number), etag)

    def _set(self, mind: Mind, proposal: Proposal) -> str | None:
        """Set it, and return the ETag; None where it is set: a kill came before that was noted, or a person did it."""
        present = mind.settings.read()
        value = present.own.relevance if present.own.relevance is not None else self._relevance
        if value == proposal.proposed:
            return None
        if value != proposal.value:
            raise ProposalConflict(
                f"{proposal.setting} is {value:g} by now, and was {proposal.value:g} when this was proposed"
            )
        return mind.settings.change({proposal.setting: proposal.proposed}, expected=present.etag).etag


def _one(files: DreamFiles, number: int) -> Evaluation:
    found = next((one for one in files.evaluations() if one.dream == number), None)
    if found is None:
        raise DreamNotFound(f"no deep sleep of the number {number} was evaluated")
    return found


def _acceptable(found: Evaluation) -> Proposal:
    if found.proposal is None:
        raise ProposalConflict("this evaluation proposes nothing")
    if not found.proposal.is_acceptable:
        setting = found.proposal.setting
        raise ProposalConflict(f"{setting} is not a setting of one mind: set MIND_MEMORY_{setting} of the service")
    return found.proposal
