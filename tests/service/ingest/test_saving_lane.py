"""The saving lane where another process works on the mind: it makes the vectors of what that one has saved, each time."""

from dataclasses import replace

import pytest

from service.ingest.indexing_lane import IndexingLane
from service.ingest.lane_telemetry import LaneTelemetry
from service.ingest.saving_lane import SavingLane
from service.observability.counters import Tally
from service.ports.graph import Progress
from service.ports.shared_home import SoleCustody
from service.ports.spans import NoopSpans
from tests.support.read_path import EMBEDDER, mind_in

pytestmark = pytest.mark.anyio


class Elsewhere(SoleCustody):
    """Of a process that shares the home with another one, which has every mind."""

    is_shared = True

    def holds(self, _mind_id):
        return False


class Followed:
    """A graph that another process writes: how far it said that it is, and from which turn on it has more than we."""

    def __init__(self, looks):
        self._looks = iter(looks)
        self._first = self._missing_until = 0
        self.kept, self.noted = [], []

    async def progress(self):
        saved, self._first = next(self._looks)
        return Progress(saved=saved, extracted=0)

    async def follow(self, *, embedder):
        return self._first

    async def note_missing(self, until):
        self.noted += [until] if until != self._missing_until else []
        self._missing_until = until

    async def missing_until(self):
        return self._missing_until

    async def keep_vectors(self, episodes, *, own, leaning):
        self.kept.append([one.sequence for one in episodes])


def lane():
    telemetry = LaneTelemetry(tally=Tally(), spans=NoopSpans(), monotonic=lambda: 0.0)
    words = {"indexing": IndexingLane(telemetry=telemetry), "adopt_graph": None, "telemetry": telemetry}
    return SavingLane(embedder=EMBEDDER, custody=Elsewhere(), **words)


@pytest.mark.parametrize(
    ("looks", "kept"),
    [
        ([(1, 2), (2, 0)], [[2]]),  # the other process saved a turn between two looks at the graph
        ([(9, 9), (2, 2), (2, 0)], [[2]]),  # it was further than the transcript here
        ([(2, 2), (2, 2), (3, 2)], [[2], [2, 3]]),  # what can not be embedded is not tried again and again
        ([(3, 3), (3, 0), (3, 1)], [[3], [1, 2, 3]]),  # it began anew
    ],
)
async def test_what_another_process_saved_is_embedded_whenever_it_did_so(tmp_path, looks, kept):
    """Broken: a look that came too early, or too late, counts as one that embedded the turn, which is never tried again."""
    async with mind_in(tmp_path, "The harbour was full.", "Dr Weber is my dentist.", "I like tea.") as mind:
        followed, graph = lane(), Followed(looks)
        for _ in looks:
            await followed.step(replace(mind, graph=graph))

    assert graph.kept == kept


async def test_news_count_as_followed_once_full_text_has_them_and_the_lane_has_looked(tmp_path):
    async with mind_in(tmp_path, "The harbour was full.") as mind:
        mind.health.news = 1
        await lane().step(replace(mind, graph=Followed([(1, 0)])))

    assert mind.health.followed == 1


@pytest.mark.parametrize(
    ("looks", "noted"),
    [
        ([(32, 1), (32, 0), (40, 33)], [40, 0]),  # the other process embeds all anew, and is not done at the first look
        ([(40, 1), (40, 33)], [40, 0]),
        ([(40, 1), (40, 1)], [40, 0]),  # what can not be embedded does not keep all others from being found
        ([(40, 39)], []),  # a few new turns
    ],
)
async def test_no_turn_is_found_by_vectors_that_were_made_here_until_each_has_some(tmp_path, looks, noted):
    said = [f"On day {day} it rained." for day in range(40)]
    async with mind_in(tmp_path, *said) as mind:
        followed, graph = lane(), Followed(looks)
        for _ in looks:
            await followed.step(replace(mind, graph=graph))

    assert graph.noted == noted
