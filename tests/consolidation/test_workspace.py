"""What people write about a bot: a file that holds nothing but our comment says nothing."""

from consolidation.workspace import Workspace


def test_a_persona_of_which_only_the_template_is_there_is_empty(tmp_path):
    workspace = Workspace(tmp_path / "minds" / "ada")
    workspace.create()

    assert workspace.soul.exists() and workspace.purpose.exists()
    assert (workspace.soul_text, workspace.purpose_text) == ("", "")


def test_what_a_person_wrote_is_read_without_comments(tmp_path):
    workspace = Workspace(tmp_path / "minds" / "ada")
    workspace.create()
    workspace.soul.write_text("<!-- mine -->\nI am dry and kind.\n<!-- more\nto come -->\n")

    assert workspace.soul_text == "I am dry and kind."


def test_what_a_person_deleted_of_the_template_stays_deleted_and_a_mind_half_made_is_completed(tmp_path):
    """Broken: it is copied again whenever the mind is opened."""
    workspace, half = Workspace(tmp_path / "minds" / "ada"), Workspace(tmp_path / "minds" / "bo")
    workspace.create()
    workspace.soul.unlink()
    workspace.create()
    half.create()
    half.purpose.unlink()
    half.transcript.rmdir()  # it is made last
    half.create()

    assert not workspace.soul.exists()
    assert half.purpose.exists()


def test_the_mark_that_an_editor_puts_before_a_file_is_not_read_and_a_cut_counts_without_it(tmp_path):
    workspace = Workspace(tmp_path / "minds" / "ada")
    workspace.create()
    workspace.story.write_text("\ufeffMine.\n")

    assert workspace.read(workspace.story, most_characters=4) == "Mine"
    assert workspace.story.read_text() == "\ufeffMine.\n"
