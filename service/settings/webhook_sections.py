"""The sections of the settings that say which other services get events, and how often they are sent again."""

from __future__ import annotations

from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, PositiveFloat, SecretStr, field_validator, model_validator

from service.access.addresses import ascii_host, is_this_machine_or
from service.settings.field_types import HostName, MindName  # noqa: TC001 - pydantic reads it
from service.settings.otlp_endpoint import is_address
from service.settings.sections import Section
from service.webhooks.endpoint import SENT_KINDS, SentKind, signing_key


class WebhookSettings(Section):
    """An address that events are posted to."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$", description="What it is called in answers and logs.")
    url: SecretStr = Field(description="Where events are posted to. Its path may hold a secret, so it is not shown.")
    secret: SecretStr = Field(description="`whsec_` and base64 of 24 to 64 random bytes; the receiver has the same.")
    kinds: tuple[SentKind, ...] = Field(SENT_KINDS, min_length=1, description="The kinds of events that it gets.")
    minds: tuple[MindName, ...] = Field(
        (), max_length=1_000, description="The minds whose events it gets, by id or name."
    )

    @field_validator("url")
    @classmethod
    def _in_ascii(cls, url: SecretStr) -> SecretStr:
        """The address with its host as it is sent; what is not an address is refused below."""
        address = url.get_secret_value()
        if not is_address(address):
            return url
        parts = urlsplit(address)
        if ":" not in (host := parts.hostname or ""):
            netloc = parts.netloc.lower().replace(host, ascii_host(host))
            address = parts._replace(netloc=netloc).geturl()
        return SecretStr(address)

    @model_validator(mode="after")
    def _is_usable(self) -> Self:
        address = self.url.get_secret_value()
        if not is_address(address) or "@" in urlsplit(address).netloc:
            raise ValueError(f"{self.name}: url must be an http:// or https:// address without a password")
        try:
            signing_key(self.secret.get_secret_value())
        except ValueError as error:
            raise ValueError(f"{self.name}: secret {error}") from None
        return self


class WebhooksSettings(Section):
    """Events posted to other services, signed, until they take them."""

    endpoints: tuple[WebhookSettings, ...] = Field(
        (), max_length=20, description="Who gets events: a list of `name`, `url`, `secret`, and maybe `kinds`, `minds`."
    )
    allowed_hosts: tuple[HostName, ...] = Field(
        (),
        examples=["hooks.example.com"],
        description="The hosts, besides this machine, that events may be posted to.",
    )
    timeout_seconds: PositiveFloat = Field(15, description="The time limit of one attempt.")
    first_retry_seconds: PositiveFloat = Field(
        5,
        description="The pause after a first failed attempt. Each further pause is twice as long. "
        "Each pause is shortened at random, by at most half.",
    )
    most_retry_seconds: PositiveFloat = Field(
        3600, description="The longest pause between two attempts, unless `Retry-After` asks for more."
    )
    give_up_hours: Annotated[PositiveFloat, Field(le=87_600)] = Field(
        72, description="The age of an event above which a failed attempt is the last one; at most 87600, ten years."
    )

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        if self.first_retry_seconds > self.most_retry_seconds:
            raise ValueError("first_retry_seconds must be at most most_retry_seconds")
        names = [one.name for one in self.endpoints]
        for one in self.endpoints:
            if names.count(one.name) > 1:
                raise ValueError(f"two endpoints are called {one.name}")
            host = urlsplit(one.url.get_secret_value()).hostname or ""
            if not is_this_machine_or(host, self.allowed_hosts):
                raise ValueError(f"{one.name}: {host} is not this machine: add it to WEBHOOKS__ALLOWED_HOSTS")
        return self
