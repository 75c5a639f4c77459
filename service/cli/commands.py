"""Every command with its options: the table of contents of the command line. What they do is imported when called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.cli.faults import plainly
from service.cli.options import DEFAULT_MIND, GOES_ON, Home, MindName, Url


def serve(
    host: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Where to listen (127.0.0.1).")] = None,
    port: Annotated[int | None, typer.Option(metavar="NUMBER", help="The port (8001); 0 takes a free one.")] = None,
    home: Home = None,
) -> None:
    """Run the service: two HTTP calls a turn, an embedded graph."""
    with plainly():
        from service.cli.serving import serve as run

        run(host=host, port=port, home=home)


def chat(
    mind: MindName = DEFAULT_MIND,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Go on with this session; else a new one.")] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="A litellm model, like openai/gpt-4o-mini; else an echo bot.")
    ] = None,
    home: Home = None,
    url: Url = None,
) -> None:
    """Talk to a bot that remembers; see what surfaces each turn."""
    with plainly():
        from service.cli.chatting import chat as run

        run(mind=mind, session=session, model=model, home=home, url=url)


def bring_in(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH", help="An archive; JSONL of our own, ChatGPT's export, LoCoMo's JSON."),
    ],
    mind: Annotated[
        str | None, typer.Option(metavar="ID", help="Whose memory; an archive's own id, or global-user-memory.")
    ] = None,
    only: Annotated[
        str | None, typer.Option(metavar="SAMPLE", help="One conversation of the export, by its id.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be imported.")] = False,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Do not wait until everything has been read.")] = False,
    reembed: Annotated[
        bool, typer.Option("--reembed", help="Make an archive's vectors anew, with the embedder configured here.")
    ] = False,
    home: Home = None,
    url: Url = None,
) -> None:
    """Import conversations, or the archive of a mind; adding conversations again adds nothing twice."""
    with plainly(interrupted=GOES_ON):
        from service.cli.restoring import is_archive

        if any(map(is_archive, paths)):
            from service.cli.restoring import Wanted, restore

            wanted = Wanted(tuple(paths), mind, only=only, is_dry=dry_run, waits=not no_wait, reembeds=reembed)
            restore(wanted, home=home, url=url)
            return
        from service.cli.importing import bring_in as run

        run(tuple(paths), mind=mind or DEFAULT_MIND, only=only, dry_run=dry_run, waits=not no_wait, home=home, url=url)


def remember(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to recall, in any words.")],
    mind: MindName = DEFAULT_MIND,
    kind: Annotated[list[str] | None, typer.Option(metavar="KIND", help="fact, entity or episode; repeatable.")] = None,
    since: Annotated[str | None, typer.Option(metavar="DAY", help="From this day or time on, like 2026-01-09.")] = None,
    until: Annotated[str | None, typer.Option(metavar="DAY", help="Up to this day or time.")] = None,
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=100, help="How many.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="The API's answer as it is.")] = False,
    home: Home = None,
    url: Url = None,
) -> None:
    """Recall on purpose: facts, entities and moments, with sources."""
    with plainly():
        from service.cli.remembering import Question
        from service.cli.remembering import remember as run

        question = Question(query, tuple(kind or ()), since, until, limit)
        run(question, mind=mind, as_json=as_json, home=home, url=url)


def status(
    mind: Annotated[str | None, typer.Option(metavar="ID", help="One mind; all of them when left out.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on looking, a line a mind, until Ctrl-C.")] = False,
    every: Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="How often, with --watch.")] = 2.0,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON; with --watch, one object a line.")] = False,
    home: Home = None,
    url: Url = None,
) -> None:
    """Show what each mind holds, and how far it has been read; with --watch, as it goes on."""
    with plainly():
        from service.cli.standing import look, status

        if watch:
            look(mind=mind, seconds=every, as_json=as_json, home=home, url=url)
        else:
            status(mind=mind, as_json=as_json, home=home, url=url)


def retry(mind: MindName = DEFAULT_MIND, home: Home = None, url: Url = None) -> None:
    """Give parked turns to the model once more."""
    with plainly():
        from service.cli.standing import retry as run

        run(mind=mind, home=home, url=url)


def erase(
    mind: Annotated[str | None, typer.Option("--mind", metavar="ID", help="Whose memory; must be said.")] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Only this session.")] = None,
    turn: Annotated[str | None, typer.Option(metavar="ID", help="Only this turn.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    home: Home = None,
    url: Url = None,
) -> None:
    """Erase a mind, a session or a turn everywhere, for good."""
    with plainly():
        from service.cli.erasing import erase as run

        run(mind=mind, session=session, turn=turn, is_sure=yes, home=home, url=url)


def doctor(
    call_models: Annotated[
        bool, typer.Option("--call-models", help="Ask each model one tiny question, which may cost a little.")
    ] = False,
    home: Home = None,
) -> None:
    """Examine what is configured, what answers, what to mend."""
    with plainly():
        from service.cli.doctor import examine

        examine(calls_models=call_models, home=home)


def reindex(home: Home = None) -> None:
    """Embed everything anew, after the embedder was changed."""
    with plainly():
        from service.cli.reindexing import reindex as run

        run(home=home)
