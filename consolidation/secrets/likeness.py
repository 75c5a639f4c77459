"""
How a secret looks: unlike a word, the name of a variable, a placeholder, a date, the name of a product.

What was called a password needs less of it than what only stands after the word.
"""

from __future__ import annotations

import re

# in small letters: variables, stars, paths, addresses, dates; what examples say
_STAND_IN_FROM_START = re.compile(
    r"\$[a-z_(]|%[a-z(]|\.{0,2}/|~/|\d{4}-\d\d-\d\d|[^@\s]+@[^@\s]+\.\w+$|1password"
    r"|\d{1,3}-(?:digit|char|letter|stellig)"
)
_STAND_IN = re.compile(
    r"[$#]\{|\*{3}|•{2}|\.{3}|…|x{4}|https?://|\[redacted:"
    r"|(?<![a-z0-9])(?:your|example|placeholder|change[-_]?me|insert)(?![a-z0-9])"
)
_PATH = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+")  # settings.api_key2
_NAME = re.compile(r"[A-Za-z]+(?:[_-](?:[A-Za-z]+|\d{1,3}))*(?:[_-]?[vV]?\d{1,4})?")  # OPENAI_API_KEY_2, my-app-v2
_NAMED = re.compile(r"[^\W\d_]+(?:[_-](?:[^\W\d_]+|\d{1,3}))*(?:[_-]?[vV]?\d{1,4})?")  # the same in any script
_YEAR_AT_END = re.compile(r"[^\W\d_](?:19|20)\d\d[!?.]?$")
_TECHNICAL = re.compile(  # in small letters, words for how passwords are kept: "sha-256", "base64-encoded", "2-factor"
    r"(?:sha-?(?:1|2|224|256|384|512)|md[45]|pbkdf2|argon2[a-z]{0,2}|bcrypt2?|aes-?\d{3}|rsa-?\d{4}|base(?:32|58|64)"
    r"|utf-?(?:8|16|32)|(?:rfc|iso|din|cve|nist)-?\d{3,5}|oauth2|wpa[23]|ntlmv2"
    r"|\d{1,3}-(?:days?|weeks?|months?|years?|factor|step|party))"
    r"(?:[-_/][a-z]{1,30}){0,2}"
)
_KNOWN = re.compile(  # in small letters: what people have passwords of
    r"(?:keepass|windows|iphone|ipad|macos|android|xbox|galaxy|pixel|python|covid)[-_]?\d{1,3}[a-z]{0,3}"
    r"|(?:office|windows)[-_]?(?:365|20\d\d)"
)
_COUNTED = re.compile(  # in small letters: "3rd-party", "10:30am", "24h", "12characters"
    r"\d{1,3}[a-z]{0,4}(?:-[^\W\d_]+)+|\d{1,2}[:.h]\d\d(?:am|pm|h|uhr)?"
    r"|\d{1,5}(?:[.,]\d{1,3})?(?:am|pm|h|x|k|gb|mb|km|min|ms|seconds?|minutes?|hours?|days?|weeks?|months?|years?|times"
    r"|char(?:acter)?s?|letters?|digits?|bits?|zeichen|tage?|jahre?)"
)
_DATE = re.compile(r"(?:19|20)\d\d(?:[01]\d[0-3]\d)?|[0-3]\d[01]\d(?:19|20)\d\d")
_MARK_WITHIN = re.compile(r"[^\W_][!#$*@^~?]+[^\W_]")
_AT = re.compile(r"[\w.+-]{3,}@[\w.-]{3,}")  # user@site
_WORDED = re.compile(r"[^\W\d_]+\d{0,2}(?:[-_/'’][^\W\d_]*\d{0,3})*[-_/'’][^\W\d_]+")  # HTTP2-proxy, and/or2/that
_AT_END = ".,:;?…。，、！？"
_IN_WORDS = "-_.'’/="
_SHORTEST_PASSWORD, _SHORTEST_KEY, _SHORTEST_SECRET = 6, 10, 16
_SHORTEST_NUMBER, _LONGEST_NUMBER = 4, 12  # digits of a PIN
_LEAST_DIFFERENT, _LEAST_DIFFERENT_OF_KEY = 8, 6  # letters


