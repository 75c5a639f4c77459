"""
Finds keys of providers by the forms these publish: a prefix of their own and enough letters behind it.

Each form begins where no letter or digit precedes it and takes every letter that may belong to it, so that no part
of a key is left and no second look finds more. The sign is a text that must occur before the pattern is tried at all.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_APART = r"(?<![A-Za-z0-9])"
_FAR_APART = r"(?<![\w-])"  # of forms that look ahead for a dot: one try a word, else the time would be quadratic
_NEAR = 240  # letters between an account's name and its secret

# kind, sign, pattern
_TABLE = (
    ("OpenAI key", "sk-", r"sk-(?:(?:proj|svcacct|admin|None)-[\w-]{20,}|(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{20,})"),
    ("Anthropic key", "sk-ant-", r"sk-ant-[\w-]{20,}"),
    ("OpenRouter key", "sk-or-", r"sk-or-[\w-]{20,}"),
    ("Langfuse key", "sk-lf-", r"sk-lf-[\w-]{20,}"),
    ("AWS access key", "AKIA", r"AKIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("AWS access key", "ASIA", r"ASIA(?=[A-Z]{0,15}\d)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("GitHub token", "gh", r"gh[opsur]_[A-Za-z0-9]{30,}"),
    ("GitHub token", "github_pat_", r"github_pat_\w{40,}"),
    ("GitLab token", "gl", r"gl(?:pat|ptt|dt|rtr?|soat|ft|cbt|imt|agent|oas|ffct|wt)-[\w-]{20,}(?:\.[\w-]{2,}){0,3}"),
    ("GitLab token", "GR1348941", r"GR1348941[\w-]{20,}"),
    ("Google key", "AIza", r"AIza[\w-]{35,}"),
    ("Google token", "ya29.", r"ya29\.[\w-]{20,}"),
    ("Google token", "1//0", r"1//0[\w-]{30,}"),
    ("Google client secret", "GOCSPX-", r"GOCSPX-[\w-]{20,}"),
    ("Slack token", "xox", r"xox[a-z]{1,2}-[A-Za-z0-9-]{10,}"),
    ("Slack token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{10,}"),
    ("Slack webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/]{20,}"),
    ("Stripe key", "k_", r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}"),
    ("webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/]{20,}={0,2}"),
    ("Docker token", "dckr_", r"dckr_(?:pat|oat)_[\w-]{20,}"),
    ("npm token", "npm_", r"npm_[A-Za-z0-9]{30,}"),
    ("PyPI token", "pypi-Ag", r"pypi-Ag[\w-]{50,}"),
    ("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,}"),
    ("Hugging Face token", "api_org_", r"api_org_[A-Za-z0-9]{30,}"),
    ("Discord webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d{10,30}/[\w-]{30,}"),
    ("Twilio key", "SK", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("Mailgun key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("DigitalOcean token", "_v1_", r"do[opr]_v1_[a-f0-9]{40,}(?![A-Za-z0-9])"),
    ("Shopify token", "shp", r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32,}(?![A-Za-z0-9])"),
    ("Square token", "sq0", r"sq0(?:atp|csp)-[\w-]{20,}"),
    ("Groq key", "gsk_", r"gsk_[A-Za-z0-9]{40,}"),
    ("xAI key", "xai-", r"xai-[A-Za-z0-9]{40,}"),
    ("Perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{40,}"),
    ("Replicate token", "r8_", r"r8_[A-Za-z0-9]{30,}"),
    ("Notion token", "ntn_", r"ntn_[A-Za-z0-9]{40,}"),
    ("Linear key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}"),
    ("Pinecone key", "pcsk_", r"pcsk_\w{40,}"),
    ("Databricks token", "dapi", r"dapi[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])"),
    ("Vault token", "hv", r"hv[sbr]\.[\w-]{20,}"),
    ("Atlassian token", "AT", r"AT(?:ATT|CTT)3[\w-]{50,}={0,2}"),
    ("Postman key", "PMAK-", r"PMAK-[\w-]{40,}"),
    ("New Relic key", "NRAK-", r"NRAK-[\w-]{20,}"),
    ("Grafana token", "gl", r"gl(?:c|sa)_(?=[A-Za-z_]{0,40}\d)\w{30,}"),
    ("Sentry token", "sntry", r"sntry[su]_[\w+/]{40,}={0,2}"),
    ("Doppler token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9]{40,}"),
    ("Tailscale key", "tskey-", r"tskey-[\w-]{20,}"),
    ("Supabase key", "sb", r"sb(?:p_[a-f0-9]{40,}(?![A-Za-z0-9])|_secret_[\w-]{20,})"),
    ("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}(?![A-Za-z0-9])"),
)
# no prefix of their own, or a dot inside
_OTHERS = (
    ("Mind Memory key", "mm_", rf"{_FAR_APART}mm_[A-Za-z0-9]{{4,40}}_(?=[A-Za-z_-]{{0,40}}\d)[\w-]{{32,}}"),
    ("Mind Memory session", "mms_", rf"{_FAR_APART}mms_[A-Za-z0-9]{{4,40}}_(?=[A-Za-z_-]{{0,40}}\d)[\w-]{{32,}}"),
    ("JSON web token", "eyJ", rf"{_FAR_APART}eyJ[\w-]{{8,}}+\.[\w-]{{8,}}+(?:\.[\w-]++){{0,3}}"),
    ("Telegram bot token", ":A", r"(?<!\d)\d{6,12}:A[\w-]{33,35}(?![\w-])"),
    (
        "Discord token",
        ".",
        rf"{_FAR_APART}(?:mfa\.[\w-]{{60,}}|[MNO](?=[A-Za-z_-]{{0,26}}\d)[\w-]{{23,27}}\.[\w-]{{6}}\.[\w-]{{27,}})",
    ),
    ("SendGrid key", "SG.", rf"{_FAR_APART}SG\.[\w-]{{16,32}}\.[\w-]{{16,}}"),
    ("Mailchimp key", "-us", r"(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])"),
)
_FORMS = tuple(
    (kind, sign, re.compile(pattern, re.ASCII))
    for kind, sign, pattern in (*((kind, sign, _APART + pattern) for kind, sign, pattern in _TABLE), *_OTHERS)
)
# An account's name, which is not a secret by itself, and what its secret looks like near it.
_PAIRS = (
    (
        "AWS secret key",
        ("AKIA", "ASIA"),
        re.compile(r"(?<![A-Za-z0-9])A(?:KI|SI)A[A-Z0-9]{16}(?![A-Za-z0-9])", re.ASCII),
        re.compile(r"(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])", re.ASCII),
    ),
    (
        "Twilio auth token",
        ("AC",),
        re.compile(r"(?<![A-Za-z0-9])AC[0-9a-f]{32}(?![A-Za-z0-9])", re.ASCII),
        re.compile(r"(?<![A-Za-z0-9])[0-9a-f]{32}(?![A-Za-z0-9])", re.ASCII),
    ),
)


def find_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Keys: start, end, kind."""
    for kind, sign, form in _FORMS:
        if sign in text:
            yield from ((found.start(), found.end(), kind) for found in form.finditer(text))
    for kind, signs, account, form in _PAIRS:
        if any(sign in text for sign in signs):
            yield from _beside(text, account, form, kind)


def _beside(text: str, account: re.Pattern[str], form: re.Pattern[str], kind: str) -> Iterator[tuple[int, int, str]]:
    accounts = [found.span() for found in account.finditer(text)]
    if not accounts:
        return
    starts, ends = [start for start, _ in accounts], [end for _, end in accounts]
    for found in form.finditer(text):
        after = bisect_left(starts, found.end())
        is_near = (after < len(starts) and starts[after] - found.end() <= _NEAR) or (
            after > 0 and 0 <= found.start() - ends[after - 1] <= _NEAR
        )
        if is_near and _is_mixed(found[0]):
            yield found.start(), found.end(), kind


def _is_mixed(text: str) -> bool:
    """Letters and digits: no name, no number; and for what has capitals, small letters too."""
    has_digit = any(letter.isdigit() for letter in text)
    return has_digit and not text.isdigit() and (not text.isupper())
