"""Browser sessions: how one begins, who calls, and the tickets of the console."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, model_validator

from service.access.principal import scopes_of
from service.access.sign_in import SignedIn, Standing
from service.http.schemas.fields import Answered, Body

type Scope = Literal["minds", "administration"]

_EXPIRES_AT = "2026-01-09T18:31:00Z"
SIGNS_IN: dict[str, Any] = {"ticket": "4f1c" * 16}
SESSION: dict[str, Any] = {
    "token": f"mms_1a2b3c4d_{'0' * 64}",
    "expires_at": _EXPIRES_AT,
    "name": "owner",
    "key_id": None,
    "scopes": ["minds", "administration"],
    "minds": None,
}
STANDING: dict[str, Any] = {
    "name": "local",
    "key_id": None,
    "scopes": ["minds", "administration"],
    "minds": None,
    "access": "open",
    "expires_at": None,
}
TICKET: dict[str, Any] = {"ticket": None, "url": "http://127.0.0.1:8001/console/", "expires_at": None}


def _encodable(secret: SecretStr) -> SecretStr:
    try:
        secret.get_secret_value().encode()
    except UnicodeEncodeError as error:
        raise ValueError("contains half of a surrogate pair, which is not text") from error
    return secret


Secret = Annotated[SecretStr, Field(min_length=1, max_length=200), AfterValidator(_encodable)]
Scopes = Annotated[
    list[Scope], Field(description="`administration`: keys, audit log, settings of the service. Only with all minds.")
]
Minds = Annotated[list[str] | None, Field(description="The only minds that there are for it; null for all.")]
KeyName = Annotated[str, Field(description="As the key was called; `owner` of the home, or `local` without keys.")]
KeyId = Annotated[str | None, Field(description="As `GET /v1/keys` lists it; null without a key.")]


class SessionIn(Body):
    """What proves who begins a session: one of the two."""

    ticket: Secret | None = Field(None, description="Good once, for ten minutes.")
    key: Secret | None = Field(None, description="An API key, `mm_…`.")

    model_config = Body.model_config | {"json_schema_extra": {"examples": [SIGNS_IN]}}

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if (self.ticket is None) == (self.key is None):
            raise ValueError("must have either `ticket` or `key`")
        return self


class SignedInOut(Answered):
    """A session that was begun."""

    token: str = Field(description="For `Authorization: Bearer`. It is shown this once.")
    expires_at: datetime
    name: KeyName
    key_id: KeyId
    scopes: Scopes
    minds: Minds


class StandingOut(Answered):
    """Who calls."""

    name: KeyName
    key_id: KeyId
    scopes: Scopes
    minds: Minds
    access: Literal["open", "key", "session"] = Field(description="`open`: nobody needs a key here.")
    expires_at: datetime | None


class TicketOut(Answered):
    """A link to the console. Where nobody needs to sign in, it has no ticket."""

    ticket: str | None
    url: str = Field(description="The console, with the ticket in the fragment.")
    expires_at: datetime | None


def session_out(signed_in: SignedIn) -> SignedInOut:
    """A session as it is answered."""
    return SignedInOut.model_validate({**_whose(signed_in.standing), "token": signed_in.token})


def standing_out(standing: Standing) -> StandingOut:
    """A caller as it is answered."""
    return StandingOut.model_validate({**_whose(standing), "access": standing.access})


def _whose(standing: Standing) -> dict[str, Any]:
    return {
        "name": standing.name,
        "key_id": standing.key_id,
        "scopes": scopes_of(standing.minds),
        "minds": standing.minds,
        "expires_at": standing.expires_at,
    }
