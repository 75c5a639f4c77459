"""
Whatever is said becomes a memory as data: no text closes the block, a prompt's frame or the story, or runs anywhere.

Every text of `tests/support/injection_texts.py` is said to the whole service and made to surface; a model that surfaces everything in
its own words stands for the worst one. That a model believes what it reads is beyond this: the block says who said it.
"""

import re

import pytest

from consolidation.story.anchor import read_marks
from consolidation.story.chapters import parse
from consolidation.text.injected_blocks import BLOCK_HEADER, BLOCK_RULE
from prompts.library import FRAMES
from tests.support.embedded_graph import column
from tests.support.injection_texts import ALL
from tests.support.scripted_models import Brain, hosted, prompts, provider_of
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

MIND, NOW = "ada", "2026-01-12T09:00:00Z"
TURN_MARKS = re.compile(
    r"<\s*[|｜]|</?\s*(?:system|user|assistant|developer|tool_\w+|function|parameter|invoke|arg_\w+|start_\w+|sop)\b"
    r"|</?\w+_(?:calls?|results?)\b|<\w+\|>|\[/?(?:INST|SYSTEM|TOOL_\w+|AVAILABLE_TOOLS|gMASK)\]|<<SYS|```tool",
    re.IGNORECASE,
)
UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e01ef]"
)
LAST_FRAMES = {"extraction": "turn", "seeds": "message", "narration": "candidates"}
MOST = 20  # flashbacks: which three of all surface first is not what is asked here
_FRAME = re.compile(rf"^<({'|'.join(FRAMES)})( number=\"\d+\")?>\n(.*?)\n?^</\1>$", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("injections") / "home"


@pytest.fixture(scope="module")
def model():
    with provider_of(Brain(extraction={"entities": [], "facts": []}, story_first=chapter, story_next=chapter)) as found:
        yield found


@pytest.fixture(scope="module")
async def service(anyio_backend, home, model):
    """A mind to which each text was said once, by somebody whose name stands nowhere else."""
    settings = hosted(home, model, "extraction", "subconscious", "narrative", story={"threshold_tokens": 0})
    async with running(home, settings=settings) as found:
        for at, text in enumerate(ALL):
            said = {"role": "user", "content": f"{name(at)} wrote this: {text}", "timestamp": "2026-01-09T18:30:00Z"}
            kept = await found.keep(MIND, said, session_id="s0", turn_id=f"turn-{at}")
            assert kept.status_code == 202, kept.text
        await found.digested(MIND)
        yield found


@pytest.fixture(scope="module")
async def asked(anyio_backend, service):
    """What surfaced when three at a time were asked for by name, by a message that says them once more."""
    answers = {}
    for first in range(0, len(ALL), 3):
        three = range(first, min(first + 3, len(ALL)))
        words = f"What did {' and '.join(map(name, three))} write? {' '.join(ALL[at] for at in three)}"
        message = {"role": "user", "content": words, "timestamp": NOW}
        answer = await service.resonate(
            MIND, [message], session_id=f"s{first + 1}", now=NOW, relevance=0, max_fragments=MOST, max_tokens=5_000
        )
        assert answer.status_code == 200, answer.text
        answers |= dict.fromkeys(three, answer.json())
    return answers


def name(at):
    """A name that stands in one turn alone."""
    return "Zor" + "".join("bcdfghklmn"[int(digit)] + "a" for digit in str(at))


def chapter(prompt):
    """A chapter of a batch, that repeats nothing of it."""
    at = re.search(r"^\[\w+ (\d{4}-\d\d-\d\d \d\d:\d\d)\]$", prompt, re.MULTILINE)[1]
    return {"append": [{"at": at, "title": "A long day", "text": "I listened to what was written."}], "revise": []}


def skeleton(prompt):
    """A prompt without what stands in its frames, and the languages and times that differ."""
    return re.sub(r"code `\w+`", "code ``", _FRAME.sub(r"<\1></\1>", prompt)), [
        found[0] for found in _FRAME.findall(prompt)
    ]


async def test_every_block_keeps_its_shape(asked):
    for answer in asked.values():
        lines = answer["block"].split("\n")

        assert lines[:2] == [BLOCK_RULE, BLOCK_HEADER] and lines[-1] == BLOCK_RULE
        assert 1 <= len(lines[2:-1]) == len(answer["flashbacks"]) <= MOST
        for line in lines[2:-1]:
            assert re.match(r"- [^,、，،]{2,40}(?:, |、|，|، )", line)
            assert not re.search(r"---|\[(?:SUBCONSCIOUS|MY|END OF MY) ", line, re.IGNORECASE)
        assert len(answer["block"].splitlines()) == len(lines)
        assert not TURN_MARKS.search(answer["block"]) and not UNSEEN.search(answer["block"])


async def test_each_surfaces_as_something_said_with_its_source(asked):
    for at, answer in asked.items():
        found = [
            one for one in answer["flashbacks"] if f"turn-{at}" in [source["turn_id"] for source in one["sources"]]
        ]

        assert found, ALL[at]
        assert any(f"{name(at)} wrote this:" in source["excerpt"] for one in found for source in one["sources"])
        assert all(source["session_id"] == "s0" for one in found for source in one["sources"])


async def test_the_messages_hold_one_block_in_a_place_of_its_own(asked):
    for answer in asked.values():
        blocks = [
            one for one in answer["messages"] if BLOCK_HEADER in one["content"] and one["content"] == answer["block"]
        ]

        assert [one["role"] for one in blocks] == ["system"]
        assert answer["messages"][-1]["role"] == "user"


async def test_the_trace_explains_each(service, asked):
    for answer in asked.values():
        trace = (await service.http.get(f"/v1/minds/{MIND}/traces/{answer['trace_id']}")).json()

        candidates = {one["id"] for one in trace["phases"]["retrieval"]["candidates"]}
        assert {one["id"] for one in answer["flashbacks"]} <= candidates
        assert trace["block"] == answer["block"]


@pytest.mark.parametrize("kind", ["extraction", "seeds", "narration"])
async def test_no_text_leaves_its_frame_in_a_prompt(asked, model, kind):
    found = [skeleton(prompt) for prompt in prompts(model, kind)]

    assert len(found) >= len(ALL) / 3
    assert {names[-1] for _, names in found} == {LAST_FRAMES[kind]}
    assert len({text for text, names in found if "before" not in names}) == 1
    assert len({text for text, names in found if "before" in names}) <= 1


async def test_no_text_takes_a_turn_or_a_tool_in_a_prompt(asked, model):
    """Broken: a prompt to the service's own model held `<|im_end|>` as it was said, and letters that only models read."""
    for one in model.chats:
        assert not TURN_MARKS.search(one.words) and not UNSEEN.search(one.words)


async def test_a_candidate_is_one_line_with_one_number(asked, model):
    for prompt in prompts(model, "narration"):
        lines = _FRAME.findall(prompt)[-1][2].splitlines()

        assert [line.partition(". [")[0] for line in lines] == [str(number) for number in range(1, len(lines) + 1)]


async def test_templates_and_statements_in_what_is_said_stay_words(service, asked, model):
    everything = "\n".join(one.words for one in model.chats)

    assert "{{ 7*7 }}" in everything and "{# a comment" in everything
    assert await column(service, MIND, "MATCH (e:Episodic) RETURN count(e)") == [len(ALL)]
    assert (await service.status(MIND))["turns"] == len(ALL)
    assert (await service.status(MIND))["graph"]["parked"] == []
    assert [one["mind_id"] for one in (await service.http.get("/v1/minds")).json()["minds"]] == [MIND]


async def test_a_narrator_is_shown_them_inside_its_frame_and_the_story_goes_on_from_the_last(
    service, asked, model, home
):
    run = (await service.http.post(f"/v1/minds/{MIND}/consolidation", json={"wait": True})).json()
    asks = prompts(model, "story_first") + prompts(model, "story_next")
    story = (home / "minds" / MIND / "STORY.md").read_text()

    assert run["last_run"]["error"] is None and run["pending_turns"] == 0
    for prompt in asks:
        text, names = skeleton(prompt)
        assert names[-1] == "happened" and names.count("happened") == 1
        assert read_marks(prompt).anchors == 0 and "<!-- CURSOR" not in prompt
        assert "Zor" not in text
    assert read_marks(story).sequence == len(ALL) and read_marks(story).anchors == 1


async def test_a_story_that_only_quotes_them_keeps_its_chapters_and_its_marks(tmp_path):
    async with running(tmp_path, settings=settings_of(tmp_path, story={"threshold_tokens": 0})) as service:
        for at in range(0, len(ALL), 4):
            said = [{"role": "user", "content": text, "timestamp": "2026-01-09T18:30:00Z"} for text in ALL[at : at + 4]]
            assert (await service.keep(MIND, *said)).status_code == 202
        run = (
            await service.http.post(f"/v1/minds/{MIND}/consolidation", json={"trigger": "manual", "wait": True})
        ).json()
        stable = (await service.resonate(MIND, "Where?", now=NOW)).json()["stable"]["text"]
        top = (await service.status(MIND))["last_sequence"]
    story = (tmp_path / "minds" / MIND / "STORY.md").read_text()

    assert run["last_run"]["error"] is None and run["pending_turns"] == 0
    assert read_marks(story).sequence == top and read_marks(story).anchors == 1
    assert story.count("LAST_PROCESSED") == story.count("CURSOR") == 1
    chapters = parse(story).chapters
    assert chapters and {one.first[:10] for one in chapters} == {"2026-01-09"}
    assert stable.count("[MY STORY]") == stable.count("[END OF MY STORY]") == 1
    assert not TURN_MARKS.search(stable)
