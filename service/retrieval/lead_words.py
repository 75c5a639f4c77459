"""
Who said what a memory holds, in every language that labels speak; a native reader edits this file and no other.

The bot reads it: "they" is the person it talks with. ``{name}`` is a speaker who was named.
"""

from collections.abc import Mapping

LEADS: Mapping[str, Mapping[str, str]] = {
    "en": {"told": "they told me: ", "asked": "they asked: ", "said": "I said: ", "named": "{name} told me: "},
    "es": {"told": "me contó: ", "asked": "preguntó: ", "said": "yo dije: ", "named": "{name} me contó: "},
    "de": {
        "told": "mir wurde erzählt: ",
        "asked": "gefragt wurde: ",
        "said": "ich sagte: ",
        "named": "{name} hat mir erzählt: ",
    },
    "fr": {"told": "on m'a dit : ", "asked": "on m'a demandé : ", "said": "j'ai dit : ", "named": "{name} m'a dit : "},
    "it": {"told": "mi ha detto: ", "asked": "ha chiesto: ", "said": "ho detto: ", "named": "{name} mi ha detto: "},
    "pt": {"told": "me contou: ", "asked": "perguntou: ", "said": "eu disse: ", "named": "{name} me contou: "},
    "zh": {"told": "对方告诉我：", "asked": "对方问：", "said": "我说：", "named": "{name}告诉我："},
    "zh-Hant": {"told": "對方告訴我：", "asked": "對方問：", "said": "我說：", "named": "{name}告訴我："},
    "ja": {
        "told": "聞いたこと：",
        "asked": "聞かれたこと：",
        "said": "私が言ったこと：",
        "named": "{name}から聞いたこと：",
    },
    "ar": {"told": "قيل لي: ", "asked": "سُئلت: ", "said": "قلت: ", "named": "أخبرني {name}: "},
    "ru": {
        "told": "мне рассказали: ",
        "asked": "меня спросили: ",
        "said": "мой ответ: ",
        "named": "{name} (рассказ): ",
    },
}


def leads(language: str) -> Mapping[str, str]:
    """The words of *language* (a tag such as "en" or "pt-BR"); English where there are none."""
    tag, *more = language.casefold().replace("_", "-").split("-")
    is_traditional = tag == "zh" and not {"hant", "tw", "hk", "mo"}.isdisjoint(more)
    return LEADS.get("zh-Hant" if is_traditional else tag, LEADS["en"])
