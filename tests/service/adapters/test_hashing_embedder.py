"""The last resort answers like any embedder, and knows words only."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.adapters.hashing_embedder import HashingEmbedder, _embed

pytestmark = pytest.mark.anyio


async def test_texts_that_share_words_are_near() -> None:
    source, near, far = await HashingEmbedder().embed(
        ("my dogs love the garden", "the dog is in my garden", "quarterly revenue forecast")
    )

    assert source @ near > 0.6
    assert abs(source @ far) < 0.2


async def test_stop_words_case_and_accents_do_not_matter() -> None:
    plain, decorated = await HashingEmbedder().embed(("jose garden", "José's in the GARDEN"))

    assert plain == pytest.approx(decorated)


async def test_vectors_stay_the_same_from_one_process_to_the_next() -> None:
    (row,) = await HashingEmbedder().embed(("garden",))

    assert (int(np.abs(row).argmax()), row.dtype, row.shape) == (165, np.float32, (384,))


@settings(deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=())), max_size=4))
def test_any_text_is_a_unit_vector_whatever_stands_beside_it(texts: list[str]) -> None:
    rows = _embed(texts)

    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    for text, row in zip(texts, rows, strict=True):
        assert np.array_equal(_embed((text,))[0], row)
