"""A mind's folder: where each file is, and how a new folder is made from the template."""

from __future__ import annotations

import hashlib
import io
import os
import re
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from consolidation.kernel.errors import InvalidMindId, MindNotFound
from consolidation.kernel.files import replace_text
from consolidation.kernel.links import LinkRefused, open_regular, real_place

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import PurePath

TEMPLATE = Path(__file__).parent.parent / "workspace_template"
MIND_ID = "[a-z0-9][a-z0-9_-]{0,62}"
LONGEST_MIND_NAME = 200  # characters of the name that a caller may give a mind
_MOST_PERSONA = 8_000  # characters of SOUL.md and PURPOSE.md that are read
_COMMENT = re.compile(r"<!--[^>]{0,400}-->")
SESSIONS, SLEEP_STATE, REBUILDING = "sessions", "sleep.json", ".rebuilding"  # names that are looked for in every mind
_UNREADABLE = "\ufffd"  # stands for bytes that are not text: two such names would look the same
_LOGS = ("outcomes.jsonl", "calls-by-day.jsonl", "corrections.jsonl")
_OWN_WRITINGS = ("observations.md", "diary.md", "rules.md", "priorities.md", "briefing.md")
_SLEEP = ("dreams.jsonl", SLEEP_STATE, ".dream.json", "evaluation.jsonl")
_WRITINGS_HISTORY = tuple(f"{name.removesuffix('.md')}-history" for name in _OWN_WRITINGS)
_FOLDERS = ("memory", "prompts", "transcript", "story-history", "derived", *_WRITINGS_HISTORY)
_NEVER_LINKS = ("MEMORY.md", "settings.toml", *_FOLDERS, *_LOGS, *_SLEEP, *_OWN_WRITINGS)
_OF_ONE_MACHINE = ("derived", "transcript", SESSIONS, "graph.checkpoint", "pending-episodes.log")
_TEMPORARY = (".lock", ".new", ".late", ".base", ".copy")
_SHARED_HIDDEN = (".dream.json", ".example.json", ".arriving", REBUILDING)
TEXT_INDEX = "derived/text.sqlite3"
DEFAULT_MIND = "global-user-memory"  # where nobody says which
_INVALID = f"a mind is called by printable text of 1 to {LONGEST_MIND_NAME} characters"


