"""
Finds secrets by their label: ``password=…``, "I changed my password to …", ``api_key: …``, ``Authorization: Bearer …``,
``scheme://user:…@host``.

What follows such a word is a secret when it looks like one: no plain word, no name of a variable, no placeholder. Only
the secret is found, not what calls it so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PASSWORD, SECRET = "password", "secret value"
_CALLED = re.compile(  # in small letters
    r"(?P<password>password|passwd|passcode|passphrase|pwd|passwort|kennwort|wachtwoord|contrase[ñn]a|clave|senha"
    r"|mot de passe|lösenord|hasło|parola|пароль|密码|密碼|パスワード|비밀번호|كلمة (?:المرور|السر)"
    r"|(?<![a-z0-9])(?:pw|mdp)(?![a-z0-9]))"
    r"|(?P<key>(?:api|access|secret|private|account|auth|shared|master|encryption|signing|subscription)[ _-]?key)"
    r"|secret|token|credentials?"
)
_VARIABLE = re.compile(
    r"(?<![A-Za-z0-9])[A-Z][A-Z0-9_]{0,60}_(?:PASS|PW)[\"']?\s{0,3}[=:]\s{0,3}[\"']?(?P<value>[^\s\"'`;&|<>]{6,256})"
)
_OPTION = re.compile(
    r"(?<![a-z])(?:curl|wget|https?)\b[^\n]{0,300}?\s(?:-u|--user|--proxy-user)[ =]{0,2}[\"']?"
    r"[^\s:\"'/]{1,100}:(?P<value>(?!\[redacted:)[^\s\"'`]{1,200})"
)
_COOKIE = re.compile(
    r"(?<![a-z])(?:set-)?cookie[\"']?\s{0,3}:\s{0,3}[\"']?(?P<cookies>[^\n\"']{8,4000})", re.IGNORECASE
)
_PAIR = re.compile(r"(?:^|;\s{0,3})[!#$%&*+.^_|~0-9A-Za-z-]{1,80}=(?P<value>[^\s;,\"']{8,})")
_OF_A_COOKIE = re.compile(r"(?:path|domain|expires|max-age|samesite)=", re.IGNORECASE)
_SIGNS = (
    "pass", "pw", "mdp", "kennwort", "wachtwoord", "contrase", "clave", "senha", "mot de", "lösenord", "hasło",
    "parola", "пароль", "密", "パスワード", "비밀번호", "كلمة", "key", "secret", "token", "credential",
)  # fmt: skip
_NOT_IN_WORD = r"(?![a-zà-ÿ\u0100-\u017fа-я])"
_IS = (
    r"(?:is|was|(?:will|shall|should|must|can) be|used to be|has been|ist|lautet|lautete|war|wird|heißt|heisst|bleibt"
    r"|wordt|werd|zal|est|était|etait|sera|es|era|fue|será|foi|ser[áa]|è|é|sarà|är|var|blir|jest|było|będzie|brzmi"
    rf"|это|был|будет|هي|هو|كانت|ستكون){_NOT_IN_WORD}"
    r"|は|が|是|为|為|는|은|이|가|(?:改成|改为|改為|换成|換成|设为|設為|设成|設成)了?"
)
_NOW = (
    r"(?:\s(?:now|still|currently|actually|again|jetzt|nun|noch|wieder|nu|nog|ahora|maintenant|encore|agora|adesso|ora"
    rf"|teraz|nadal|теперь|сейчас){_NOT_IN_WORD})?"
)
_WORD = r"\s(?:[^\s,.;:=!?\"'’]|['’](?=\w)){1,30}"
_FOR = (  # "for the flat", "that I use at work"
    r"(?:,?\s(?:for|to|of|on|at|i|we|you|he|she|they|that|which|für|zu|vom|das|ich|wir|pour|de|du|que|para|del|da|di|che"
    rf"|voor|van|dat|die|ik|för|till|som|jag|do|dla|które|для|от|к|который)(?:{_WORD}){{1,5}}?,?)?"
)
_TO = (  # "changed my password to …", where a word says that it was changed
    rf"(?:\s\[redacted: password\]|{_WORD}){{0,2}}?\s(?:to|from|auf|in|zu|von|naar|op|van|a|por|en|de|para|pra|à|pour"
    r"|par|con|till|från|na|z|на|с|إلى)(?=\s)|[を를을]"
)
_CHANGED = re.compile(  # beginnings, in small letters
    r"(?<![^\W_])(?:chang|set(?![a-z])|reset|updat|switch|änder|geändert|setz|gesetzt|gewechsel|umgestellt|verander"
    r"|wijzig|gewijzigd|cambi|actualiz|puse|mud(?:ei|ar|ou|amos)|alter(?:ei|ar|ou)|troc|troquei|modifi|mis(?![a-z])|impost"
    r"|byt|zmien|zmian|ustaw|смен|помен|измен|постав)|変|し|바꾸|바꿨|변경|غير"
)
_POLISH = "hasło"  # "hasło to …" is "the password is …"
_AROUND = 50  # characters within which such a word must be
_LETTERS = r"!#-&*+\-./0-:?@A-Z^_a-z~\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u024f\u0370-\u052f"  # in which they are written
_SAID = re.compile(
    r"(?:[\"'`*_\\]{0,4}\s{0,3}(?:=>|:=|[:=：＝]{1,2})|['’]s(?=\s)|\s[—–-]{1,2}(?=\s)"
    rf"|{_FOR}\s{{0,2}}(?<![a-z])(?:{_IS}){_NOW}[:：]?|(?P<to>{_TO})|(?P<alone>\x20))[\s*_]{{0,4}}"
    r"(?:\"(?P<double>[^\s\"]{6,256})\"|'(?P<single>[^\s']{6,256})'|`(?P<tick>[^\s`]{6,256})`"
    rf"|[\"'`“„«\\]{{0,2}}(?P<plain>[{_LETTERS}]{{6,256}}={{0,2}}))",
    re.IGNORECASE,
)
_SMALL = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_VALUES = ("double", "single", "tick", "plain")
_HEADER = re.compile(
    r"authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"(?:(?P<scheme>bearer|basic|token|apikey|negotiate|digest)\s{1,3})?(?P<value>[\w.~+/=:-]{8,}+)",
    re.IGNORECASE | re.ASCII,
)
_BEARER = re.compile(r"(?<![A-Za-z])bearer\s{1,3}(?P<value>[\w.~+/-]{16,}+={0,2})", re.IGNORECASE | re.ASCII)
_USERINFO = re.compile(r"://[^\s/?#:@\"'<>]{0,100}:(?P<value>[^\s/?#\"'<>\[\]]{1,200})@(?=[\w\[$%{])")
_PARAMETER = re.compile(
    r"[?&](?:api[_-]?key|apikey|access[_-]?token|auth[_-]?token|secret|client[_-]?secret|password|passwd|pwd"
    r"|x-amz-signature|x-amz-security-token|(?P<bare>key|token|sig|signature))=(?P<value>[^\s&\"'#<>\[\]{}()|]{6,}+)",
    re.IGNORECASE,
)
# in small letters: variables, stars, paths, addresses, dates; what examples say
_STAND_IN_FROM_START = re.compile(
    r"\$[a-z_(]|%[a-z(]|\.{0,2}/|~/|\d{4}-\d\d-\d\d|[^@\s]+@[^@\s]+\.\w+$|1password|\d{1,3}-(?:digit|char|letter|stellig)"
)
_STAND_IN = re.compile(
    r"[$#]\{|\*{3}|•{2}|\.{3}|…|x{4}|https?://|\[redacted:"
    r"|(?<![a-z0-9])(?:your|example|placeholder|change[-_]?me|insert)(?![a-z0-9])"
)
_PATH = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+")  # settings.api_key2
_NAME = re.compile(r"[A-Za-z]+(?:[_-](?:[A-Za-z]+|\d{1,3}))*(?:[_-]?[vV]?\d{1,4})?")  # OPENAI_API_KEY_2, my-app-v2
_AT_END = ".,:;?…。，、！？"
_IN_WORDS = "-_.'’/="
_SHORTEST_PASSWORD, _SHORTEST_KEY, _SHORTEST_SECRET = 6, 10, 16
_LEAST_DIFFERENT, _LEAST_DIFFERENT_OF_KEY = 8, 6  # letters


def find_assigned(text: str) -> Iterator[tuple[int, int, str]]:
    """Labelled secrets: start, end, kind."""
    low = text.lower()
    if len(low) != len(text):  # a letter became two: places would be wrong
        low = text.translate(_SMALL)
    if "authorization" in low:
        for found in _HEADER.finditer(text):
            if (_is_credential if found["scheme"] else _is_secret)(found["value"]):
                yield *found.span("value"), "Authorization header"
    if "bearer" in low:
        yield from _spans(_BEARER, text, "bearer token", is_one=_is_credential)
    yield from _in_addresses(text)
    yield from _in_commands(text, low)
    if any(sign in low for sign in _SIGNS):
        yield from _assigned(text, low)


def _in_addresses(text: str) -> Iterator[tuple[int, int, str]]:
    if "://" in text:
        yield from _spans(_USERINFO, text, "password in a URL", is_one=_is_filled)
    if "=" in text:
        for found in _PARAMETER.finditer(text):
            if _is_secret(found["value"]) if found["bare"] is not None else _is_mixed(found["value"]):
                yield *found.span("value"), "key in a URL"


def _in_commands(text: str, low: str) -> Iterator[tuple[int, int, str]]:
    """What a shell and a request show: ``DB_PASS=…``, ``curl -u user:…``, ``Cookie: session=…``."""
    if "_PASS" in text or "_PW" in text:
        yield from _spans(_VARIABLE, text, PASSWORD, is_one=_is_password)
    if " -u" in text or "-user" in text:
        yield from _spans(_OPTION, text, PASSWORD, is_one=_is_filled)
    if "cookie" in low:
        for found in _COOKIE.finditer(text):
            first = found.start("cookies")
            for pair in _PAIR.finditer(found["cookies"]):
                if _OF_A_COOKIE.search(pair[0]) is None and _is_mixed(pair["value"]):
                    yield first + pair.start("value"), first + pair.end("value"), "cookie"


def _spans(
    form: re.Pattern[str], text: str, kind: str, *, is_one: Callable[[str], bool]
) -> Iterator[tuple[int, int, str]]:
    for found in form.finditer(text):
        if is_one(found["value"]):
            yield *found.span("value"), kind


def _assigned(text: str, low: str) -> Iterator[tuple[int, int, str]]:
    for called in _CALLED.finditer(low):
        said = _SAID.match(text, called.end())
        if said is None or text[called.start() - 1 : called.start()] in {"?", "&"}:
            continue
        place = next(name for name in _VALUES if said[name] is not None)
        start, end = said.span(place)
        if place == "plain":
            if text[end : end + 1] in {"(", "[", "{"}:  # a call: the name of what gives it
                continue
            end = start + len(_plain(said[place]))
        if _is_meant(text[start:end], called, said, low):
            yield start, end, SECRET if called["password"] is None else PASSWORD


def _is_meant(value: str, called: re.Match[str], said: re.Match[str], low: str) -> bool:
    """Whether *value* is what was called a password or a key, by how it looks and by the words between."""
    if called["password"] is None:
        is_key = called["key"] is not None and said["alone"] is None and said["to"] is None
        return _is_secret(value) or (is_key and _is_key(value))
    if said["alone"] is not None or not _is_password(value):
        return False
    return said["to"] is None or called["password"] == _POLISH or _is_changed(low, called, said)


def _is_changed(low: str, called: re.Match[str], said: re.Match[str]) -> bool:
    before, after = low[max(0, called.start() - _AROUND) : called.start()], low[said.end() : said.end() + _AROUND]
    return any(_CHANGED.search(one) for one in (before, low[called.end() : said.end("to")], after))


def _plain(value: str) -> str:
    """Without the sign that ends a sentence, and the next parameter's name."""
    if value.endswith("=") and "&" in value:
        value = value[: value.index("&")]
    return value.rstrip(_AT_END)


