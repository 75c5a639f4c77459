"""What the index shows is shown by people's notes: whoever searches for remains finds it there."""

from consolidation.workspace import Workspace
from service.erasure.verify import files_with


def test_words_in_the_index_count_as_those_of_the_note(tmp_path):
    mind = Workspace(tmp_path)
    for file in (mind.journal_index, mind.text_index, tmp_path / "memory/code.md"):
        file.parent.mkdir(exist_ok=True)
        file.write_text("The code word is Quaggafeather.")

    ours, people = files_with(["Quaggafeather"], workspace=mind)

    assert (ours, people) == (("derived/text.sqlite3",), ("memory/code.md",))