@dataclass(frozen=True, slots=True)
class Workspace:
    """The files of one mind; nothing is created until ``create``."""

    folder: Path
    linked_folders: tuple[Path, ...] = ()  # into which STORY.md and SOUL.md may be links

    @property
    def transcript(self) -> Path:
        """The append-only log's folder."""
        return self.folder / "transcript"

    @property
    def torn(self) -> Path:
        """Copies of the damaged lines of the transcript and of the corrections."""
        return self.transcript / "torn"

    @property
    def story(self) -> Path:
        """The autobiography."""
        return self.folder / "STORY.md"

    @property
    def history(self) -> Path:
        """The story's earlier versions, for undo, and what we last published."""
        return self.folder / "story-history"

    @property
    def published(self) -> Path:
        """What we last published of the story: a backup of its cursor."""
        return self.history / "published.json"

    @property
    def pending(self) -> Path:
        """Readable text of the turns that are not narrated yet; derived."""
        return self.folder / "pending-episodes.log"

    @property
    def sessions(self) -> Path:
        """Session files of a chatbot, to be imported."""
        return self.folder / SESSIONS

    @property
    def soul(self) -> Path:
        """Persona and tone, written by a person."""
        return self.folder / "SOUL.md"

    @property
    def purpose(self) -> Path:
        """What an autonomous agent is for, written by a person."""
        return self.folder / "PURPOSE.md"

    @property
    def purpose_text(self) -> str:
        """What a person wrote into PURPOSE.md, without comments; "" where there is nothing. Reads a file."""
        return self._without_comments(self.purpose)

    @property
    def soul_text(self) -> str:
        """What a person wrote into SOUL.md, in the same way."""
        return self._without_comments(self.soul)

    def _without_comments(self, file: Path) -> str:
        return _COMMENT.sub("", self.read(file, most_characters=_MOST_PERSONA)).strip()

    @property
    def prompts(self) -> Path:
        """A person's overrides of our templates."""
        return self.folder / "prompts"

    @property
    def settings(self) -> Path:
        """What is set for this mind alone, by a person."""
        return self.folder / "settings.toml"

    @property
    def outcomes(self) -> Path:
        """One line per outcome: what became of a memory that was shown."""
        return self.folder / "outcomes.jsonl"

    @property
    def corrections(self) -> Path:
        """One line per decision of a person about a memory."""
        return self.folder / "corrections.jsonl"

    @property
    def dreams(self) -> Path:
        """One line per dream; the last one says how far was dreamt."""
        return self.folder / "dreams.jsonl"

    @property
    def dreaming(self) -> Path:
        """A dream whose steps are being written, so that a kill does not leave half of them."""
        return self.folder / ".dream.json"

    @property
    def sleep_state(self) -> Path:
        """Whether an agent sleeps, until when, and which dream is owed."""
        return self.folder / SLEEP_STATE

    @property
    def evaluation(self) -> Path:
        """One line per deep sleep: figures, and what a person might change."""
        return self.folder / "evaluation.jsonl"

    def writing(self, name: str) -> Path:
        """One of the agent's own writings: observations, priorities, diary, rules, briefing."""
        return self.folder / f"{name}.md"

    def writing_history(self, name: str) -> Path:
        """The earlier versions of one of the agent's own writings."""
        return self.folder / f"{name}-history"

    @property
    def arriving(self) -> Path:
        """Names the graph that an imported mind has not yet taken over; deleted once it has."""
        return self.folder / ".arriving"

    @property
    def graph_checkpoint(self) -> Path:
        """The mind's graph, while nobody uses the mind and the graph is not in its server's memory."""
        return self.folder / "graph.checkpoint"

    @property
    def rebuilding(self) -> Path:
        """Exists while graph and full text are being dropped, so that a kill does not leave one of them."""
        return self.folder / REBUILDING

    @property
    def example(self) -> Path:
        """Says that the mind is the example life, and how far that is loaded. Its turns are read without a model."""
        return self.folder / ".example.json"

    @property
    def is_example(self) -> bool:
        """Whether the mind is the example life that we ship. Looks at the disk."""
        return self.example.exists()

    @property
    def text_index(self) -> Path:
        """The full-text projection; may be deleted at any time the service is down."""
        return self.folder / TEXT_INDEX

    @property
    def vectors(self) -> Path:
        """The vectors of turns, facts and names; may be deleted at any time the service is down."""
        return self.folder / "derived" / "vectors"

    @property
    def journal_index(self) -> Path:
        """The index of MEMORY.md and memory/; may be deleted at any time the service is down."""
        return self.folder / "derived" / "journal.sqlite3"

    @property
    def outcome_index(self) -> Path:
        """The projection of the outcomes; may be deleted at any time the service is down."""
        return self.folder / "derived" / "outcomes.sqlite3"

    @property
    def trace_index(self) -> Path:
        """The index of the traces; may be deleted at any time the service is down."""
        return self.folder / "derived" / "traces.sqlite3"

    @property
    def story_sources(self) -> Path:
        """Which turns carry the story's sentences; may be deleted at any time."""
        return self.folder / "derived" / "story-sources.json"

    @property
    def themes(self) -> Path:
        """Which entities belong together; may be deleted at any time."""
        return self.folder / "derived" / "themes.json"

    @property
    def exists(self) -> bool:
        """Whether this mind has ever stored a turn. One whose folder can not be looked into counts as one that has."""
        try:
            return self.transcript.is_dir()
        except PermissionError:
            return True

    def create(self, *, is_new: bool = True) -> None:
        """
        Copy the template once, to a mind that *is_new*, and never over a file that is there already.

        A mind that has a transcript is not new: what a person deletes of it stays deleted.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        is_new = is_new and not self.transcript.exists()
        for source in sorted(TEMPLATE.rglob("*.md")) if is_new else ():
            target = self.folder / source.relative_to(TEMPLATE)
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                replace_text(target, source.read_text(encoding="utf-8"))  # whole or not at all: it is not made again
        self.transcript.mkdir(exist_ok=True, mode=0o700)

    def read(self, file: Path, *, most_characters: int) -> str:
        """
        A person's file as text, cut; empty when it is not there, can not be read, or is a link we do not follow.

        The byte order mark that editors on Windows put at its beginning stays in the file, and is not read.
        """
        try:
            with io.TextIOWrapper(open_regular(self.locate(file)), encoding="utf-8-sig", errors="replace") as text:
                return text.read(most_characters)
        except OSError:
            return ""

    def locate(self, file: Path) -> Path:
        """Where a person's file really is. Raises LinkRefused."""
        return real_place(file, linked_folders=self.linked_folders)

    def check_folders(self) -> None:
        """Raise LinkRefused if a link is in the place of a folder of ours."""
        for folder in (self.transcript, self.torn, self.history, self.text_index.parent):
            if folder.is_symlink():
                raise LinkRefused(folder, f"{folder.relative_to(self.folder)} is a link")

    def can_read(self, file: Path) -> bool:
        """Whether a person's file can be read, if it is there: not where it is a link that we do not follow."""
        try:
            open_regular(self.locate(file)).close()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def refused_links(self) -> tuple[LinkRefused, ...]:
        """Every link in the place of a file or folder of the mind that is not followed."""
        found = []
        for file in (self.story, self.soul):
            try:
                self.locate(file)
            except LinkRefused as refused:
                found.append(refused)
        never = [*(self.folder / name for name in _NEVER_LINKS), *self.folder.glob("subconscious*.jsonl*")]
        return (*found, *(LinkRefused(file, "it is a link") for file in never if file.is_symlink()))