def _is_password(value: str) -> bool:
    """Six letters and more, with a digit or a sign among them that words do not have; or a number."""
    if len(value) < _SHORTEST_PASSWORD:
        return False
    is_odd = any(not one.isalpha() and one not in _IN_WORDS for one in value)
    return is_odd and (value.isdigit() or _has_letter(value)) and not _is_stand_in(value)


def _is_secret(value: str) -> bool:
    """Sixteen letters and digits and more that are neither words nor alike."""
    if len(value) < _SHORTEST_SECRET or not _is_mixed(value) or _NAME.fullmatch(value) is not None:
        return False
    return len(set(value)) >= _LEAST_DIFFERENT


def _is_key(value: str) -> bool:
    """Shorter than most keys, but of letters and digits as no word and no name has them."""
    is_long = len(value) >= _SHORTEST_KEY and len(set(value)) >= _LEAST_DIFFERENT_OF_KEY
    return is_long and _is_mixed(value) and _NAME.fullmatch(value) is None


def _is_credential(value: str) -> bool:
    """Of a header, which nobody writes but to send it: a mixture, or letters as no word has them."""
    is_word = value[1:].islower() or value.isupper()
    return not _is_stand_in(value) and (not is_word or any(letter.isdigit() for letter in value))


def _is_mixed(value: str) -> bool:
    return any(letter.isdigit() for letter in value) and _has_letter(value) and not _is_stand_in(value)


def _is_filled(value: str) -> bool:
    """Of a URL: anything but a variable or stars."""
    return not value.startswith(("$", "{", "%(", "<")) and any(letter.isalnum() for letter in value)


def _is_stand_in(value: str) -> bool:
    low = value.lower()
    is_example = _STAND_IN.search(low) is not None or _STAND_IN_FROM_START.match(low) is not None
    return is_example or _PATH.fullmatch(value) is not None


def _has_letter(value: str) -> bool:
    return any(letter.isalpha() for letter in value)
