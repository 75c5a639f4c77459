"""Stories of a dozen made-up turns, told through the real service: that they are told and measured, not how well."""

import json

import pytest
from rich.console import Console
from rich.progress import Progress

from tests.benchmarks.lives import read_life
from tests.benchmarks.report import show
from tests.benchmarks.run import Bench, measured
from tests.benchmarks.story import OWN_LIFE, StoryNotTold, StoryTeller, Talk, stories, talk_of_life
from tests.benchmarks.story_figures import Asked
from tests.benchmarks.test_benchmarks import file  # noqa: F401 - a fixture

pytestmark = pytest.mark.anyio

_SAID = (
    ("2026-03-03", "My name is Ada and I adopted a greyhound called Pixel from the shelter yesterday.", "Is he shy?"),
    ("2026-03-03", "He is scared of the stairs, so I carry him up every evening.", "That is a lot of dog to carry."),
    ("2026-03-03", "My sister Ines laughs about it.", "She does not have to carry him."),
    ("2026-04-21", "I signed up for a pottery class in the old brewery.", "What are you making first?"),
    ("2026-04-21", "A teapot, although everyone says to begin with a bowl.", "You never begin with the bowl."),
    ("2026-04-21", "Pixel ate the first one. Ines laughed again.", "It can not have been worse than the stairs."),
    ("2026-06-02", "We drove to Ghent yesterday and I ate the best waffle of my life.", "Was Pixel with you?"),
    ("2026-06-02", "He slept on the back seat, and Ines sang all the way.", "Poor Pixel."),
    ("2026-06-02", "I brought one back for you in spirit.", "I will remember this betrayal."),
    ("2026-07-14", "My teapot won second prize at the brewery!", "Well done, Ada."),
    ("2026-07-14", "The first prize went to a bowl.", "Of course it did."),
    ("2026-07-14", "Pixel walked up the stairs by himself tonight.", "Then it was a day of prizes."),
)
_ASKED = (
    Asked("single-hop", ("Pixel",)),
    Asked("temporal", ("1 June 2026",)),
    Asked("single-hop", ("a purple submarine",)),
)
_TOLD = {
    "append": [
        {
            "at": "2026-03-03 09:00",
            "title": "A greyhound on the stairs",
            "text": "Ada told me of Pixel, a greyhound whom she had adopted from the shelter on Monday 2 March. He was "
            "scared of the stairs and had to be carried up every evening. Her sister Ines laughed.",
        },
        {
            "at": "2026-06-02 09:00",
            "title": "Waffles in Ghent",
            "text": "They had driven to Ghent on Monday 1 June, Pixel asleep on the back seat and Ines singing. It was "
            "the best waffle of Ada's life, and none came back for me.",
        },
    ],
    "revise": [],
}


@pytest.fixture
def talk():
    def message(role, content, day, minute):
        return {"role": role, "content": content, "timestamp": f"{day}T09:{minute:02}:00+00:00"}

    turns = tuple(
        {
            "session_id": day,
            "turn_id": f"t{number}",
            "messages": [message("user", said, day, number), message("assistant", answered, day, number)],
        }
        for number, (day, said, answered) in enumerate(_SAID)
    )
    return Talk("ada", turns, _ASKED)


def _answers(tmp_path, *answers):
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(answers))
    return StoryTeller(answers=path)


async def test_the_quoting_narrator_is_measured_on_a_small_conversation(file, tmp_path):  # noqa: F811
    from tests.benchmarks.locomo import read

    with Progress(disable=True) as progress:
        results = await measured(Bench(read(file), tmp_path / "bench", ("story",), True, progress))

    story = results["story"]["talk-1"]
    assert (story["chapters"], story["calls"], story["refused"]) == (3, 0, [])
    assert story["words"] > 20
    assert story["names"]["share"] is None
    show(results, Console(quiet=True))


async def test_recorded_answers_tell_the_story_and_are_measured(talk, tmp_path):
    found = await stories(tmp_path, [talk], teller=_answers(tmp_path, json.dumps(_TOLD)), advanced=lambda: None)

    story = found["ada"]
    assert (story["chapters"], story["calls"], story["refused"]) == (2, 1, [])
    assert (story["answerable"]["questions"], story["answerable"]["whole"]) == (3, 0.667)
    assert story["dates"] == {"dates": 2, "with weekday": 2, "weekday fits": 2, "right": 1.0}
    assert story["names"] == {"names": 2, "share": 1.0, "left out": []}
    assert story["openings"]["with their date"] == 0
    assert story["prompt tokens"] > story["completion tokens"] > 50


async def test_a_request_without_a_recorded_answer_is_named_with_what_was_refused(talk, tmp_path):
    invented = {"append": [_TOLD["append"][0] | {"text": "Then Bartholomew came, and I knew Bartholomew."}]}

    with pytest.raises(StoryNotTold, match=r"request 2 of the story has no answer.*Bartholomew"):
        await stories(tmp_path, [talk], teller=_answers(tmp_path, invented), advanced=lambda: None)


@pytest.mark.parametrize("content", ["{}", "no JSON"])
async def test_a_file_that_holds_no_answers_is_refused(talk, tmp_path, content):
    path = tmp_path / "answers.json"
    path.write_text(content)

    with pytest.raises(StoryNotTold, match="answers"):
        await stories(tmp_path, [talk], teller=StoryTeller(answers=path), advanced=lambda: None)


@pytest.mark.parametrize(
    ("teller", "talks"),
    [
        ({"answers": "a", "model": "m"}, 1),
        ({"record": "a"}, 1),
        ({"answers": "a"}, 2),
        ({"model": "m", "record": "a"}, 2),
    ],
)
async def test_settings_that_exclude_each_other_are_refused(talk, tmp_path, teller, talks):
    with pytest.raises(StoryNotTold, match="--"):
        await stories(tmp_path, [talk] * talks, teller=StoryTeller(**teller), advanced=lambda: None)


async def test_the_recorded_story_of_the_made_up_life_passes_the_checks_of_today(tmp_path):
    answers = OWN_LIFE.parent.parent / "story_answers" / "own-en.json"
    life = talk_of_life(read_life(OWN_LIFE))

    found = await stories(tmp_path, [life], teller=StoryTeller(answers=answers), advanced=lambda: None)

    story = found["own-en"]
    assert (story["chapters"], story["refused"]) == (30, [])
    assert story["dates"]["right"] == 1.0
    assert story["openings"]["with their date"] == 0
    assert story["answerable"]["whole"] > 0.8
