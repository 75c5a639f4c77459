"""Builds what erases a mind, a session or a turn from everything that holds it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread

from service.archive.adopt_graph import GraphAdoption
from service.composition.ingest import backoff_of
from service.composition.webhooks import forget_left
from service.erasure.erase_mind import MindEraser
from service.erasure.erase_turns import ErasureContext, TurnEraser
from service.erasure.pending import ErasedMinds, PendingErasures
from service.erasure.preview import ErasurePreviewer
from service.erasure.receipt_log import ReceiptLog
from service.erasure.service import ErasureService

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.access.audit_log import AuditLog
    from service.composition.ingest import Ingest
    from service.composition.resources import Resources
    from service.composition.sleep import Sleep
    from service.composition.story import Story
    from service.erasure.pending import ErasurePlan
    from service.settings.settings import Settings
    from service.webhooks.sender import Webhooks


def build_erasure(
    settings: Settings,
    shared: Resources,
    *,
    ingest: Ingest,
    story: Story,
    sleep: Sleep,
    webhooks: Webhooks | None,
    audit_log: AuditLog,
    forget: Callable[[str], None],
) -> ErasureService:
    """All of it; nothing runs yet. *forget* is called with a mind's id when its words must leave memory."""

    async def forget_events(plan: ErasurePlan) -> None:
        request = plan.request
        turn_ids = None if request.is_whole else tuple(turn.turn_id for turn in plan.turns)
        if webhooks is not None and turn_ids is None:
            await webhooks.erase_mind(request.mind_id)
        elif webhooks is not None and turn_ids is not None:
            await webhooks.erase_turns(request.mind_id, turn_ids, session_id=request.session_id)
        elif shared.several is None:  # a database takes them out itself
            forget_now = partial(forget_left, turn_ids=turn_ids, session_id=request.session_id)
            await anyio.to_thread.run_sync(forget_now, settings.folder, request.mind_id)

    context = ErasureContext(
        minds=shared.minds,
        background=shared.background,
        clock=shared.clock,
        indexing_lane=ingest.indexing,
        saving_lane=ingest.saving,
        story_writer=story.writer,
        graph_of=shared.graphs.erasable,
        adopt_graph=GraphAdoption(shared.graphs.archivable).complete,
        forget_in_memory=forget,
        forget_events=forget_events,
        dream_again=sleep.sleeper.begin_owed,
        audit_log=audit_log,
        publish=shared.events.publish,
    )
    turn_eraser = TurnEraser(context)
    return ErasureService(
        context,
        pending=PendingErasures(settings.folder, share=shared.share),
        mind_eraser=MindEraser(
            context, erased_minds=ErasedMinds(settings.folder), session_folder=story.sync.folders.outside
        ),
        turn_eraser=turn_eraser,
        receipts=ReceiptLog(settings.folder),
        previewer=ErasurePreviewer(context, turn_eraser=turn_eraser),
        ingestion=ingest.ingestion,
        scheduler=story.scheduler,
        backoff=backoff_of(settings),
    )
