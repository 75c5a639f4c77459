"""
What calls a secret so, in many languages: ``password``, "Passwort", "mot de passe", "PIN", ``api_key``.

And the words that may stand between such a word and the secret, or that show that none follows.
"""

from __future__ import annotations

import re

_START = r"(?<![a-z0-9à-ÿ\u0100-\u024f])"  # not within a Latin word; ideographs may stand before
_END = r"(?![a-zà-ÿ\u0100-\u024f])"
_PASSWORDS = (
    r"pass[ -]?(?:word|phrase|code)(?:s|(?:nya|ku| saya| aku| gue| gw)(?![a-z]))?|passwd"
    r"|passwort(?:e?s)?|passwörter|kennw(?:ort(?:e?s)?|örter)|passord(?:et)?"
    r"|(?:wacht|pas)woord(?:en)?|(?:toe|zu)gangscodes?|adgangskoden?|lösenord(?:et)?|contrase[ñn]as?|senhas?"
    r"|(?<!palabra )(?<!punto )clave|palavra-passe"
    r"|c[oó]digo (?:de acesso|de acceso|secreto)|mots? de passe|code (?:secret|d['’]acc[eè]s)"
    r"|codice (?:segreto|di accesso)|hasł(?:o|a|u|em)|парол(?:ь|я|ю|ем|и)|密码|密碼|口令|パスワード|パスコード"
    r"|비밀번호|비번|패스워드|كلم(?:ة|ات) (?:ال)?(?:مرور|سر)(?:ي|نا|ك|ه|ها)?|باسوورد|باسورد"
    r"|पासवर्ड|পাসওয়ার্ড|(?:پاس ?ورڈ|رمز ?عبور|کلمه ?عبور|گذرواژه|پسورد)(?: من| ما)?"
    r"|m[ậa]t kh[ẩa]u(?: c[ủu]a (?:t[ôo]i|m[ìi]nh|em|anh))?|kata (?:sandi|laluan)(?:ku|mu|nya| saya| aku| kami)?"
    r"|(?:รหัสผ่าน|พาสเวิร์ด)(?:ของ(?:ฉัน|ผม|เรา|หนู))?|סיסמ(?:[הא](?: שלי| שלנו)?|תי|ת)"
    r"|κωδικ(?:ός|ό|ού)(?: (?:πρόσβασης|μου|μας|του wi-?fi))|συνθηματικ(?:ό|ού)(?: (?:μου|μας))?"
    rf"|{_START}(?:hesl(?:o|a|u|em)|salasana(?:ni|mme|n|a)?(?: (?:on|oli)(?=\s))?|lozink[aeiu]|zaporka|gesl[oau]"
    rf"|kodeord(?:et)?|lykilorð(?:ið)?|parool(?:i)?|slaptažod(?:is|į)|contrasenya|contrasinal|pasahitza|nenosiri|nywila|wagwoord){_END}"
    r"|парол(?:а|ата)(?: ми)?(?![а-яё])|лозинк[аеиу]|құпия ?сөз|პაროლი|գաղտնաբառ"
    r"|jelsz(?:[óo]|av)[a-záéíóöőúüű]{0,4}"
    rf"|(?:{_START}[şs]ifre|parola)(?:s[ıi](?:n[ıi])?|m(?:[ıi]z)?[ıi]?|n|leri)?{_END}"
    rf"|{_START}(?:pw|mdp|pswd?){_END}|pwd"
)
_PINS = (
    rf"{_START}(?:pin|puk)(?:[ -]?(?:codes?|numbers?|nummer|kode?n?|kodu(?:m|muz|n)?|k[oó]d(?:ja|om|unk)?|no\.|nr\."
    rf"|n[º°]|numaras[ıi]|код(?:а|ом|у)?|コード|番号|ナンバー|码|碼|号码|번호)|['’-]?(?:im(?:iz)?|em|je|u|ie)|\x20?#)?{_END}"
    rf"|{_START}(?:pinkoden?|geheimzahl|geheimnummer){_END}"
    r"|(?<![а-яё])пин(?:[ -]?код(?:а|ом|у)?)?(?![а-яё])"
    r"|暗証番号|핀 ?번호|비밀 번호|(?:ال)?(?:رقم|رمز|كود)ي? (?:ال)?سري"
    r"|(?:ال)?(?:رقم|رمز)ي? (?:ال)?تعريفي? (?:ال)?شخصي"
)
_SECRETS = (
    rf"secrets?|{_START}(?:geheimnis|secreto|segreto|segredo|sekret|titkom|titkunk){_END}|(?<![а-яё])секрет(?![а-яё])"
    r"|秘密|シークレット"
)
CALLED = re.compile(  # in small letters
    rf"(?P<password>{_PASSWORDS})|(?P<pin>{_PINS})"
    r"|(?P<key>(?:api|access|secret|private|account|auth|shared|master|encryption|signing|subscription)[ _-]?key)"
    rf"|(?P<secret>{_SECRETS})|token|credentials?"
)
SIGNS = (  # one of them is in each
    "pass", "pw", "pswd", "mdp", "kennw", "woord", "gangscode", "adgangskode", "lösenord", "contrase", "clave", "senha",
    "código", "codigo", "mot de", "mots de", "code sec", "code d", "codice", "palavra-", "hasł", "parol", "jelsz",
    "şifre", "sifre", "парол", "密", "口令", "パス", "비밀", "비번", "패스", "كلم", "باس", "pin", "puk", "geheim",
    "пин", "暗証", "핀", "سري", "تعريف", "key", "secret", "token", "credential", "segre", "sekret", "секрет",
    "シークレット", "titk", "पासवर्ड", "পাসওয়ার্ড", "ورڈ", "عبور", "گذرواژه", "پسورد", "t kh", "kata ", "รหัสผ่าน", "พาสเวิร์ด",
    "סיסמ", "κωδικ", "συνθηματικ", "hesl", "salasana", "lozink", "лозинк", "zaporka", "gesl", "kodeord", "lykilorð",
    "parool", "slaptažod", "pasahitz", "nenosiri", "nywila", "құпия", "პაროლი", "գաղտնաբառ",
)  # fmt: skip
POLISH = re.compile(r"(?:^|\W)(?:hasło|(?:mój|moje|nasz|nasze|twój|jego|jej|ten|nowy|kod) (?:\w{1,20} )?pin)$")
AMBIGUOUS = frozenset({"clave", "parola"})  # a key to something and a word, too
OURS = re.compile(  # what stands before "pin" where it is a number, not a needle
    r"(?:^|\W)(?:my|our|his|her|their|your|meine?r?|unsere?|deine?|mi|tu|su|nuestr[oa]|mon|ma|notre|votre|mi[ao]"
    r"|nostr[ao]|meu|minha|noss[ao]|mijn|ons|onze|m[óo]j|moj[ae]|nasze?|мо[йя]|наш|benim|az?|code|codice|c[oó]digo"
    r"|kod|код)\s$|(?:我的?|我们的?|我們的?|私の|俺の|僕の|내|제|나의)\s?$"
)
PREPOSITIONS = frozenset(
    """
    for to of on at from i we you he she they that which used
    für fürs zu zum zur vom von beim das die des der ich wir pour de du des sur que je j'utilise
    para del da do dos das no na di della dello dell' dei delle per che voor van dat op ik wij
    för till som jag på dla z ze które który których для от к ко на который которым что من على في إلى الخاصة الخاص
    """.split()
)
# After "password", what makes it the first half of another word, or the end of a statement.
NO_NAME = frozenset(
    """
    and or with in by at not only since until must should can per total stored found
    manager managers policy policies hint hints length strength field fields form box list prompt file files page link
    url count attempt attempts tries entries id question questions history app tool vault version chiave
    reset resets change changed changes changing last expires expired expiry expiration rotation rotated updated update
    generator generated hash hashes hashing hashed algorithm encryption encrypted protected protection rule rules
    requirement requirements max min minimum maximum leak leaked breach email mail user users username login name owner
    blocked locked wrong correct forgotten lost stolen
    und oder mit nicht im seit bis am sind vergessen geändert zurückgesetzt gesperrt falsch läuft abgelaufen verloren
    benutzer benutzername nutzername richtlinie länge
    y o con en desde olvidada olvidado cambiada cambiado bloqueado incorrecta usuario correo
    et ou avec depuis oublié changé bloqué expiré utilisateur identifiant
    e dimenticata cambiata scaduta bloccato utente esqueci alterada utilizador usuário
    en sinds met vergeten gewijzigd geblokkeerd gebruiker gebruikersnaam
    i lub od zapomniane zmienione użytkownik и или с не забыл забыла забыт изменён изменен логин пользователь
    و أو és ve
    """.split()
)
# Before what would be a secret, what says that it is a name: "for user bob2024", "for my iPhone15".
NAMES_NEXT = frozenset(
    """
    the a an my our your his her their this that for to of on at and or i we from
    user username account login server host model version room
    der die das den dem mein meinen meinem für von vom zum zur und benutzer nutzer konto zimmer
    el la los las le les il lo un una de del di du da do para pour per mi mon ma mio meu minha usuario
    het een mijn voor van op dla od mój для от на к моего
    """.split()
)
