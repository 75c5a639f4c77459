"""
The benchmarks: ``make bench LOCOMO=path``. See README.md for what each figure means and what it does not.

Recall, ablation and silence need a LoCoMo file; made-up lives, stories, what outcomes teach, the cost of a turn, and
what size costs, need nothing. Nothing leaves this machine, but for what a model of ``--story-model`` is asked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import Progress

from service.adapters.minilm import limit_threads
from service.observability.logging import configure_logs
from tests.benchmarks.baselines import baselines
from tests.benchmarks.cost import cost
from tests.benchmarks.crowds import CALLERS, crowds
from tests.benchmarks.figures import summary
from tests.benchmarks.learning import learning
from tests.benchmarks.lists import lists
from tests.benchmarks.lives import FOLDER, by_kind, chat, graded, live, points, read_life, sought, spoken
from tests.benchmarks.locomo import read
from tests.benchmarks.many_minds import many_minds
from tests.benchmarks.noted_facts import NotedFacts
from tests.benchmarks.pairs import leading, read_pairs
from tests.benchmarks.small_minds import asked_of_small_minds, read_told
from tests.benchmarks.perfect_judge import PerfectJudge
from tests.benchmarks.proxy import proxy
from tests.benchmarks.recall import ABLATIONS, ablated, recall
from tests.benchmarks.report import show
from tests.benchmarks.scale import Work, scale
from tests.benchmarks.served import digested, import_all, serving
from tests.benchmarks.silence import silence
from tests.benchmarks.sizes import SIZES, measured_sizes
from tests.benchmarks.slow_model import LATENCIES, slow_model
from tests.benchmarks.story import OWN_LIFE, StoryNotTold, StoryTeller, stories, talk_of_life, talk_of_locomo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.benchmarks.figures import Score
    from tests.benchmarks.locomo import Conversation

PARTS = (
    "lives",
    "pairs",
    "small_minds",
    "story",
    "learning",
    "recall",
    "ablation",
    "silence",
    "cost",
    "proxy",
    "slow model",
    "crowds",
    "size",
    "writes",
    "lists",
    "many minds",
    "scale",
)
_OF_LOCOMO = frozenset({"recall", "ablation", "silence"})
_QUICK_QUESTIONS, _QUICK_TURNS = 20, 12
_TURNS, _STRANGE, _CALLS, _QUICK_CALLS = 60, 200, 200, 5
_SCALE = ((1, 1_000), (2, 1_000), (4, 1_000), (8, 1_000), (2, 100_000), (2, 1_000_000))  # services, minds
_QUICK_SCALE = ((2, 1_000),)
_SESSIONS = 10  # with a slow model, ten turns each
_RUNS = {
    "the service, gate off, limit 10": (10, 0),
    "the service, gate off, limit 5": (5, 0),
    "the service, gate as shipped, limit 10": (10, None),
    "the service, gate as shipped, limit 5": (5, None),
}


@dataclass(frozen=True, slots=True)
class Bench:
    """What is measured, over which conversations, in which home."""

    conversations: tuple[Conversation, ...]
    home: Path
    parts: tuple[str, ...]
    is_quick: bool
    progress: Progress
    sizes: tuple[str, ...] = ()
    minds: int = 10_000
    lives: tuple[Path, ...] = ()
    teller: StoryTeller = field(default_factory=StoryTeller)


def main() -> None:
    """Read the command line, measure, write the JSON, show the tables."""
    asked = _arguments()
    configure_logs(level="ERROR", as_json=False)
    limit_threads()
    console = Console()
    parts = tuple(part for part in PARTS if part in (asked.only or PARTS) and (asked.locomo or part not in _OF_LOCOMO))
    if asked.locomo is None and len(parts) < len(asked.only or PARTS):
        console.print("No LOCOMO=path was given: recall, ablation and silence are not measured.")
    sizes = tuple(SIZES)[:1] if asked.quick and asked.sizes is None else tuple(asked.sizes or SIZES)
    conversations = _conversations(asked) if asked.locomo else ()
    with _home(asked.home) as home, Progress(console=console, transient=True) as progress:
        lives = tuple(asked.lives or ())
        bench = Bench(conversations, home, parts, asked.quick, progress, sizes, asked.minds, lives, _teller(asked))
        try:
            results = asyncio.run(measured(bench))
        except StoryNotTold as error:
            raise SystemExit(f"The story was not told: {error}") from error
    show(results, console)
    file = _written(results, asked.out)
    console.print(f"Everything, as JSON: {file}")


async def measured(bench: Bench) -> dict[str, Any]:
    """The results of every part, in order."""
    results: dict[str, Any] = {"measured_at": datetime.now(UTC).isoformat(), "quick": bench.is_quick}
    results["conversations"] = {one.name: [len(one.turns), len(one.questions)] for one in bench.conversations}
    if _OF_LOCOMO & set(bench.parts):
        results |= await _remembering(bench)
    if "ablation" in bench.parts:
        results["ablation"] = await _ablation(bench)
    if "lives" in bench.parts:
        results["lives"] = await _lives(bench)
    if "pairs" in bench.parts:
        results["pairs"] = await _pairs(bench)
    if "small_minds" in bench.parts:
        results["small_minds"] = await _small_minds(bench)
    if "story" in bench.parts:
        results["story"] = await _stories(bench)
    if "learning" in bench.parts:
        turns, times = (60, 2) if bench.is_quick else (500, 100)
        with tempfile.TemporaryDirectory() as fresh, _counting(bench, "lives with outcomes", 2 * turns) as advanced:
            results["learning"] = await learning(Path(fresh), turns=turns, times=times, advanced=advanced)
    if "cost" in bench.parts:
        turns = _QUICK_TURNS if bench.is_quick else _TURNS
        with _counting(bench, "the cost of a turn", 2 * turns) as advanced:
            results["cost"] = await cost(bench.home / "cost", turns=turns, advanced=advanced)
    if "proxy" in bench.parts:
        calls = _QUICK_CALLS if bench.is_quick else _CALLS
        with _counting(bench, "the proxy", calls) as advanced:
            results["proxy"] = await proxy(bench.home / "proxy", calls=calls, advanced=advanced)
    if "slow model" in bench.parts:
        sessions = 1 if bench.is_quick else _SESSIONS
        with _counting(bench, "a slow model", len(LATENCIES) * 10 * sessions) as advanced:
            results["slow model"] = await slow_model(bench.home / "slow", sessions=sessions, advanced=advanced)
    if "crowds" in bench.parts:
        seconds, callers = (0.5, CALLERS[:2]) if bench.is_quick else (10, CALLERS)
        with _counting(bench, "crowds", len(callers)) as advanced:
            results["crowds"] = await crowds(
                bench.home / "crowds", OWN_LIFE, seconds=seconds, advanced=advanced, callers=callers
            )
    if {"size", "writes"} & set(bench.parts):
        task = bench.progress.add_task("size", total=None)
        results |= await measured_sizes(
            bench.home / "size",
            sizes={label: SIZES[label] for label in bench.sizes},
            parts=bench.parts,
            advanced=lambda what: bench.progress.update(task, description=what),
        )
        bench.progress.remove_task(task)
    if "lists" in bench.parts:
        task = bench.progress.add_task("lists", total=None)
        results["lists"] = await lists(
            bench.home / "lists",
            facts=max(SIZES[label] for label in bench.sizes),
            seconds=1 if bench.is_quick else 10,
            advanced=lambda what: bench.progress.update(task, description=f"lists: {what}"),
        )
        bench.progress.remove_task(task)
    if "many minds" in bench.parts:
        task = bench.progress.add_task("many minds", total=None)
        results["many minds"] = await many_minds(
            bench.home / "many",
            minds=20 if bench.is_quick else bench.minds,
            active=10 if bench.is_quick else 1000,
            idle_seconds=2 if bench.is_quick else 60,
            advanced=lambda what: bench.progress.update(task, description=f"many minds: {what}"),
        )
        bench.progress.remove_task(task)
    if "scale" in bench.parts:
        task = bench.progress.add_task("scale", total=None)
        results["scale"] = await asyncio.to_thread(
            scale,
            _QUICK_SCALE if bench.is_quick else _SCALE,
            work=Work(minds=2, turns=2, questions=2, idle_seconds=2) if bench.is_quick else Work(),
            advanced=lambda what: bench.progress.update(task, description=f"scale: {what}"),
        )
        bench.progress.remove_task(task)
    return results


async def _remembering(bench: Bench) -> dict[str, Any]:
    """Import, then recall and silence against the same running service."""
    results: dict[str, Any] = {}
    questions = sum(len(one.questions) for one in bench.conversations)
    async with serving(bench.home / "locomo") as service:
        for conversation in bench.conversations:
            await _imported(bench, service, conversation)
        if {"recall", "ablation"} & set(bench.parts):
            found: dict[str, list[Score]] = {}
            for conversation in bench.conversations:
                for name, scores in (await baselines(conversation, service.memory.embedder)).items():
                    found.setdefault(name, []).extend(scores)
            results["recall"] = {name: summary(scores) for name, scores in found.items()}
            for name, (limit, relevance) in _RUNS.items():
                with _counting(bench, name, questions) as advanced:
                    scores, shown = await recall(
                        service, bench.conversations, limit=limit, relevance=relevance, advanced=advanced
                    )
                results["recall"][name] = summary(scores) | {"shown a question": shown}
        if "silence" in bench.parts:
            strange = _QUICK_QUESTIONS if bench.is_quick else _STRANGE
            with _counting(bench, "silence", None) as advanced:
                results["silence"] = await silence(
                    service, bench.conversations, most_strange=strange, advanced=advanced
                )
    return results


async def _pairs(bench: Bench) -> dict[str, Any]:
    """What leads of two things that are much alike, in fresh minds."""
    pairs = read_pairs()[: 2 if bench.is_quick else None]
    with tempfile.TemporaryDirectory() as fresh, _counting(bench, "asking of pairs", len(pairs)) as advanced:
        async with serving(Path(fresh)) as service:
            return await leading(service, pairs, advanced=advanced)


async def _small_minds(bench: Bench) -> dict[str, Any]:
    """What comes up of what ten or twenty turns told, and of what they did not, in fresh minds."""
    told = read_told()[: 2 if bench.is_quick else None]
    minds = 3 * len({one.language for one in told})
    with tempfile.TemporaryDirectory() as fresh, _counting(bench, "asking of small minds", minds) as advanced:
        async with serving(Path(fresh)) as service:
            return dict(await asked_of_small_minds(service, told, advanced=advanced))


async def _lives(bench: Bench) -> dict[str, Any]:
    """
    Each life that is told and asked: points, by kind too, how often the answer was shown, and what ``remember`` finds.

    Then once more with a model that never errs: what it can not choose, no model can; and, where facts are noted, with
    those as a model's, and no model before a turn.
    """
    results: dict[str, Any] = {}
    home = bench.home / "lives"
    files = sorted(bench.lives or FOLDER.glob("*.json"))
    lives = [read_life(file) for file in (files[:1] if bench.is_quick else files)]
    async with serving(home) as service:
        for life in lives:
            await live(service, life)
            with _counting(bench, f"asking {life.mind_id}", len(life.queries)) as advanced:
                found = await graded(service, life, advanced=advanced)
            said, asked = spoken(found)
            talked = None
            if life.marks:
                with _counting(bench, f"talking as {life.mind_id}", len(life.turns)) as advanced:
                    talked = await chat(service, life, advanced=advanced)
            results[life.mind_id] = {
                "chat": talked,
                "remember": await sought(service, life),
                "points": points(found),
                "queries": len(found),
                "kinds": by_kind(found),
                "answer shown": [said, asked],
                "verdicts": {one.query.id: [one.verdict, one.reason] for one in found},
            }
    with PerfectJudge() as perfect:
        async with serving(home, settings=perfect.settings(home)) as service:
            for life in lives:
                with _counting(bench, f"asking {life.mind_id} with a model", len(life.queries)) as advanced:
                    found = await graded(service, life, perfect=perfect, advanced=advanced)
                results[life.mind_id]["kinds with a perfect model"] = by_kind(found)
    with NotedFacts() as noted:
        with_facts = [life for life in lives if noted.hear(life)]
        home = bench.home / "lives with facts"
        async with serving(home, settings=noted.settings(home)) as service:
            for life in with_facts:
                await live(service, life)
                with _counting(bench, f"asking {life.mind_id} with facts", len(life.queries)) as advanced:
                    found = await graded(service, life, advanced=advanced)
                results[life.mind_id]["kinds with facts"] = by_kind(found)
    return results


async def _stories(bench: Bench) -> dict[str, Any]:
    """The story of each conversation; without any, of the lives that were given, or of one that is here."""
    talks = [talk_of_locomo(one) for one in bench.conversations]
    talks = talks or [talk_of_life(read_life(file)) for file in bench.lives or (OWN_LIFE,)]
    with _counting(bench, "stories", len(talks)) as advanced:
        return await stories(bench.home / "story", talks, teller=bench.teller, advanced=advanced)


async def _imported(bench: Bench, service: Any, conversation: Conversation) -> None:
    await import_all(service, conversation)
    task = bench.progress.add_task(f"import and digest {conversation.name}", total=len(conversation.turns))

    def advanced(done: int, every: int) -> None:
        bench.progress.update(task, completed=done, total=every)

    if parked := await digested(service, conversation.mind_id, advanced=advanced):
        raise RuntimeError(f"{parked} turns of {conversation.name} could not be extracted")
    bench.progress.remove_task(task)


async def _ablation(bench: Bench) -> dict[str, Any]:
    questions = sum(len(one.questions) for one in bench.conversations)
    found = {}
    for name, switches in ABLATIONS.items():
        with _counting(bench, name, questions) as advanced:
            scores = await ablated(bench.home / "locomo", bench.conversations, switches=switches, advanced=advanced)
        found[name] = summary(scores)
    return found


@contextmanager
def _counting(bench: Bench, what: str, total: int | None) -> Iterator[Callable[[], None]]:
    task = bench.progress.add_task(what, total=total)
    yield lambda: bench.progress.advance(task)
    bench.progress.remove_task(task)


@contextmanager
def _home(chosen: Path | None) -> Iterator[Path]:
    if chosen is not None:
        yield chosen
        return
    with tempfile.TemporaryDirectory(prefix="mind-memory-bench-") as folder:
        yield Path(folder)


def _conversations(asked: argparse.Namespace) -> tuple[Conversation, ...]:
    found = read(asked.locomo, only=asked.conversation, most_questions=_QUICK_QUESTIONS if asked.quick else None)
    return found[:2] if asked.quick else found


def _teller(asked: argparse.Namespace) -> StoryTeller:
    return StoryTeller(asked.story_model, asked.story_api_base, asked.story_answers, asked.story_record)


def _written(results: dict[str, Any], folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{results['measured_at'][:19].replace(':', '')}.json"
    file.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return file


def _arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.run", description=__doc__)
    parser.add_argument("--locomo", type=Path, help="a LoCoMo file, which the project may not contain")
    parser.add_argument("--lives", type=Path, nargs="+", help="these lives, instead of those that are here")
    parser.add_argument("--out", type=Path, default=Path("bench-results"), help="the folder of the JSON")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="these parts alone")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, help="minds of this many facts alone")
    parser.add_argument("--minds", type=int, default=10_000, help="so many minds in one home")
    parser.add_argument("--conversation", help="one conversation's sample_id, alone")
    parser.add_argument("--story-model", help="tells the stories, by its litellm name; without it they are quoted")
    parser.add_argument("--story-api-base", help="the address of that model's provider, if it is not the usual one")
    parser.add_argument("--story-answers", type=Path, help="recorded answers that tell the story, in place of a model")
    parser.add_argument("--story-record", type=Path, help="write the answers of the story's model to this file")
    parser.add_argument("--quick", action="store_true", help="two conversations, a few questions and turns")
    parser.add_argument("--home", type=Path, help="keep the memories here, and use those that are there already")
    return parser.parse_args(given)


if __name__ == "__main__":
    main()
