"""Secrets in texts: what is found, what is left alone, and that looking costs little, whatever stands there.

The secrets here are made of parts, so that no scanner of this repository takes them for real ones.
"""

from __future__ import annotations


import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.secrets.redaction import in_address, redact, redact_value, without_secrets_of
from tests.support.growth import assert_linear, repeated
from tests.support.strategies import texts


def some(length, *, of="aB3dE5gH7jK9mN2pQ4sT6vX8z"):
    """So many letters of a key."""
    return (of * (length // len(of) + 1))[:length]


HEX = "0a1b2c3d4e5f6789"
CAPITALS = "A2B3C4D5E6F7G2H3"
PEM = "\n".join(
    ("-----BEGIN {0}PRIVATE KEY{1}-----", "{2}", some(64), some(64), "aB3dE5==", "-----END {0}PRIVATE KEY{1}-----")
)
CUT = f"-----BEGIN RSA PRIVATE KEY-----\n{some(64)}\n{some(64)}"
JWT = f"eyJ{some(20)}.eyJ{some(30)}.{some(43)}"
AWS = f"AKIA{CAPITALS}"
AWS_SECRET = some(19) + "/" + some(20)

# the secret, and the kind it is called; each is looked for alone and in a sentence
KEYS = [
    (f"sk-{some(48)}", "OpenAI key"),
    (f"sk-proj-{some(40)}_{some(30)}-{some(10)}", "OpenAI key"),
    (f"sk-svcacct-{some(40)}", "OpenAI key"),
    (f"sk-ant-api03-{some(40)}-{some(40)}AA", "Anthropic key"),
    (f"sk-or-v1-{some(64, of=HEX)}", "OpenRouter key"),
    (AWS, "AWS access key"),
    (f"ASIA{CAPITALS}", "AWS access key"),
    (f"ghp_{some(36)}", "GitHub token"),
    (f"gho_{some(36)}", "GitHub token"),
    (f"ghs_{some(36)}", "GitHub token"),
    (f"github_pat_{some(22)}_{some(59)}", "GitHub token"),
    (f"glpat-{some(20)}", "GitLab token"),
    (f"glpat-{some(27)}.01.{some(9)}", "GitLab token"),
    (f"glrt-{some(20)}", "GitLab token"),
    (f"AIza{some(35)}", "Google key"),
    (f"GOCSPX-{some(28)}", "Google client secret"),
    (f"ya29.{some(60)}", "Google token"),
    (f"xoxb-{'1' * 12}-{'2' * 12}-{some(24)}", "Slack token"),
    (f"xoxp-{'1' * 12}-{some(30)}", "Slack token"),
    (f"xapp-1-A{some(10)}-{'1' * 12}-{some(40)}", "Slack token"),
    (f"hooks.slack.com/services/T{some(8)}/B{some(8)}/{some(24)}", "Slack webhook"),
    (f"sk_live_{some(24)}", "Stripe key"),
    (f"rk_test_{some(24)}", "Stripe key"),
    (f"whsec_{some(32)}", "webhook secret"),
    (f"npm_{some(36)}", "npm token"),
    (f"pypi-AgEIcHlwaS5vcmc{some(80)}", "PyPI token"),
    (f"hf_{some(34)}", "Hugging Face token"),
    (f"123456789:AA{some(33)}", "Telegram bot token"),
    (f"M{some(23)}.{some(6)}.{some(27)}", "Discord token"),
    (f"discord.com/api/webhooks/{'1' * 18}/{some(68)}", "Discord webhook"),
    (f"SG.{some(22)}.{some(43)}", "SendGrid key"),
    (f"SK{some(32, of=HEX)}", "Twilio key"),
    (f"mm_{some(8, of=HEX)}_{some(64, of=HEX)}", "Mind Memory key"),
    (f"mms_{some(8, of=HEX)}_{some(64, of=HEX)}", "Mind Memory session"),
    (f"key-{some(32, of=HEX)}", "Mailgun key"),
    (f"{some(32, of=HEX)}-us12", "Mailchimp key"),
    (f"dop_v1_{some(64, of=HEX)}", "DigitalOcean token"),
    (f"shpat_{some(32, of=HEX)}", "Shopify token"),
    (f"sq0atp-{some(22)}", "Square token"),
    (f"gsk_{some(52)}", "Groq key"),
    (f"xai-{some(80)}", "xAI key"),
    (f"pplx-{some(48)}", "Perplexity key"),
    (f"r8_{some(37)}", "Replicate token"),
    (f"ntn_{some(46)}", "Notion token"),
    (f"lin_api_{some(40)}", "Linear key"),
    (f"dapi{some(32, of=HEX)}", "Databricks token"),
    (f"hvs.{some(90)}", "Vault token"),
    (f"glsa_{some(32)}_{some(8, of=HEX)}", "Grafana token"),
    (f"tskey-auth-{some(16)}-{some(32)}", "Tailscale key"),
    (f"AGE-SECRET-KEY-1{some(58, of=CAPITALS)}", "age key"),
    (JWT, "JSON web token"),
    (PEM.format("", "", ""), "private key"),
    (PEM.format("RSA ", "", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C3D\n"), "private key"),
    (PEM.format("EC ", "", ""), "private key"),
    (PEM.format("OPENSSH ", "", ""), "private key"),
    (PEM.format("ENCRYPTED ", "", ""), "private key"),
    (PEM.format("PGP ", " BLOCK", "Version: GnuPG v2\n"), "private key"),
    (PEM.format("", "", "").replace("\n", "\\n"), "private key"),
    (PEM.format("", "", "").replace("\n", "\r\n"), "private key"),
    (CUT, "private key"),
    (f"{CUT}\naB3dE5", "private key"),
    (CUT.replace("\n", "\\n"), "private key"),
]
CARDS = [
    "4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", "4111 - 1111 - 1111 - 1111", "4012888888881881",
    "4111\u00a01111\u00a01111\u00a01111", "5555555555554444", "5105 1051 0510 5100", "2223003122003222", "2720 9900 0000 0007",
    "378282246310005", "3782 822463 10005", "371449635398431", "6011 1111 1111 1117", "6011000990139424",
    "30569309025904", "3056 930902 5904", "36227206271667", "3530111333300000", "3566 0020 2036 0505",
    "6759 6498 2643 8453", "6200000000000005", "5019 7170 1010 3742", "٤١١١ ١١١١ ١١١١ ١١١١", "４１１１１１１１１１１１１１１１",
    "2200 0000 0000 0004", "4111.1111.1111.1111", "3782.822463.10005", "4111/1111/1111/1111",
]  # fmt: skip
# a text, the secret in it, and the kind
IN_WORDS = [
    ("password=hunter22", "hunter22", "password"),
    ("PASSWORD: 'Tr0ub4dor&3'", "Tr0ub4dor&3", "password"),
    ("my password is hunter2!", "hunter2!", "password"),
    ("The password for the flat is Sommer2024.", "Sommer2024", "password"),
    ("das Passwort lautet Kaffee42, ja?", "Kaffee42", "password"),
    ("le mot de passe est Soleil2024", "Soleil2024", "password"),
    ("la contraseña es Playa#99", "Playa#99", "password"),
    ("A senha é praia2020", "praia2020", "password"),
    ("пароль: Москва77", "Москва77", "password"),
    ("密码是abc123def，谢谢", "abc123def", "password"),
    ("パスワードは sakura88 です", "sakura88", "password"),
    ("비밀번호: seoul2020", "seoul2020", "password"),
    ('{"password": "P@$$w0rd"}', "P@$$w0rd", "password"),
    ('{\\"password\\": \\"P@ssw0rd\\"}', "P@ssw0rd", "password"),
    ('DB_PASSWORD="a(b)c1"', "a(b)c1", "password"),
    ("pwd := s3cr3t_value", "s3cr3t_value", "password"),
    ("**Password:** Winter2025", "Winter2025", "password"),
    ("passphrase: 12345678", "12345678", "password"),
    (f"api_key: {some(32)}", some(32), "secret value"),
    (f"API-Key = \"{some(32, of=HEX)}\"", some(32, of=HEX), "secret value"),
    (f"export SERVICE_API_KEY={some(24)}", some(24), "secret value"),
    (f"clientSecret: '{some(24)}'", some(24), "secret value"),
    (f"access_token={some(40)}&user=ada", some(40), "secret value"),
    (f"AccountKey={some(86)}==", f"{some(86)}==", "secret value"),
    ("token: 550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000", "secret value"),
    (f"aws_secret_access_key = {AWS_SECRET}", AWS_SECRET, "secret value"),
    (f"{AWS} and then {AWS_SECRET}, both", AWS_SECRET, "AWS secret key"),
    (f"{AWS_SECRET} belongs to {AWS}", AWS_SECRET, "AWS secret key"),
    (f"AC{some(32, of=HEX)} {some(32, of=HEX[::-1])}", some(32, of=HEX[::-1]), "Twilio auth token"),
    (f"Authorization: Bearer {some(20)}", some(20), "Authorization header"),
    ("-H 'Authorization: Basic dXNlcjpwYXNz'", "dXNlcjpwYXNz", "Authorization header"),
    (f'"authorization": "Bearer {some(30)}"', some(30), "Authorization header"),
    (f"send it as bearer {some(30)}", some(30), "bearer token"),
    ("postgres://bob:s3cret@db.example.com/x", "s3cret", "password in a URL"),
    ("redis://:onlyletters@10.0.0.1:6379", "onlyletters", "password in a URL"),
    ("https://ada:p%40ss:w0rd@host/path?x=1", "p%40ss:w0rd", "password in a URL"),
    ("amqp://u:p@ss@host", "p@ss", "password in a URL"),
    (f"https://h/v1?key={some(30)}&x=1", some(30), "key in a URL"),
    ("https://h/v1?x=1&api_key=abc12345#top", "abc12345", "key in a URL"),
    (f"https://api.telegram.org/bot123456789:AA{some(33)}/getMe", f"123456789:AA{some(33)}", "Telegram bot token"),
    ("Meine Karte ist 4111 1111 1111 1111, gültig bis 12/27, 123", "4111 1111 1111 1111", "card number"),
    ("4111 1111 1111 1111 123", "4111 1111 1111 1111", "card number"),
    ("my card: 4222222222222", "4222222222222", "card number"),
    ("maestro 6304 0000 0000 0000 000", "6304 0000 0000 0000 000", "card number"),
    ("credit card #4111111111111111", "4111111111111111", "card number"),
    ("卡号4111111111111111。", "4111111111111111", "card number"),
]  # fmt: skip
LEFT_ALONE = [
    "", "plain words", "the password is required", "password: case-sensitive", "Forgot your password? Reset it.",
    "password = getpass.getpass()", "password: str", "password = None", "PASSWORD=${DB_PASSWORD}", "password=$PASS_1",
    "password: ********", "password=<your-password-1>", "password: your-password-1", "api_key=settings.api_key2",
    'token = response.json()["token2"]', "token=os.environ['GITHUB_TOKEN_2']", "max_tokens=128000", "tokens: 1234567890123456",
    "OPENAI_API_KEY=OPENAI_API_KEY_2", "the secret is out", "secret: it is a surprise for 2026", "the key is under the mat",
    "token: 2026-01-09T18:30:00Z", "client_secret: see /run/secrets/api_key1", "Authorization: required", "authorization: SecretStr",
    "a bearer of bad tidings", "Bearer token", "sk-learn is a library", "task-management-2024-overview-of-everything",
    "ghp_short", "hf_hub_download", "npm_config_registry", "xoxo, Ada", "AKIA is a prefix", "ASIAPACIFICCONFERENCE", "SG. Dynamo Dresden",
    "mm_blend_the_vectors_32_bytes", "eyJhbGciOiJIUzI1NiJ9", "M1.2.3", "-----BEGIN PRIVATE KEY----- is how it begins",
    "-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----", "-----BEGIN PUBLIC KEY-----\n" + some(64) + "\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\n" + some(64) + "\n-----END CERTIFICATE-----", "ssh-rsa " + some(64),
    "https://example.com:8080/path", "mailto:ada@example.com", "https://user@example.com", "git@github.com:org/repo.git",
    "https://x.atlassian.net/browse?key=PROJ-1234", "https://h/?token={token}", "http://${USER}:${PASS}@host", "s3://bucket/a:b/c@d",
    "3f786850e387550fdab836ed7e6dc881de23001b", "d41d8cd98f00b204e9800998ecf8427e", "550e8400-e29b-41d4-a716-446655440000",
    "12345678-1234-1234-1234-123456789012", "+49 30 1234567", "+1 (415) 555-2671", "0049 151 23456789", "4915112345678",
    "order 4006381333931", "ISBN 978-3-16-148410-0", "9783161484100", "EAN 4006381333931", "IMEI 356938035643809",
    "DE89 3704 0044 0532 0130 00", "FR76 3000 6000 0112 3456 7890 189", "GB82WEST12345698765432", "1767983405123", "1767983405123456",
    "1767983405123456789", "417381234567890123", "2026-01-09 18:30:05.123456", "2019 2020 2021 2022", "4111 1111 1111 1112",
    "1234 5678 9012 3456", "0000 0000 0000 0000", "0.4111111111111111", "4111111111111111.5", "x4111111111111111", "4111111111111111x",
    "302-1234567-1234567", "4100 4200 4300 4400 4500", "192.168.100.200", "1,234,567,890,123", "π = 3.14159265358979323846",
    "[redacted: card number]", "password: [redacted: password]", "https://u:[redacted: password in a URL]@h", "我的密码忘了", "\ud800 half",
]  # fmt: skip
WORDS_AROUND = ("{}", "Here: {} and so on.", "（{}）", "x={}\n", "\u202e{}\u200b")


@pytest.mark.parametrize(("secret", "kind"), KEYS)
@pytest.mark.parametrize("around", WORDS_AROUND)
def test_a_key_is_replaced_and_nothing_else(secret, kind, around):
    found = redact(around.format(secret))

    assert found.text == around.format(f"[redacted: {kind}]")
    assert found.kinds == (kind,)


@pytest.mark.parametrize("number", CARDS)
@pytest.mark.parametrize("around", ["{}", "my card: {}, valid to 12/27", "pay with {}.", "({})", "卡{}。"])
def test_a_card_is_replaced_and_nothing_else(number, around):
    found = redact(around.format(number))

    assert found.text == around.format("[redacted: card number]")
    assert found.kinds == ("card number",)


@pytest.mark.parametrize(("text", "secret", "kind"), IN_WORDS)
def test_what_is_called_a_secret_is_replaced_and_what_calls_it_so_stays(text, secret, kind):
    found = redact(text)

    assert secret not in found.text
    assert kind in found.kinds
    assert found.text.replace(f"[redacted: {kind}]", secret) == text or len(found.kinds) > 1


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_is_no_secret_stays_as_it_is(text):
    assert redact(text) == redact(redact(text).text)
    assert redact(text).text == text


def test_several_secrets_are_told_in_their_order_and_once_each():
    found = redact(f"ghp_{some(36)}, 4111111111111111, ghp_{some(36)[::-1]}")

    assert found.text == "[redacted: GitHub token], [redacted: card number], [redacted: GitHub token]"
    assert found.kinds == ("GitHub token", "card number")


def test_a_json_value_is_searched_in_all_its_texts_and_a_key_says_what_its_text_is():
    value = {"password": "hunter22", "note": ["card 4111111111111111", 7, None], "deep": {f"ghp_{some(36)}": True}}

    found, kinds = redact_value(value)

    assert found == {
        "password": "[redacted: password]",
        "note": ["card [redacted: card number]", 7, None],
        "deep": {"[redacted: GitHub token]": True},
    }
    assert set(kinds) == {"password", "card number", "GitHub token"}


def test_an_address_gives_away_its_password_and_its_query():
    url = "https://ada:p%40ss@host:1/v1?key=abc&x=d%2Fe"

    assert set(in_address(url)) == {"p%40ss", "p@ss", "abc", "d/e", "d%2Fe"}
    assert without_secrets_of(url) == "https://host:1/v1"
    assert without_secrets_of("host:1/v1?key=abc") == "host:1/v1"
    assert in_address("http://[broken") == ()


pieces = st.sampled_from([
    *(secret for secret, _ in KEYS), *CARDS, *(text for text, *_ in IN_WORDS), *LEFT_ALONE,
    "sk-", "ghp_", "password=", "password is ", '"', "://", ":", "@", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----",
    "eyJ", ".", "card ", "4111 ", "?key=", "&", "=", "[redacted: ", "]", " ", "\n", "-", "_", "a", "1", "İ", "\ud800",
])  # fmt: skip
anything = st.lists(st.one_of(pieces, texts, st.text(max_size=8)), max_size=12).map("".join)


@given(anything)
def test_a_redacted_text_is_not_changed_again(text):
    once = redact(text)

    assert redact(once.text).text == once.text
    assert redact(once.text).kinds == ()


@given(anything)
def test_nothing_outside_a_mark_is_changed(text):
    found = redact(text)

    at = 0
    rest = found.text
    for kind in found.kinds:
        assert f"[redacted: {kind}]" in rest
    for part in _between_marks(found.text, found.kinds):
        at = text.index(part, at) + len(part)
    assert bool(found.kinds) == (found.text != text)


def _between_marks(text, kinds):
    parts = [text]
    for kind in kinds:
        parts = [one for part in parts for one in part.split(f"[redacted: {kind}]")]
    return parts


@given(st.text(), st.text())
def test_a_secret_is_found_whatever_stands_around_it(before, after):
    secret = f"ghp_{some(36)}"

    assert secret not in redact(f"{before} {secret} {after}").text


NASTY = {
    "prose": "The quick brown fox jumps over the lazy dog. ", "one letter": "a", "digits": "4", "pairs": "1 ", "blanks": " ",
    "groups": "4111 ", "said to be cards": "card 4111 4111 ", "groups of three": "card " + "400 " * 12, "cards": "4111 1111 1111 1111 x ",
    "tokens begun": "eyJ", "tokens in one word": "eyJaaaaaaaa-", "tokens cut": "eyJaaaaaaaa.", "passwords": "password=",
    "passwords told": "password for a a a is ", "passwords given": "password=abcdef1 ", "keys given": 'api_key="abcd1234efgh5678" ',
    "addresses": "://a:", "one address": "a:", "at signs": "b@", "headers": "-----BEGIN PRIVATE KEY-----", "dashes": "-",
    "keys cut off": "-----BEGIN PRIVATE KEY-----" + "A" * 16, "a header's end": "-----BEGIN A A A A A ", "header lines": "Ab: x\n",
    "accounts": "AKIAIOSFODNN7EXAMPLE ", "accounts and secrets": "AKIAIOSFODNN7EXAMPLE " + "aB3/" * 10 + " ", "bearers": "bearer ",
    "parameters": "?key=abcdef1", "marks": "[redacted: password]", "Discord": "Maaaaaaaaaaaaaaaaaaaaaaa1.aaaaaa.", "prefixes": "sk-",
    "Telegram": "123456:A", "dots": "SG.", "密码": "密码是", "emoji": "😀", "authorizations": "authorization: basic ",
}  # fmt: skip


@pytest.mark.parametrize("name", NASTY)
def test_the_cost_of_anything_grows_with_its_length(name):
    starts = {"header lines": "-----BEGIN PRIVATE KEY-----\n", "one address": "://", "at signs": "://a:"}

    assert_linear(redact, repeated(NASTY[name], start=starts.get(name, "")))


GITHUB = f"ghp_{some(36)}"
FULL_WIDTH = str.maketrans({letter: chr(ord(letter) + 0xFEE0) for letter in "ghp_"})


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"it is {GITHUB[:1]}\u200b{GITHUB[1:]} now", "it is [redacted: GitHub token] now"),
        (f"it is {GITHUB[:20]}\u2060{GITHUB[20:]} now", "it is [redacted: GitHub token] now"),
        (f"Ü {GITHUB[:4].translate(FULL_WIDTH)}{GITHUB[4:]} now", "Ü [redacted: GitHub token] now"),
        ("4111\u200b1111\u200b1111\u200b1111", "[redacted: card number]"),
        ("pass\u00adword=hunter2!x", "pass\u00adword=[redacted: password]"),
    ],
    ids=["after a letter", "in halves", "full width", "card", "label"],
)
def test_a_secret_is_found_as_it_is_read_and_what_is_around_it_stays_as_it_is_written(text, left):
    assert redact(text).text == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("export DB_PASS=hunter2!x", "export DB_PASS=[redacted: password]"),
        ("MYSQL_ROOT_PW: 'hunter2!x'", "MYSQL_ROOT_PW: '[redacted: password]'"),
        ("curl -s -u ada:hunter2 https://a.example", "curl -s -u ada:[redacted: password] https://a.example"),
        ("curl --user=ada:b https://a.example", "curl --user=ada:[redacted: password] https://a.example"),
        ("Cookie: session=abcd1234efgh; theme=dark", "Cookie: session=[redacted: cookie]; theme=dark"),
        (
            "Set-Cookie: id=a1b2c3d4e5; Path=/; Max-Age=31536000",
            "Set-Cookie: id=[redacted: cookie]; Path=/; Max-Age=31536000",
        ),
    ],
)
def test_what_a_shell_and_a_request_show_is_found(text, left):
    assert redact(text).text == left


@pytest.mark.parametrize(
    "text",
    [
        "docker run -u 1000:1000 alpine",
        "curl -u $USER:$PASSWORD https://a.example",
        "export DB_PASS=$SECRET_OF_CI",
        "The cookie: a biscuit, says my mother.",
        "Cookie: theme=dark; lang=en",
        "ｆｕｌｌ　ｗｉｄｔｈ and soft\u00adhyphens stay",
        "👩\u200d👩\u200d👧 and می\u200cخواهم",
    ],
)
def test_what_only_looks_like_it_stays(text):
    assert redact(text).text == text


@pytest.mark.parametrize("part", ["curl -u ", "Cookie: a=b1;", "A_PASS=", "ｇ\u200b", "a\u200b"])
def test_looking_at_commands_and_odd_letters_costs_little(part):
    assert_linear(redact, repeated(part))
