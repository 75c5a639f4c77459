"""Every promise of the index of threads, on each: files of one machine, and rows that several share."""

from contextlib import closing, contextmanager

import pytest

from consolidation.kernel.files import remove_tree
from consolidation.kernel.shared_files import sharing
from consolidation.workspace import workspace_of
from service.adapters.file_thread_index import FileThreadIndex
from service.adapters.postgres.database import Database
from service.adapters.postgres.thread_index import PostgresThreadIndex
from service.mind.mind_listing import MindListing
from tests.support.shared_machines import Machine


class OnFiles:
    """A home on this machine."""

    def __init__(self, home):
        self._home = home
        self._listing = MindListing(home, now_ns=lambda: 0)
        self.index = FileThreadIndex(ids=self._listing.ids, folder_of=lambda one: workspace_of(home, one).folder)

    def begin(self, mind_id):
        workspace_of(self._home, mind_id).create()

    def erase(self, mind_id):
        remove_tree(workspace_of(self._home, mind_id).folder)
        self._listing.forget(mind_id)


class InDatabase:
    """A home that several machines share."""

    def __init__(self, database, folder):
        self._machine = Machine(database, folder)
        self.index = PostgresThreadIndex(database)

    @contextmanager
    def shared(self):
        with sharing(self._machine.home, self._machine.shared):
            yield self

    def begin(self, mind_id):
        self._machine.keep("t1", mind_id=mind_id)

    def erase(self, mind_id):
        remove_tree(workspace_of(self._machine.home, mind_id).folder)
        self._machine.shared.end_erasure(mind_id)


@pytest.fixture(params=["files", "database"])
def home(request, tmp_path):
    if request.param == "files":
        yield OnFiles(tmp_path)
        return
    with closing(Database(request.getfixturevalue("database_url"))) as database:
        database.open()
        with InDatabase(database, tmp_path / "one").shared() as found:
            yield found


@pytest.fixture
def index(home):
    for mind_id in ("bob", "ada"):
        home.begin(mind_id)
    return home.index


def test_a_thread_that_was_never_noted_is_nowhere(index):
    assert list(index.minds_with("chat/1")) == []


def test_a_thread_is_found_by_its_whole_id(index):
    index.note("chat/1", mind_id="ada")

    assert list(index.minds_with("chat/1")) == ["ada"]
    assert list(index.minds_with("chat/")) == []


@pytest.mark.parametrize("thread_id", ["../../etc", "é\u202e\U0001f600", "a" * 200, "it's; --"])
def test_an_id_may_be_any_text(index, thread_id):
    index.note(thread_id, mind_id="ada")

    assert list(index.minds_with(thread_id)) == ["ada"]


def test_a_thread_may_be_in_several_minds(index):
    for mind_id in ("bob", "ada"):
        index.note("chat/1", mind_id=mind_id)

    assert list(index.minds_with("chat/1")) == ["ada", "bob"]


def test_a_thread_that_is_noted_twice_is_forgotten_once(index):
    for _ in range(2):
        index.note("chat/1", mind_id="ada")
    for _ in range(2):
        index.forget("chat/1", mind_id="ada")

    assert list(index.minds_with("chat/1")) == []


def test_a_thread_is_forgotten_in_one_mind_alone(index):
    for mind_id in ("ada", "bob"):
        index.note("chat/1", mind_id=mind_id)
        index.note("chat/2", mind_id=mind_id)
    index.forget("chat/1", mind_id="ada")

    assert list(index.minds_with("chat/1")) == ["bob"]
    assert list(index.minds_with("chat/2")) == ["ada", "bob"]


def test_nothing_is_noted_of_a_mind_that_does_not_exist(home, index):
    index.note("chat/1", mind_id="cy")
    home.begin("cy")

    assert list(index.minds_with("chat/1")) == []


def test_a_mind_that_is_erased_takes_its_threads_along(home, index):
    for mind_id in ("ada", "bob"):
        index.note("chat/1", mind_id=mind_id)
    home.erase("ada")
    assert list(index.minds_with("chat/1")) == ["bob"]

    index.note("chat/1", mind_id="ada")
    home.begin("ada")

    assert list(index.minds_with("chat/1")) == ["bob"]
