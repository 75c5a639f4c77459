"""How a story without a model introduces what it quotes, in every language it tells in; a native reader edits it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Speaker
from consolidation.text.quotation import quotable

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Leads:
    """
    What stands before the words of a person with and without a name, of the bot, of a thought, of what was read.

    ``more`` and ``more_nameless`` are for what a person told besides; ``marks`` open and close a quotation.
    """

    named: str
    nameless: str
    own: str
    noted: str
    read: str
    more: str
    more_nameless: str
    marks: tuple[str, str]

    def led(self, text: str, *, who: str, role: Speaker, is_more: bool) -> str:
        """*text*, quoted and introduced; with *is_more*, as what the same person told besides."""
        told = self.more if is_more else self.named
        anonymous = self.more_nameless if is_more else self.nameless
        by_role = {Speaker.ASSISTANT: self.own, Speaker.THOUGHT: self.noted, Speaker.USER: told if who else anonymous}
        return by_role.get(role, self.read).replace("{who}", who) + self.quoted(text)

    def quoted(self, text: str) -> str:
        """*text* between the marks of the language."""
        return self.marks[0] + quotable(text) + self.marks[1]


_LEADS: Mapping[str, Leads] = {
    "en": Leads(
        "{who} told me: ",
        "They told me: ",
        "I said: ",
        "I noted: ",
        "I read: ",
        "{who} also told me: ",
        "They also told me: ",
        ("“", "”"),
    ),
    "es": Leads(
        "{who} me contó: ",
        "Me contaron: ",
        "Yo dije: ",
        "Anoté: ",
        "Leí: ",
        "{who} también me contó: ",
        "También me contaron: ",
        ("«", "»"),
    ),
    "de": Leads(
        "{who} erzählte mir: ",
        "Man erzählte mir: ",
        "Ich sagte: ",
        "Ich notierte: ",
        "Ich las: ",
        "{who} erzählte mir auch: ",
        "Man erzählte mir auch: ",
        ("„", "“"),
    ),
    "fr": Leads(
        "{who} m'a dit : ",
        "On m'a dit : ",
        "J'ai dit : ",
        "J'ai noté : ",
        "J'ai lu : ",
        "{who} m'a dit aussi : ",
        "On m'a dit aussi : ",
        ("« ", " »"),
    ),
    "it": Leads(
        "{who} mi ha detto: ",
        "Mi hanno detto: ",
        "Ho detto: ",
        "Ho annotato: ",
        "Ho letto: ",
        "{who} mi ha detto anche: ",
        "Mi hanno detto anche: ",
        ("«", "»"),
    ),
    "pt": Leads(
        "{who} me contou: ",
        "Me contaram: ",
        "Eu disse: ",
        "Anotei: ",
        "Li: ",
        "{who} também me contou: ",
        "Também me contaram: ",
        ("“", "”"),
    ),
    "zh": Leads(
        "{who}告诉我：",
        "对方告诉我：",
        "我说：",
        "我记下：",
        "我读到：",
        "{who}还告诉我：",
        "对方还告诉我：",
        ("“", "”"),
    ),
    "ja": Leads(
        "{who}は私に言った。",
        "こう聞いた。",
        "私は言った。",
        "私は書き留めた。",
        "私は読んだ。",
        "{who}は私にこうも言った。",
        "こうも聞いた。",
        ("「", "」"),
    ),
    "ar": Leads(
        "أخبرني {who}: ",
        "قيل لي: ",
        "قلت: ",
        "دوّنت: ",
        "قرأت: ",
        "أخبرني {who} أيضا: ",
        "قيل لي أيضا: ",
        ("«", "»"),
    ),
    "ru": Leads(
        "{who} (рассказ): ",
        "Мне рассказали: ",
        "Мой ответ: ",
        "Моя заметка: ",
        "Прочитано: ",
        "{who} (ещё из рассказа): ",
        "Мне рассказали ещё: ",
        ("«", "»"),
    ),
    "nl": Leads(
        "{who} vertelde me: ",
        "Mij werd verteld: ",
        "Ik zei: ",
        "Ik noteerde: ",
        "Ik las: ",
        "{who} vertelde me ook: ",
        "Mij werd ook verteld: ",
        ("“", "”"),
    ),
    "pl": Leads(
        "{who} opowiada mi: ",
        "Opowiedziano mi: ",
        "Moje słowa: ",
        "Moja notatka: ",
        "Przeczytane: ",
        "{who} opowiada mi też: ",
        "Opowiedziano mi też: ",
        ("„", "”"),
    ),
}


def leads_of(language: str) -> Leads:
    """The leads of *language*, a tag such as "en" or "pt-BR"; the English ones where it has none."""
    return _LEADS.get(language.partition("-")[0], _LEADS["en"])


def has_leads(language: str) -> bool:
    """Whether *language* has leads of its own."""
    return language.partition("-")[0] in _LEADS