def plain(value: str) -> str:
    """Without the sign that ends a sentence, and the next parameter's name."""
    if value.endswith("=") and "&" in value:
        value = value[: value.index("&")]
    return value.rstrip(_AT_END)


def is_password(value: str) -> bool:
    """Six letters and more, with a digit or a sign among them that words do not have; or a number."""
    if len(value) < _SHORTEST_PASSWORD:
        return False
    is_odd = any(not one.isalpha() and one not in _IN_WORDS for one in value)
    return is_odd and (value.isdigit() or _has_letter(value)) and not is_stand_in(value)


def is_striking(value: str) -> bool:
    """A password by its looks alone: letters and digits, or a mark between letters, and no name that has some, too."""
    low = value.lower().strip("*_~!").rstrip(_AT_END)
    if value[:1] in {"@", "#"} or len(low) < _SHORTEST_PASSWORD - 1 or not is_password(value) or _is_known(low):
        return False
    if is_worded(low) or _AT.fullmatch(low) is not None:
        return False
    return (_has_letter(low) and any(one.isdigit() for one in low)) or _MARK_WITHIN.search(low) is not None


def is_unlike_a_name(value: str) -> bool:
    """Striking, and not as names of people, rooms and products are, "bob2024", "Atlas2"."""
    if not is_striking(value):
        return False
    has_both = any(one.isupper() for one in value) and any(one.islower() for one in value)
    is_name = _NAMED.fullmatch(value.rstrip("!?.")) is not None
    return not is_name or (has_both and _YEAR_AT_END.search(value) is not None)


def is_exclaimed(value: str) -> bool:
    """A word that is only said loudly, "wrong!"."""
    word = value.rstrip("!")
    is_word = word != value and all(one.isalpha() or one in _IN_WORDS for one in word)
    return is_word and (word.islower() or word.isupper())


def is_described(value: str) -> bool:
    """What a sentence says of a password, and no password: "2-factor", "SHA-256"."""
    return _TECHNICAL.fullmatch(value.lower()) is not None


def is_worded(value: str) -> bool:
    """Words in one, one of which has digits: "HTTP2-proxy"."""
    return _WORDED.fullmatch(value) is not None


def is_number(value: str) -> bool:
    """As many digits as a PIN has."""
    return value.isdigit() and _SHORTEST_NUMBER <= len(value) <= _LONGEST_NUMBER


def is_date(value: str) -> bool:
    """A number that may be a year, or a day without its signs."""
    return _DATE.fullmatch(value) is not None


def is_secret(value: str) -> bool:
    """Sixteen letters and digits and more that are neither words nor alike."""
    if len(value) < _SHORTEST_SECRET or not is_mixed(value) or _NAME.fullmatch(value) is not None:
        return False
    return len(set(value)) >= _LEAST_DIFFERENT


def is_key(value: str) -> bool:
    """Shorter than most keys, but of letters and digits as no word and no name has them."""
    is_long = len(value) >= _SHORTEST_KEY and len(set(value)) >= _LEAST_DIFFERENT_OF_KEY
    return is_long and is_mixed(value) and _NAME.fullmatch(value) is None


def is_credential(value: str) -> bool:
    """Of a header, which nobody writes but to send it: a mixture, or letters as no word has them."""
    is_word = value[1:].islower() or value.isupper()
    return not is_stand_in(value) and (not is_word or any(letter.isdigit() for letter in value))


def is_mixed(value: str) -> bool:
    """Letters and digits."""
    return any(letter.isdigit() for letter in value) and _has_letter(value) and not is_stand_in(value)


def is_filled(value: str) -> bool:
    """Of a URL: anything but a variable or stars."""
    return not value.startswith(("$", "{", "%(", "<")) and any(letter.isalnum() for letter in value)


def is_stand_in(value: str) -> bool:
    """A variable, a placeholder, a path, an address or a date."""
    low = value.lower()
    is_example = _STAND_IN.search(low) is not None or _STAND_IN_FROM_START.match(low) is not None
    return is_example or _PATH.fullmatch(value) is not None


def _is_known(low: str) -> bool:
    return any(form.fullmatch(low) is not None for form in (_TECHNICAL, _KNOWN, _COUNTED))


def _has_letter(value: str) -> bool:
    return any(letter.isalpha() for letter in value)