def mind_id_of(name: str, *, pointer: str = "path/mind_id") -> str:
    """
    The id of the mind that a caller calls *name*, which may be its user's id. Every door asks here.

    A name that is an id is the id. From any other printable one of 1 to 200 characters, the same id is derived each
    time. Raises InvalidMindId with *pointer*.
    """
    if re.fullmatch(MIND_ID, name):
        return name
    if not name.strip() or not name.isprintable() or len(name) > LONGEST_MIND_NAME or _UNREADABLE in name:
        raise InvalidMindId(_INVALID, pointer=pointer)
    return f"user-{hashlib.blake2b(name.encode(), digest_size=12).hexdigest()}"


def checked_mind_id(mind_id: str) -> str:
    """Return *mind_id* if it is one, and no name from which one is derived. Raises InvalidMindId."""
    if re.fullmatch(MIND_ID, mind_id) is None:
        raise InvalidMindId(_INVALID, pointer="path/mind_id")
    return mind_id


def no_such_mind(mind_id: str) -> MindNotFound:
    """The error for a mind that does not exist."""
    return MindNotFound(f"no mind is called {mind_id!r}; its first turn creates it")


def mind_of_others(mind_id: str) -> MindNotFound:
    """The error for a mind that the caller's key is not for, whether it exists or not: the same words."""
    return MindNotFound(f"this key is not for a mind called {mind_id!r}")


def workspace_of(home: Path, mind_id: str, *, linked_folders: tuple[Path, ...] = ()) -> Workspace:
    """The folder of a mind under *home*. Raises InvalidMindId."""
    return Workspace(home / "minds" / checked_mind_id(mind_id), linked_folders)


def minds_under(home: Path) -> Generator[str]:
    """The ids of the minds under *home*, in no order. Reads its folders as it goes."""
    with suppress(FileNotFoundError), os.scandir(home / "minds") as found:
        for mind in found:
            if re.fullmatch(MIND_ID, mind.name) and Workspace(Path(mind.path)).exists:
                yield mind.name


def has_minds(home: Path) -> bool:
    """Whether there is any mind under *home*; not all of them are looked at."""
    with closing(minds_under(home)) as found:
        return next(found, None) is not None


def is_of_one_machine(path: PurePath) -> bool:
    """
    Whether a file of a mind, by its path relative to the mind's folder, is made by each machine that has a copy.

    Those are indexes, locks, and what a write leaves beside a file for a moment. Turns are shared by another way.
    """
    is_temporary = path.suffix in _TEMPORARY or path.name.endswith("~")
    is_hidden = path.name.startswith(".") and path.name not in _SHARED_HIDDEN
    return path.parts[0] in _OF_ONE_MACHINE or is_temporary or is_hidden
