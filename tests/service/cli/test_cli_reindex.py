"""`mind-memory reindex`: another embedder is refused until everything is embedded anew."""

from tests.support.cli_process import call
from tests.support.exports import jsonl
from tests.twins.provider import ScriptedProvider


def test_another_embedder_is_refused_until_everything_is_embedded_anew(tmp_path):
    home = tmp_path / "home"
    call("import", jsonl(tmp_path / "own.jsonl"), "--home", home, "--mind", "ada")
    with ScriptedProvider() as provider:
        other = {
            "MIND_MEMORY_EMBEDDER__MODEL": "openai/scripted-embedding",
            "MIND_MEMORY_EMBEDDER__API_BASE": provider.url,
            "MIND_MEMORY_EMBEDDER__API_KEY": "k",
            "MIND_MEMORY_EMBEDDER__TIMEOUT_SECONDS": "60",
        }
        refused = call("remember", "violin", "--mind", "ada", "--home", home, **other)
        assert refused.exit_code == 1
        assert "mind-memory reindex" in refused.output

        done = call("reindex", "--home", home, **other)

        assert done.exit_code == 0, done.output
        assert "embedded anew with litellm:openai/scripted-embedding" in done.stdout
        found = call("remember", "violin", "--mind", "ada", "--home", home, **other)
        assert found.exit_code == 0, found.output
        assert "nothing to do" in call("reindex", "--home", home, **other).stdout


def test_without_a_graph_its_address_is_named_and_why_it_does_not_answer(tmp_path):
    """Broken: two minutes of silence, then an empty line."""
    done = call("reindex", "--home", tmp_path, FALKORDB_URL="redis://me:hushhush@127.0.0.1:1")

    assert done.exit_code == 1
    assert "the graph at redis://127.0.0.1:1 does not answer: " in done.stderr
    assert "hushhush" not in done.output


def test_a_mistyped_home_is_not_made(tmp_path):
    done = call("reindex", "--home", tmp_path / "hmoe")

    assert done.exit_code == 1
    assert f"there is no home at {tmp_path / 'hmoe'}: check --home" in done.stderr
    assert not (tmp_path / "hmoe").exists()
