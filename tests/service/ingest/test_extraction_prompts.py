"""Which kinds of entities a reader of a turn takes over from a model."""

import pytest

from consolidation.kernel.ports import Reply
from consolidation.kernel.turns import Message, Speaker
from prompts.responses import Entity, Extraction
from service.ingest.extraction_prompts import EntityKind, TurnReader

pytestmark = pytest.mark.anyio

KINDS = (EntityKind("Person"), EntityKind("Place"))


class Model:
    """Says that Ines is of a kind."""

    is_hosted = True

    def __init__(self, kind):
        self.kind = kind

    async def answer(self, ask):
        return Reply(Extraction(entities=(Entity(name="Inês", kind=self.kind),)))


@pytest.mark.parametrize(
    ("said", "kinds", "kept"),
    [
        ("Person", KINDS, "Person"),
        (" PERSON", KINDS, "Person"),
        ("Robot", KINDS, ""),
        ("", KINDS, ""),
        ("Person", (), ""),
    ],
)
async def test_a_kind_that_was_not_asked_for_is_none(said, kinds, kept):
    reader = TurnReader(Model(said), overrides=None, kinds=kinds)

    await reader.read(said=[Message(Speaker.USER, "Ines.")], previous=(), occurred_at="2026-01-09T18:30:00Z")

    assert (reader.kind_of("ines"), reader.kind_of("Bob")) == (kept, "")
