"""What a model told too late serves a later turn, where it is asked for the same words; what was put right, none."""

import asyncio

import pytest

from consolidation.kernel.ports import Reply, Usage
from prompts.responses import Narration
from service.resonance.late_answers import LateAnswers
from service.resonance.narration_model import NarrationModel, Telling
from service.retrieval.moment import Label, LabelledFragment, Shortlist
from service.runtime.background import Background
from service.runtime.foreground import Foreground
from tests.support.fragments import fragment_of
from tests.support.read_path import call_of, mind_in

pytestmark = pytest.mark.anyio

LYON = "they told me: My aunt Carla lives in Lyon. …"
CELLO = "they told me: … I started to learn the cello with my aunt Carla."
LINE = "I remember that your aunt Carla lives in Lyon."
LONG_AGO, LATELY = Label("last week", "Jan 20"), Label("a moment ago", "")


class TooSlow:
    """A hosted model that answers when the test says so."""

    is_hosted = True

    def __init__(self):
        self.given = asyncio.get_running_loop().create_future()

    async def answer(self, _ask):
        return Reply(await self.given, Usage(), "slow")


class Talk:
    """Calls of a mind whose model comes late, and what surfaces in them."""

    def __init__(self, mind, background):
        self.mind = mind
        self.model = TooSlow()
        self.late_answers = LateAnswers(background)
        self._background = background
        self._narration = NarrationModel(model=self.model, agent="Ada", late_answers=self.late_answers)

    async def asks(self, text):
        """A call that ends before the model has answered."""
        call = call_of(self.mind, "?")
        async with call.failing_open(Foreground()):
            self._narration.begin(call, shortlist_of(text))

    async def answers(self):
        self.model.given.set_result(Narration(surfaces=[1], lines=[{"number": 1, "text": LINE}]))
        await self._background.drain(self.mind.mind_id, seconds=10)

    async def told(self, text, label=LONG_AGO):
        """What surfaces in the next call, which the model is too slow for."""
        asked = shortlist_of(text, label)
        [flashback] = await self._narration.finish(call_of(self.mind, "?"), asked, Telling(asked))
        return flashback.text


def shortlist_of(text, label=LONG_AGO):
    return Shortlist((LabelledFragment(fragment_of("episode:1", text), label),), limit=5)


@pytest.fixture
async def talk(tmp_path):
    async with mind_in(tmp_path, "My aunt Carla lives in Lyon.") as mind, Background(drain_seconds=1) as background:
        yield Talk(mind, background)


async def test_a_late_line_is_told_for_the_words_that_it_tells_and_for_no_others(talk):
    await talk.asks(LYON)
    await talk.answers()

    assert await talk.told(LYON) == LINE
    assert await talk.told(CELLO) == CELLO
    assert await talk.told(LYON, LATELY) == LYON


async def test_what_a_model_still_told_when_a_person_put_something_right_is_told_to_nobody(talk):
    await talk.asks(LYON)
    talk.late_answers.forget("ada")
    await talk.answers()

    assert await talk.told(LYON) == LYON
