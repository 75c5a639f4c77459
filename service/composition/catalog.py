"""Builds what shows people what a mind holds, in pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.catalog.graph import GraphCatalog
from service.catalog.news import NewsCatalog
from service.catalog.turns import TurnCatalog

if TYPE_CHECKING:
    from service.composition.story import Story


@dataclass(frozen=True, slots=True)
class Catalog:
    """The lists that need more than the mind itself."""

    turns: TurnCatalog
    graph: GraphCatalog
    news: NewsCatalog


def build_catalog(story: Story) -> Catalog:
    """Each over the story's reader, where it needs one."""
    return Catalog(TurnCatalog(story.reader), GraphCatalog(), NewsCatalog(story.reader))
