"""Every knob, typed, frozen, and named after the thing it turns. Read once, by the entry points; never below them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import AliasChoices, BaseModel, Field, PositiveInt, SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from consolidation.kernel.discretion import MARKERS
from consolidation.kernel.secrets import in_address
from service.collector import endpoint_of, secrets_in
from service.sections import (
    AccessSettings,
    ArchiveSettings,
    DigestionSettings,
    EmbedderSettings,
    GraphSettings,
    JournalSettings,
    Marker,
    ModelSettings,
    ProxySettings,
    ResonanceSettings,
    StorySettings,
    TelemetrySettings,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEAST_HIDDEN = 5  # letters: less is in too many words
_NO_KEYS = frozenset({"dummy", "empty", "no-key", "ollama", "lm-studio", "not-needed"})  # for servers that want none
_KEYS_ELSEWHERE = ("_API_KEY", "_ACCESS_KEY", "_TOKEN", "_SECRET")  # variables that providers' libraries read


class Settings(BaseSettings):
    """The environment first, then ``mind-memory.toml`` in the working folder, then these defaults."""

    model_config = SettingsConfigDict(
        env_prefix="MIND_MEMORY_",
        env_nested_delimiter="__",
        frozen=True,
        extra="forbid",
        toml_file="mind-memory.toml",
        populate_by_name=True,
    )

    home: Path = Field(Path("~/.mind-memory"), description="Where everything is kept.")
    host: str = Field("127.0.0.1", description="The address to listen on.")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(8001, description="The port to listen on.")
    trust_network: bool = Field(
        False,  # noqa: FBT003
        description="Answer other machines without a key: for a container whose port is published on loopback only.",
    )
    falkordb_url: SecretStr | None = Field(
        None,
        description="A FalkorDB server, like redis://localhost:6379; embedded without one.",
        validation_alias=AliasChoices("FALKORDB_URL", "MIND_MEMORY_FALKORDB_URL", "falkordb_url"),
    )
    graph_prefix: str = Field("mind_", pattern=r"^[a-z0-9_]{0,32}$", description="In front of every graph's name.")
    model: str | None = Field(None, description="One litellm model for all roles that name none of their own.")
    api_base: str | None = Field(None, description="Where `model` answers, when not at its provider's usual place.")
    api_key: SecretStr | None = Field(None, description="Its key, when not in its provider's usual variable.")
    agent: str = Field("the assistant", description="What the bot is called in prompts.")
    max_body_bytes: PositiveInt = Field(1024 * 1024, description="The largest request.")
    log_level: str = Field("INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$", description="The quietest event logged.")
    log_json: bool = Field(False, description="One JSON object a line, instead of words for people.")  # noqa: FBT003
    redact_secrets: bool = Field(
        default=True, description="Replace keys, passwords and card numbers before a turn is kept."
    )
    off_the_record_markers: tuple[Marker, ...] = Field(
        MARKERS, description="In a user's message, any of these voids the turn: none of its words is kept."
    )
    models: ModelSettings = Field(ModelSettings(), description="Models by role.")
    embedder: EmbedderSettings = Field(EmbedderSettings(), description="Vectors.")
    graph: GraphSettings = Field(GraphSettings(), description="FalkorDB.")
    resonance: ResonanceSettings = Field(ResonanceSettings(), description="Before a turn.")
    story: StorySettings = Field(StorySettings(), description="STORY.md.")
    journal: JournalSettings = Field(JournalSettings(), description="MEMORY.md and memory/.")
    proxy: ProxySettings = Field(ProxySettings(), description="OpenAI's API.")
    access: AccessSettings = Field(AccessSettings(), description="Who may call.")
    digestion: DigestionSettings = Field(DigestionSettings(), description="After a turn.")
    archive: ArchiveSettings = Field(ArchiveSettings(), description="Export and import.")
    telemetry: TelemetrySettings = Field(TelemetrySettings(), description="Spans.")

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every value that must not be shown, the longest first: keys, passwords, what addresses carry."""
        found = [*_secrets(self), *(os.environ[name] for name in os.environ if name.upper().endswith(_KEYS_ELSEWHERE))]
        found += secrets_in(os.environ)
        hidden = {one for one in found if len(one) >= _LEAST_HIDDEN and one.casefold() not in _NO_KEYS}
        return tuple(sorted(hidden, key=lambda one: (-len(one), one)))

    @property
    def folder(self) -> Path:
        """``home`` as an absolute path."""
        return self.home.expanduser().absolute()

    @property
    def traces_endpoint(self) -> str | None:
        """The whole address that spans are posted to; None where nobody listens. Raises ConfigurationFault."""
        return endpoint_of(self.telemetry.otlp_endpoint, os.environ)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read mind-memory.toml after the environment; nothing is read from .env or secret files."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def _secrets(section: BaseModel) -> Iterator[str]:
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            yield from _secrets(value)
        elif isinstance(value, SecretStr):
            yield value.get_secret_value()
            yield from in_address(value.get_secret_value())
        elif name in {"api_base", "otlp_endpoint"} and value is not None:
            yield from in_address(value)
