"""Services that share a home have one embedder: one that is started with another is refused, until everything is embedded anew."""

import pytest

from consolidation.kernel.errors import EmbedderMismatch
from service.composition.container import open_memory
from service.settings.settings import Settings
from tests.support.cli_process import run
from tests.support.service_process import serving
from tests.support.waiting import until

ANOTHER = "minilm"


def is_saved(service):
    return service.http.get("/v1/minds/ada").raise_for_status().json()["graph"]["saved"] == 1


@pytest.mark.anyio
async def test_a_service_with_another_embedder_is_refused_at_its_start(env, tmp_path, monkeypatch):
    """Broken: it starts, claims minds, and begins new ones that no other service can search."""
    with serving(tmp_path / "one", **env) as one:
        one.keep("ada", "The harbour was full of boats.")
        until(lambda: is_saved(one))
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(EmbedderMismatch, match="reindex"):
            async with open_memory(Settings(home=tmp_path / "two", embedder={"model": ANOTHER})):
                pass

    anew = {**env, "MIND_MEMORY_EMBEDDER__MODEL": ANOTHER}
    told = until(
        lambda: not (done := run("reindex", MIND_MEMORY_HOME=str(tmp_path / "three"), **anew)).returncode and done
    )
    assert "embedded anew" in told.stdout
    with serving(tmp_path / "four", **anew) as four:
        until(lambda: is_saved(four))
