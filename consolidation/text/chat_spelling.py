"""
Words as people shorten them in a chat, written out: "u", "tmrw" and "w/"; "vc", "hj" and "qd"; "xq", "stp", "vllt".

What a message wants, and when, is read from closed classes of words, which hold none of these. A form is listed where
it stands for one thing in its language: "gf" may be gluten free, "msg" a spice, and "tt" is "tout" in French alone. "Q"
stays as it is: "q dosis tomo" asks where "que rico" does not.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from consolidation.text.language import primary_subtag
from consolidation.text.words import content_words

if TYPE_CHECKING:
    from collections.abc import Mapping

# "form: words", separated by "|"; frequent misspellings ("adress") are listed, too. Forms of one letter count in small
# letters alone: "vitamin C".
_FORMS = {
    "en": (
        "u: you|ur: your|urself: yourself|w: with|w/: with|w/o: without|cuz: because|coz: because|bcos: because"
        "|b4: before|tmrw: tomorrow|tmr: tomorrow|tmw: tomorrow|2moro: tomorrow|2morrow: tomorrow|tomoz: tomorrow"
        "|yday: yesterday|yest: yesterday|2day: today|2nite: tonight|2night: tonight|tonite: tonight|nite: night"
        "|wk: week|wks: weeks|wknd: weekend|wkend: weekend|yr: year|yrs: years|mth: month|mths: months|mnth: month"
        "|hrs: hours|mins: minutes|tues: tuesday|weds: wednesday|thur: thursday|thurs: thursday|appt: appointment"
        "|appts: appointments|bday: birthday|bdays: birthdays|ppl: people|sth: something|smth: something"
        "|smthn: something|sumthing: something|pls: please|plz: please|plss: please|wot: what|wut: what|wats: what's"
        "|wots: what's|wher: where|dunno: do not know|rly: really|rlly: really|msgs: messages|txt: text|addr: address"
        "|thru: through|abt: about|govt: government|xmas: christmas|idk: i don't know|nvm: never mind|fav: favourite"
        "|fave: favourite|hv: have|shud: should|cud: could|wud: would|gd: good|prob: probably|probs: probably"
        "|tho: though|rember: remember|rmbr: remember|remeber: remember|recomend: recommend|adress: address"
    ),
    "de": (
        "vllt: vielleicht|vlt: vielleicht|viell: vielleicht|iwie: irgendwie|iwann: irgendwann|iwo: irgendwo"
        "|iwas: irgendwas|nich: nicht|eig: eigentlich|eigtl: eigentlich|wsl: wahrscheinlich|whs: wahrscheinlich"
        "|zs: zusammen|heut: heute|gebtag: geburtstag|bday: geburtstag|wieviel: wie viel|wan: wann|kp: keine ahnung"
        "|jmd: jemand|immernoch: immer noch|garnicht: gar nicht|moin: hallo"
    ),
    "es": (
        "k: q|ke: q|xq: porque|pq: porque|porq: porque|xk: porque|x: por|tb: también|tmb: también|tbn: también"
        "|tmbn: también|dnd: donde|dond: donde|cdo: cuando|cnd: cuando|cndo: cuando|kien: quien|qn: quien|bn: bien"
        "|finde: fin de semana|dsp: después|dps: después|dspues: después|msj: mensaje|xfa: por favor|porfa: por favor"
        "|stoy: estoy|sta: está|d: de|grax: gracias|aki: aquí|kiero: quiero|kuando: cuando|kual: cual|mñn: mañana"
        "|tq: te quiero|vrdd: verdad|ntp: no te preocupes"
    ),
    "fr": (
        "jsuis: je suis|chui: je suis|chuis: je suis|jai: j'ai|jsais: je sais|jsp: je sais pas|pk: pourquoi"
        "|pq: pourquoi|pkoi: pourquoi|pourkoi: pourquoi|qd: quand|tt: tout|tte: toute|bcp: beaucoup"
        "|stp: s'il te plaît|svp: s'il vous plaît|slt: salut|bjr: bonjour|rdv: rendez-vous|auj: aujourd'hui"
        "|ajd: aujourd'hui|tjs: toujours|tjrs: toujours|tjr: toujours|mtn: maintenant|mnt: maintenant|psk: parce que"
        "|pcq: parce que|pck: parce que|kel: quel|kelle: quelle|koi: quoi|ke: que|cmt: comment|cmnt: comment"
        "|qqn: quelqu'un|qq1: quelqu'un|qqch: quelque chose|anniv: anniversaire|appart: appartement|kdo: cadeau"
        "|ns: nous|pr: pour|c: c'est|g: j'ai|nn: non|sem: semaine"
    ),
    "it": (
        "nn: non|cmq: comunque|xké: perché|xkè: perché|xke: perché|xche: perché|xché: perché|perke: perché"
        "|perkè: perché|xchè: perché|x: per|xò: però|xo: però|qnd: quando|qlc: qualcosa|qlcs: qualcosa|qlcn: qualcuno"
        "|tutt: tutto|dp: dopo|sn: sono|cn: con|ke: che|ki: chi|k: che|dv: dove|kosa: cosa|qnt: quanto|msg: messaggio"
        "|grz: grazie|gg: giorni|pome: pomeriggio|qst: questo|anke: anche|trp: troppo|qll: quello|nnt: niente"
        "|ank: anche"
    ),
    "pt": (
        "vc: você|vcs: vocês|oq: o que|pq: por que|qd: quando|qdo: quando|qnd: quando|qndo: quando|qnto: quanto"
        "|qto: quanto|qnt: quanto|qnta: quanta|qntos: quantos|qntas: quantas|qm: quem|qal: qual|tb: também"
        "|tbm: também|tbn: também|hj: hoje|amn: amanhã|agr: agora|dps: depois|dpois: depois|msm: mesmo|msma: mesma"
        "|n: não|ñ: não|naum: não|p/: para|p: para|pra: para|c/: com|c: com|s/: sem|mto: muito|mta: muita"
        "|mtos: muitos|vlw: valeu|blz: beleza|obg: obrigado|pfv: por favor|fds: fim de semana|tdo: tudo|td: tudo"
        "|tds: todos|tô: estou|tou: estou|ta: está|tá: está|tava: estava|cmg: comigo|ctg: contigo|nd: nada"
        "|ngm: ninguém|vdd: verdade|niver: aniversário|ap: apartamento|apê: apartamento|aps: apartamentos"
        "|facul: faculdade|freela: freelance|cel: celular|kd: onde está|cadê: onde está|aki: aqui|qq: qualquer"
        "|hr: hora|hrs: horas|d: de|eh: é|bjs: beijos|msg: mensagem|prox: próximo"
    ),
    "nl": (
        "ff: even|mss: misschien|msch: misschien|wrm: waarom|wnr: wanneer|gwn: gewoon|vndg: vandaag|mrgn: morgen"
        "|idd: inderdaad|iig: in ieder geval|vgm: volgens mij|wss: waarschijnlijk|ie: hij|zn: zijn|mn: mijn"
        "|wknd: weekend|afspr: afspraak|nix: niks|aub: alsjeblieft"
    ),
    "pl": (
        "nwm: nie wiem|bd: będzie|tyg: tydzień|mies: miesiąc|godz: godzina|dzk: dzięki|dzx: dzięki|sb: sobie"
        "|jutr: jutro|wogole: w ogóle|wgl: w ogóle|cos: coś|narazie: na razie|spr: sprawdzian|pn: poniedziałek"
        "|pon: poniedziałek|czw: czwartek|urodz: urodziny|kiedys: kiedyś|nr: numer|ofc: oczywiście"
    ),
    "ru": (
        "спс: спасибо|пж: пожалуйста|пжл: пожалуйста|пжлст: пожалуйста|плиз: пожалуйста|чё: что|чо: что|шо: что"
        "|щас: сейчас|ща: сейчас|счас: сейчас|седня: сегодня|сёдня: сегодня|мб: может быть|хз: не знаю|оч: очень"
        "|ваще: вообще|када: когда|скок: сколько|скока: сколько|скоко: сколько|тел: телефон|завтро: завтра"
        "|понед: понедельник|вск: воскресенье"
    ),
}
# What stands around a short form that is another thing: a part of a name or an address, a sum, "plan b", "n. 5".
_BESIDE = r"\w'’@#&+*=\\-"
_SUMS = r"(?<!\d)(?<!\d )"
_NAMED_BY_LETTERS = (
    "vitamin vitamina vitamine letra plan plano tipo classe hepatite hépatite hepatitis tamanho talla rayos raggi"
    " langage linguagem lenguaje linguaggio"
)
_LETTERS_OF_A_NAME = "".join(f"(?<!{word} )" for word in _NAMED_BY_LETTERS.split())


def spelled_out(text: str, *, language: str) -> str:
    """*text* with the short forms of *language* (a tag such as "en" or "pt-BR") written out; else as it is."""
    forms, pattern = _read(primary_subtag(language))
    if pattern is None:
        return text
    return pattern.sub(lambda found: forms[found[0].casefold()] if _is_short(found) else found[0], text)


def with_words_written_out(text: str, *, language: str) -> str:
    """*text*, and behind it what its short forms stand for where that is more than function words: "appointment"."""
    forms, pattern = _read(primary_subtag(language))
    if pattern is None:
        return text
    shortened = filter(_is_short, pattern.finditer(text))
    found = " ".join(dict.fromkeys(forms[one[0].casefold()] for one in shortened))
    telling = " ".join(content_words(found, language=language))
    return f"{text}\n{telling}" if telling else text


def _is_short(found: re.Match[str]) -> bool:
    """Whether a form is not a name, as "Cuz" may be: it has a capital where it begins the text alone."""
    return found[0].islower() or found.start() == 0 or found.string.isupper()


@functools.cache
def _read(tag: str) -> tuple[Mapping[str, str], re.Pattern[str] | None]:
    """The forms of a language with what they stand for, and the pattern that finds them; None where it has none."""
    if tag not in _FORMS:
        return {}, None
    forms = dict(line.split(": ") for line in _FORMS[tag].split("|"))
    ranked = sorted(forms, key=lambda form: (-len(form), form))
    letters = "".join(form for form in ranked if len(form) == 1)
    longer = "|".join(re.escape(form) for form in ranked if len(form) > 1)
    ends = rf"(?![{_BESIDE}]|[./:]\w)"
    short = rf"{_SUMS}{_LETTERS_OF_A_NAME}[{letters or '_'}](?! ?\d| de\b)"
    return forms, re.compile(rf"(?<![.{_BESIDE}])(?<!\w[/:])(?:(?i:{longer})|{short}){ends}")
