"""Which other minds a mind reads: those that a call names, else those that are set, and only for a caller who may."""

from __future__ import annotations

from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import HomeFault, InvalidMindId, MindNotFound
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from consolidation.workspace import mind_id_of, mind_of_others
from service.mind.foreign_mind import ForeignMind

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from service.mind.minds import Mind, Minds
    from service.mind.own_settings import OwnSettings
    from service.workers.fleet import Fleet

UNAVAILABLE = "also_read_unavailable"  # the rung, where one of them can not be read

_COPY_SECONDS = 0.3  # with a database that is slow, while the mind itself waits for its answer
_MOST_SECONDS = 0.6  # that a call with a deadline waits for the opening of one
OTHERS_SHARE = 0.5  # of such a deadline, for the opening of all: the mind itself is to be searched yet

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class OtherMindsRead:
    """The minds that may be read; ``lacks_minds`` where one that is set can not be."""

    minds: tuple[Mind | ForeignMind, ...] = ()
    lacks_minds: bool = False


def checked_minds(
    named: Sequence[str], *, mind_id: str, sees: Callable[[str], bool], pointer: str = "#/also_read"
) -> tuple[str, ...]:
    """
    The ids of the minds that a caller names, *mind_id* itself left out.

    Raises InvalidMindId with the *pointer* to one, and MindNotFound for one that the caller may not see.
    """
    ids = tuple(dict.fromkeys(mind_id_of(name, pointer=_item(pointer, at)) for at, name in enumerate(named)))
    hidden = next((one for one in ids if not sees(one)), None)
    if hidden is not None:
        raise mind_of_others(hidden)
    return tuple(one for one in ids if one != mind_id)


def _item(pointer: str, at: int) -> str:
    return f"{pointer}/{at}" if pointer.startswith("#") else pointer


@asynccontextmanager
async def opened_minds(
    minds: Minds,
    mind_id: str,
    *,
    asked: tuple[str, ...] | None,
    own: OwnSettings,
    sees: Callable[[str], bool],
    fleet: Fleet | None,
    left: Callable[[], float | None],
) -> AsyncIterator[OtherMindsRead]:
    """
    The minds that *mind_id* reads inside the block: those *asked* for, which were checked; for None those set.

    One that does not exist yet is left out, and of those that are set, one that the caller may not see. One that
    another worker of the *fleet* has is asked there. *left* says how many seconds there are for their opening: one that
    takes longer is left out, and will be open for a later call. None: no limit.
    """
    named = asked if asked is not None else tuple(one for one in own.also_read or () if one != mind_id)
    allowed = [one for one in named if sees(one)]
    lacks = len(allowed) < len(named)
    found: list[Mind | ForeignMind] = []
    with ExitStack() as inside:
        for one in allowed:
            if fleet is not None and not minds.share.owns(one):
                found.append(ForeignMind(one, fleet.owner(one)))
                continue
            inside.enter_context(minds.gate.enter(one))
            try:
                found.append(await _found(minds, one, seconds=left()))
            except (MindNotFound, InvalidMindId):
                continue
            except (HomeFault, DatabaseUnavailable) as error:
                log.warning("mind.not_read", mind_id=one, reason=str(error))
                lacks = True
            except TimeoutError:
                log.warning("mind.not_read", mind_id=one, reason="it is being opened")
                lacks = True
        yield OtherMindsRead(tuple(found), lacks)


async def _found(minds: Minds, mind_id: str, *, seconds: float | None) -> Mind:
    if seconds is None:
        return await minds.find(mind_id, seconds=_COPY_SECONDS)
    return await minds.find_in_time(mind_id, seconds=min(seconds, _MOST_SECONDS))
