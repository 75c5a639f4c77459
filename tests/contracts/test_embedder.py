"""Every promise of `service/ports/embedder.py`, on each embedder: hashing, MiniLM, multilingual E5, and litellm on a scripted server."""

import numpy as np
import pytest

from consolidation.kernel.errors import EmbedderMismatch
from service.adapters.hashing_embedder import HashingEmbedder
from service.adapters.litellm.embedder import LitellmEmbedder
from service.adapters.litellm.loader import close_litellm
from service.adapters.minilm import MiniLM, find_weights
from service.adapters.multilingual_e5.embedder import MultilingualE5, missing_package
from service.ports.embedder import EmbedderIdentity, check_embedder
from tests.support.nasty_texts import NASTY
from tests.twins.provider import ScriptedProvider

# litellm silences these two itself, at its import (its __init__.py, first lines); pytest lifts that.
LITELLM_NOISE = (
    "ignore:Item '.+' on TypedDict class '.+' is using the `ReadOnly` qualifier:UserWarning",
    "ignore:Accessing the 'model_.+' attribute on the instance is deprecated:DeprecationWarning",
)
pytestmark = [pytest.mark.anyio, *(pytest.mark.filterwarnings(noise) for noise in LITELLM_NOISE)]

TEXTS = ("Ada met Bruno in Lyon.", "The fence is green.", "", "👍")
STORABLE = [text for text in NASTY if not any("\ud800" <= letter <= "\udfff" for letter in text)]


@pytest.fixture(scope="module", params=["hashing", "minilm", "multilingual_e5", "litellm"])
async def embedder(request, anyio_backend):
    if request.param == "hashing":
        yield HashingEmbedder()
    elif request.param == "minilm":
        assert find_weights() is not None, "the tests run with the weights"
        yield MiniLM()
    elif request.param == "multilingual_e5":
        assert missing_package() is None, "the tests run with the weights"
        yield MultilingualE5()
    else:
        with ScriptedProvider(dimension=16) as provider:
            hosted = LitellmEmbedder("openai/vectors", api_base=provider.url, api_key="k", timeout_seconds=60)
            await hosted.probe()
            yield hosted
        await close_litellm()


async def test_vectors_are_unit_rows_of_float32_one_for_each_text_in_order(embedder):
    rows = await embedder.embed(TEXTS)

    assert (rows.shape, rows.dtype) == ((len(TEXTS), embedder.dimension), np.float32)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-4)
    assert await embedder.embed(TEXTS[::-1]) == pytest.approx(rows[::-1], abs=1e-4)


async def test_a_text_has_one_vector_whatever_is_embedded_beside_it(embedder):
    texts = [f"message {n} " + "about the garden and the dog " * (n % 23) for n in range(60)]

    together = await embedder.embed(texts)

    for text, row in zip(texts[::7], together[::7], strict=True):
        assert (await embedder.embed((text,)))[0] == pytest.approx(row, abs=1e-4)


async def test_a_query_has_a_unit_vector_of_its_own_only_where_the_embedder_says_so(embedder):
    rows, queries = await embedder.embed(TEXTS), await embedder.embed_queries(TEXTS)

    assert (queries.shape, queries.dtype) == (rows.shape, rows.dtype)
    assert np.linalg.norm(queries, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-4)
    assert np.allclose(queries, rows, atol=1e-4) != embedder.tells_queries_apart


async def test_no_texts_have_no_vectors(embedder):
    assert (await embedder.embed(())).shape == (0, embedder.dimension)


async def test_every_text_that_can_be_stored_has_a_vector_without_a_hole(embedder):
    rows = await embedder.embed(STORABLE)

    assert len(rows) == len(STORABLE)
    assert np.isfinite(rows).all()
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(STORABLE)), abs=1e-3)


async def test_a_graph_made_with_this_embedder_is_refused_to_every_other(embedder):
    ours = EmbedderIdentity(embedder.name, embedder.dimension)

    check_embedder(ours, configured=ours)
    for other in (EmbedderIdentity("another", embedder.dimension), EmbedderIdentity(embedder.name, 7)):
        with pytest.raises(EmbedderMismatch, match="mind-memory reindex"):
            check_embedder(ours, configured=other)
