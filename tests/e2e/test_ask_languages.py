"""Who said what is told in the language of the answer, in every line and all of its evidence."""

import pytest

from service.retrieval.lead_words import LEADS
from tests.e2e.test_ask import MIND, asked, read, saying
from tests.support.service import running

pytestmark = pytest.mark.anyio

AT = "2026-01-09T18:30:00Z"
BREAD = ("Wo bekomme ich in Weimar gutes Brot?", "Die Bäckerei Sonnenkorn am Frauenplan hat gutes Brot.")
SISTER = ("Meine Schwester Heike hat Zöliakie.", "Oh.")
CHECKUP = ("Dr. Quandt sagt, ich habe keine Zöliakie, aber eine Allergie gegen Nüsse.", "Gut zu wissen.")


def turn(words, answer):
    said = {"user": words, "assistant": answer}
    return [{"role": role, "content": content, "timestamp": AT} for role, content in said.items()]


def foreign_leads(texts, language):
    """The words for who said it, in *texts*, that are not those of *language*."""
    codes = (words for code, words in LEADS.items() if code != language)
    others = {words[kind] for words in codes for kind in KINDS}
    own = set(LEADS[language].values())
    return [text for text in texts if any(lead in text for lead in others - own)]


KINDS = ("told", "asked", "said")


@pytest.mark.parametrize("question", ["Sonnenkorn?", "Wer hat Zöliakie festgestellt?", "Who has Zöliakie? And Quandt?"])
@pytest.mark.parametrize("language", ["de", "es", "en"])
async def test_every_memory_says_in_the_language_of_the_answer_who_said_it(tmp_path, question, language):
    async with running(tmp_path) as service:
        for one in (BREAD, SISTER, CHECKUP):
            await service.keep(MIND, *turn(*one))
        await read(service)
        posted = {"question": question, "language": language}
        found = (await service.http.post(f"/v1/minds/{MIND}/ask", json=posted)).json()

    texts = [one["text"] for one in found["evidence"]]
    excerpts = [source["excerpt"] for one in found["evidence"] for source in one["sources"]]
    assert texts and foreign_leads((*texts, *excerpts), language) == []
    assert any(LEADS[language][kind] in text for text in texts for kind in KINDS)


async def test_a_question_of_one_word_is_answered_in_the_language_of_the_mind(tmp_path):
    async with running(tmp_path) as service:
        for one in (BREAD, SISTER, CHECKUP):
            await service.keep(MIND, *turn(*one))
        await read(service)
        answer = (await service.http.post(f"/v1/minds/{MIND}/ask", json={"question": "Sonnenkorn?"})).json()
        found = (await service.http.get(f"/v1/minds/{MIND}/remember", params={"query": "Sonnenkorn?"})).json()

    texts = [one["text"] for one in (*answer["evidence"], *found["memories"]) if one["kind"] == "episode"]
    assert texts and foreign_leads(texts, "de") == []


async def test_a_line_in_the_words_of_its_evidence_says_in_the_asked_language_who_said_them(tmp_path):
    said = saying(("Die Bäckerei Sonnenkorn hat gutes Brot.", "Sonnenkorn"))

    found, _ = await asked(tmp_path, said, turn(*BREAD), question="Sonnenkorn?", language="de")

    assert [one["text"] for one in found["answer"]] == [f"gefragt wurde: {BREAD[0]} / ich sagte: {BREAD[1]}"]
