"""
Which pairs of characters tell something, in Chinese and Japanese, whose words are not parted.

Words of these scripts are pairs of neighbours (see ``words``). Most pairs only hold a sentence together: of
母の誕生日だっけ, these are の誕, だっ and っけ. No dictionary is used. Kanji and katakana tell something, and so do
hiragana that are not function words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

_TEXTS = 64  # each phase asks of the same few
_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff々]+")
_KANA = re.compile("[\u3041-\u30fa]")
_HIRAGANA = re.compile("[\u3041-\u3096]+")
_FUNCTION_WORDS = re.compile(
    r"ではない|じゃない|じゃなくて|なかった|でしょうか|でしょう|だろう|ください|もらえる|もらった|もらう|くれて|くれた"
    r"|くれる|くれ"
    r"|そういえば|やっぱり|ちょっと|めっちゃ|すごく|もっかい|もういちど|という|っていう|けれど|みたい|らしい|ながら"
    r"|ちゃった|ちゃう"
    r"|ています|ていた|ている|していた|している|しとった|しとる|してた|してる|ました|ません|でした|ですか|ますか|です"
    r"|ます|だった|だっけ"
    r"|どんな|いくら|いくつ|どっち|どこ|いつ|だれ|なに|なん|なぜ|どう|どれ|どの|これ|それ|あれ|この|その|あの|ここ|そこ"
    r"|あそこ"
    r"|から|まで|とか|など|なら|たら|れば|だけ|しか|ほど|くらい|ぐらい|より|ので|のに|けど|ても|でも|には|では|とは"
    r"|にも|とも|への|との"
    r"|こと|もの|やつ|ところ|とこ|とき|ため|ほう|よう|そう|さん|ちゃん|くん|さま|うち|ほんと|いま|あと|ずっと|もう|まだ"
    r"|また"
    r"|える|いる|いた|いて|ある|あった|あって|ない|なる|なった|なって|する|した|して|てる|てた|った|って|っけ|たい|たく"
    r"|かな|よね|よな|んだ|のよ"
    r"|えっと|ねえ|なあ|じゃあ|じゃ|はい|うん"
)
_PARTICLES = frozenset("のはがをにでともへやかなねよわだたてんっ")
_AFTER_NOUNS = frozenset("のはがをにでともへや")
_PRONOUNS = frozenset("誰何私僕俺")
_POLITE = frozenset("おご")  # before a word: お茶
_CHINESE_GLUE = frozenset("的了吗嗎呢吧啊呀嘛么麼我你您他她它们們是这這那哪谁誰啥怎每个個就也很在要")
_CHINESE_WORDS = frozenset(
    "我妈 我媽 我爸 我哥 我姐 我弟 我妹 我爷 我爺 我奶 我姥 我女 我儿 我兒 我老 "
    "目的 了解 个人 個人 个子 個子 就业 就業 就医 就醫 成就".split()
)


@lru_cache(maxsize=_TEXTS)
def glue(text: str) -> frozenset[str]:
    """The pairs of *text* that tell nothing, as ``words.tokens`` has them; none of a script that parts its words."""
    runs = _RUN.findall(text)
    if not _KANA.search(text):
        pairs = {one + other for run in runs for one, other in pairwise(run)} - _CHINESE_WORDS
        return frozenset(pair for pair in pairs if not _CHINESE_GLUE.isdisjoint(pair))
    telling, others = set[str](), set[str]()
    for run in runs:
        marks = _tells(run)
        for at, pair in enumerate(map("".join, pairwise(run))):
            (telling if _is_of_word(run, marks, at) else others).add(pair)
    return frozenset(others - telling)


def _is_of_word(run: str, marks: list[bool], at: int) -> bool:
    """Whether the pair at a place of a Japanese *run* tells something: two such characters, or a noun of one kanji."""
    first, second = run[at], run[at + 1]
    if _is_hiragana(first) and not _is_hiragana(second) and first not in _POLITE:
        return False  # a word ends, another begins
    begins = marks[at] and not _is_hiragana(first) and (at == 0 or not marks[at - 1] or _is_hiragana(run[at - 1]))
    return (begins and second in _AFTER_NOUNS) or (marks[at] and marks[at + 1])  # 犬 is found with its particle only


def _is_hiragana(character: str) -> bool:
    return _HIRAGANA.match(character) is not None


def _tells(run: str) -> list[bool]:
    """Whether each character of a Japanese *run* is of a word that tells something."""
    marks = [_HIRAGANA.fullmatch(one) is None and one not in _PRONOUNS for one in run]
    for found in _HIRAGANA.finditer(run):
        at = found.start()
        is_behind = at > 0
        for piece in re.split(f"({_FUNCTION_WORDS.pattern})", found[0]):
            is_function = _FUNCTION_WORDS.fullmatch(piece) is not None
            word = "" if is_function else _without_particles(piece, is_behind=is_behind)
            begin = at + piece.find(word) if word else at
            for place in range(begin, begin + len(word)):
                marks[place] = True
            at += len(piece)
            is_behind = is_behind or bool(piece)
        last = found.end() - 1
        if found.end() < len(run) and run[last] in _POLITE:
            marks[last] = True
    return marks


def _without_particles(piece: str, *, is_behind: bool) -> str:
    """A *piece* of hiragana without particles at its ends, of which the first is one only behind a word."""
    least = 0 if is_behind else 1
    endings = (piece[:-most] for most in (2, 1) if len(piece) > most + least and set(piece[-most:]) <= _PARTICLES)
    ending = next(endings, piece)
    word = ending[1:] if is_behind and ending[:1] in _PARTICLES else ending
    return "" if word in _PARTICLES or (len(word) == 1 and not is_behind) else word
