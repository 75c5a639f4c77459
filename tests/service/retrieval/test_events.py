"""Questions about something that happens once and is meant as known."""

import pytest

from service.retrieval.events import asks_of_event


@pytest.mark.parametrize(
    "question",
    [
        "where is the wedding?", "wo ist die hochzeit?", "c'est où le mariage ?", "¿dónde es la boda?",
        "dov'è il matrimonio?", "onde é o casamento?", "waar is de bruiloft?", "gdzie jest wesele?",
        "где будет свадьба?", "婚礼在哪儿办？", "結婚式はどこ？", "أين العرس؟", "when's the interview", "wann ist die prüfung",
    ],
)  # fmt: skip
def test_the_one_event_is_asked_for(question):
    assert asks_of_event(question)


@pytest.mark.parametrize(
    "text",
    [
        "where can I find a wedding photographer who is cheap and good", "what is a wedding?", "the wedding was lovely",
        "how do i plan a party", "wo heiratet man am schönsten", "write a toast for the wedding",
    ],
)  # fmt: skip
def test_any_event_or_none_is_not(text):
    assert not asks_of_event(text)
