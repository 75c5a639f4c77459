"""The hosted embedder: real litellm against a scripted provider over real HTTP."""

from __future__ import annotations


import numpy as np
import pytest

from consolidation.kernel.errors import EmbedderUnavailable
from service.adapters.litellm.embedder import LitellmEmbedder
from service.adapters.litellm.loader import close_litellm
from tests.twins.provider import Body, Closes, Drips, Fails, Hangs, ScriptedProvider, hashed_vector

# litellm silences these two itself, at its import (its __init__.py, first lines); pytest lifts that.
LITELLM_NOISE = (
    "ignore:Item '.+' on TypedDict class '.+' is using the `ReadOnly` qualifier:UserWarning",
    "ignore:Accessing the 'model_.+' attribute on the instance is deprecated:DeprecationWarning",
)
pytestmark = [pytest.mark.anyio, *(pytest.mark.filterwarnings(noise) for noise in LITELLM_NOISE)]

KEY = "sk-test-Secret123456"


@pytest.fixture(autouse=True)
async def _closed(anyio_backend):
    yield
    await close_litellm()


def embedder_at(url, *, seconds=20.0, dimension=None, batch=64):
    return LitellmEmbedder(
        "openai/vectors", api_base=url, api_key=KEY, timeout_seconds=seconds, dimension=dimension, batch=batch
    )


async def test_vectors_are_rows_of_float32_in_the_order_of_the_texts():
    with ScriptedProvider(dimension=16) as provider:
        vectors = await embedder_at(provider.url).embed(("one", "two", "one"))

    assert (vectors.shape, vectors.dtype) == ((3, 16), np.float32)
    assert np.allclose(vectors[1], hashed_vector("two", dimension=16), atol=1e-6)
    assert np.array_equal(vectors[0], vectors[2])


async def test_vectors_that_no_server_numbered_are_in_the_order_of_the_texts():
    rows = [{"embedding": [1.0, 0.0]}, {"embedding": [0.0, 1.0]}]
    with ScriptedProvider(vectors=[Body({"object": "list", "model": "m", "data": rows})]) as provider:
        vectors = await embedder_at(provider.url).embed(("one", "two"))

    assert np.allclose(vectors, [[1.0, 0.0], [0.0, 1.0]])


async def test_vectors_have_unit_length_whatever_the_provider_sends():
    with ScriptedProvider(vectors=[[[3.0, 4.0], [0.0, -0.5]]]) as provider:
        vectors = await embedder_at(provider.url).embed(("one", "two"))

    assert np.allclose(vectors, [[0.6, 0.8], [0.0, -1.0]])


async def test_many_texts_go_in_batches_and_come_back_in_order():
    texts = [f"text {i}" for i in range(130)]

    with ScriptedProvider(dimension=8) as provider:
        vectors = await embedder_at(provider.url).embed(texts)

    assert [len(asked.body["input"]) for asked in provider.embeddings] == [64, 64, 2]
    assert np.allclose(vectors[129], hashed_vector("text 129", dimension=8), atol=1e-6)


async def test_vectors_told_out_of_order_are_put_in_order():
    rows = [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]
    shuffled = Body({"object": "list", "data": [{"object": "embedding", **row} for row in rows], "model": "vectors"})

    with ScriptedProvider(vectors=[shuffled]) as provider:
        vectors = await embedder_at(provider.url).embed(("one", "two"))

    assert np.array_equal(vectors, [[1, 0], [0, 1]])


async def test_no_texts_ask_nobody():
    with ScriptedProvider() as provider:
        vectors = await embedder_at(provider.url, dimension=16).embed(())

    assert vectors.shape == (0, 16)
    assert provider.asked == []


async def test_a_blank_text_is_not_sent_empty():
    with ScriptedProvider() as provider:
        await embedder_at(provider.url).embed(("", "\n"))

    assert provider.asked[0].body["input"] == [" ", " "]


async def test_the_dimension_is_unknown_until_it_was_probed():
    with ScriptedProvider(dimension=24) as provider:
        embedder = embedder_at(provider.url)
        with pytest.raises(EmbedderUnavailable, match="probe"):
            _ = embedder.dimension
        assert await embedder.probe() == 24

    assert (embedder.dimension, embedder.name) == (24, "litellm:openai/vectors")


async def test_another_dimension_than_before_or_than_configured_is_refused():
    with ScriptedProvider(vectors=[[[1.0, 0.0]], [[1.0, 0.0, 0.0]]]) as provider:
        embedder = embedder_at(provider.url)
        await embedder.embed(("one",))
        with pytest.raises(EmbedderUnavailable, match="dimension 3, not 2"):
            await embedder.embed(("one",))

    with ScriptedProvider(dimension=8) as provider:
        with pytest.raises(EmbedderUnavailable, match="dimension 8, not 16"):
            await embedder_at(provider.url, dimension=16).probe()


@pytest.mark.parametrize(
    "rows",
    [
        [[1.0, 0.0]],
        [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
        [[1.0, 0.0], [0.0, 0.0]],
        [[1.0, 0.0], [float("nan"), 1.0]],
        [[1.0, 0.0], [float("inf"), 1.0]],
        [[1.0, 0.0], [1.0, 0.0, 0.0]],
        [[], []],
        [["a", "b"], ["c", "d"]],
        [None, None],
    ],
    ids=["too few", "too many", "zero", "nan", "infinite", "ragged", "empty", "words", "null"],
)
async def test_vectors_that_can_not_be_used_are_refused_and_teach_nothing(rows):
    with ScriptedProvider(vectors=[rows]) as provider:
        embedder = embedder_at(provider.url)
        with pytest.raises(EmbedderUnavailable) as refused:
            await embedder.embed(("one", "two"))
        assert len(provider.embeddings) == 1, refused.value  # it was asked, so it is its answer that was refused
        assert (await embedder.embed(("one", "two"))).shape == (2, 32)


@pytest.mark.parametrize(
    "answer",
    [Fails(401, f"bad key {KEY}"), Fails(404), Fails(429), Fails(500), Closes(), Body({}), Body([]), Body(b"<html>")],
)
async def test_a_provider_that_fails_is_asked_once_and_named_without_the_key(answer):
    with ScriptedProvider(vectors=[answer]) as provider:
        with pytest.raises(EmbedderUnavailable) as caught:
            await embedder_at(provider.url).embed(("one",))

    assert "openai/vectors" in str(caught.value)
    assert "Secret" not in str(caught.value)
    assert len(provider.asked) == 1


TROUBLE = {
    "its words alone": (Fails(403, "You may not use this model."), "denied access: You may not use this model."),
    "a page": (Body(b"<html>"), "failed: its answer can not be read: see its address (api_base)"),
    "an error that says it is none": (
        Body({"error": {"message": "overloaded"}}),
        "failed: its answer can not be read: see its address (api_base)",
    ),
}


@pytest.mark.parametrize("how", TROUBLE)
async def test_a_provider_that_fails_is_quoted_in_words_for_people(how):
    answer, words = TROUBLE[how]
    with ScriptedProvider(vectors=[answer]) as provider:
        with pytest.raises(EmbedderUnavailable) as caught:
            await embedder_at(provider.url).embed(("one",))

    assert str(caught.value) == f"openai/vectors {words}"


async def test_an_address_without_the_path_of_the_api_is_told_with_what_is_missing():
    with ScriptedProvider() as provider:
        with pytest.raises(EmbedderUnavailable, match=r"not found at this address: .*should end with /v1$"):
            await embedder_at(provider.url.removesuffix("/v1")).embed(("one",))


@pytest.mark.parametrize("slow", [Hangs(), Drips()])
async def test_no_batch_may_take_longer_than_the_time_limit(slow):
    with ScriptedProvider(vectors=[[[1.0, 0.0]], slow]) as provider:
        embedder = embedder_at(provider.url, seconds=0.5, batch=1)
        with pytest.raises(EmbedderUnavailable):  # an answer that goes on for ever would never raise
            await embedder.embed(("one", "two"))


async def test_the_time_limit_is_of_one_batch_however_many_there_are():
    with ScriptedProvider(dimension=8) as provider:
        usual = provider.next_vectors
        provider.next_vectors = lambda asked: (provider.wait(0.4), usual(asked))[1]
        embedder = embedder_at(provider.url, seconds=2, batch=1)
        await embedder.embed(("one",))
        vectors = await embedder.embed([f"text {number}" for number in range(6)])

    assert vectors.shape == (6, 8)


async def test_batches_that_take_too_long_become_smaller_until_they_are_answered_and_larger_again_later():
    def vectors(asked):
        return Hangs() if len(asked.body["input"]) > most else usual(asked)

    texts, most = [f"text {number}" for number in range(16)], 4
    with ScriptedProvider(dimension=8) as provider:
        usual, provider.next_vectors = provider.next_vectors, vectors
        embedder = embedder_at(provider.url, seconds=2, batch=16)
        await embedder.embed(("one",))
        for _ in range(2):
            with pytest.raises(EmbedderUnavailable, match="did not answer within 2 s"):
                await embedder.embed(texts)
        assert (await embedder.embed(texts)).shape == (16, 8)
        slow = [len(asked.body["input"]) for asked in provider.embeddings]
        most = 16
        for _ in range(14):
            await embedder.embed(texts)

    assert slow == [1, 16, 8, 4, 4, 4, 4]
    assert len(provider.embeddings[-1].body["input"]) == 8


async def test_a_provider_that_wishes_to_be_left_alone_says_for_how_long():
    with ScriptedProvider(vectors=[Fails(429, headers={"Retry-After": "7"}), Fails(429)]) as provider:
        for seconds in (7.0, 0.0):
            with pytest.raises(EmbedderUnavailable) as refused:
                await embedder_at(provider.url).embed(("a",))
            assert refused.value.retry_after == seconds
