"""All settings, typed and frozen. Only the entry points (`app`, `cli`) and `composition` read them."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    Field,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    SecretStr,
)
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from consolidation.secrets.privacy_filter import MARKERS
from consolidation.secrets.redaction import in_address
from service.ports.database_address import password_in, shown_database
from service.ports.graph_address import shown
from service.settings.field_types import Address, Folder, Host, Marker, ModelName  # noqa: TC001 - pydantic reads them
from service.settings.otlp_endpoint import endpoint_of, secrets_in
from service.settings.sections import (
    AccessSettings,
    ArchiveSettings,
    DigestionSettings,
    EmbedderSettings,
    EntityKindSettings,
    FacadeSettings,
    GraphSettings,
    ImportsSettings,
    JournalSettings,
    ModelSettings,
    ProxySettings,
    ResonanceSettings,
    SleepSettings,
    StorySettings,
    TelemetrySettings,
    TracesSettings,
    VoiceSettings,
    each_kind_once,
)
from service.settings.webhook_sections import WebhooksSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEAST_HIDDEN = 5  # shorter values occur inside ordinary words
# Placeholders for servers that need no key.
_NO_KEYS = frozenset({"dummy", "empty", "no-key", "ollama", "lm-studio", "not-needed"})
_KEYS_ELSEWHERE = ("_API_KEY", "_ACCESS_KEY", "_TOKEN", "_SECRET")  # endings of variables that provider libraries read

TOML = "mind-memory.toml"
SHOWN = {"falkordb_url": shown, "database": shown_database}  # secrets of which a part may be shown


def _prefix(text: str) -> str:
    if re.fullmatch("[a-z0-9_]{0,32}", text) is None:
        raise ValueError("must be at most 32 of a-z, 0-9 and _")
    return text


def read_toml() -> dict[str, Any]:
    """
    What ``mind-memory.toml`` sets; a byte order mark before it, as editors on Windows put there, is not read.

    Raises OSError, UnicodeDecodeError, TOMLDecodeError.
    """
    file = Path(TOML)
    return tomllib.loads(file.read_bytes().decode("utf-8-sig")) if file.is_file() else {}


class Settings(BaseSettings):
    """Read from the environment, then from ``mind-memory.toml`` in the working folder, then from the defaults."""

    model_config = SettingsConfigDict(
        env_prefix="MIND_MEMORY_",
        env_nested_delimiter="__",
        frozen=True,
        extra="forbid",
        populate_by_name=True,
    )

    home: Folder = Field(Path("~/.mind-memory"), validate_default=True, description="The folder that holds everything.")
    host: Host = Field("127.0.0.1", description="The address to listen on.")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(8001, description="The port to listen on.")
    trust_network: bool = Field(
        False,  # noqa: FBT003
        description="Answer other machines without a key. Only for a container whose port is published on loopback.",
    )
    falkordb_url: SecretStr | None = Field(
        None,
        description="The address of a FalkorDB server, like redis://localhost:6379, or of several nodes of a FalkorDB "
        "cluster, like redis://one:6379,two:6379. Without it, the graph is embedded.",
        validation_alias=AliasChoices("FALKORDB_URL", "MIND_MEMORY_FALKORDB_URL", "falkordb_url"),
    )
    database: SecretStr | None = Field(
        None,
        description="The address of a PostgreSQL that holds every mind, like "
        "postgresql://user:password@one,two/memory. Several machines may then serve the same minds. Without it, minds "
        "are folders of this machine.",
    )
    graph_prefix: Annotated[str, AfterValidator(_prefix)] = Field(
        "mind_", description="The prefix of every graph's name: at most 32 of a-z, 0-9 and _."
    )
    workers: Annotated[int, Field(ge=1, le=64)] = Field(
        1,
        description="The number of processes in which `mind-memory serve` has the minds of the home, each mind in one "
        "of them. One for each core that may be busy.",
    )
    model: ModelName | None = Field(
        None, description="One litellm model for all roles that have no model of their own."
    )
    api_base: Address | None = Field(None, description="The address of `model`, if it is not its provider's usual one.")
    api_key: SecretStr | None = Field(
        None, description="The key of `model`, if it is not in its provider's usual variable."
    )
    agent: str = Field("the assistant", description="The bot's name in prompts.")
    max_body_bytes: PositiveInt = Field(1024 * 1024, description="The maximum size of a request.")
    header_seconds: PositiveFloat = Field(
        10, description="The time limit for the headers of a request. A connection that is slower is closed."
    )
    body_seconds: PositiveFloat = Field(
        30,
        description="The time limit for the body of a request, or for each part of an archive or a chat that is sent.",
    )
    max_connections: PositiveInt = Field(
        400,
        description="The number of connections above which one that waits is closed, first of the address with most.",
    )
    most_open_minds: Annotated[int, Field(ge=0)] = Field(
        150,
        description="The number of minds above which one that nobody uses is closed, the least recently used first; "
        "0 sets no limit. A closed mind is opened again by its next call.",
    )
    idle_mind_seconds: NonNegativeFloat = Field(
        900,
        description="The time after which a mind that nobody uses is closed; 0 leaves it open. With a database, its "
        "copy is deleted when it was closed for as long.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description="The lowest level of events that are logged: `DEBUG`, `INFO`, `WARNING` or `ERROR`."
    )
    log_json: bool = Field(False, description="Log one JSON object per line instead of text for people.")  # noqa: FBT003
    redact_secrets: bool = Field(
        default=True, description="Replace keys, passwords and card numbers before a turn is stored."
    )
    off_the_record_markers: tuple[Marker, ...] = Field(
        MARKERS,
        description="Markers in a user's message, or in a memory, that keep it off the record: none of its words is "
        "stored.",
    )
    entity_kinds: Annotated[tuple[EntityKindSettings, ...], Field(max_length=20), AfterValidator(each_kind_once)] = (
        Field((), description="The kinds of entities that a hosted model tells apart: a list of `name`, `description`.")
    )
    models: ModelSettings = Field(ModelSettings(), description="Models by role.")
    embedder: EmbedderSettings = Field(EmbedderSettings(), description="The embedder.")
    graph: GraphSettings = Field(GraphSettings(), description="FalkorDB.")
    resonance: ResonanceSettings = Field(ResonanceSettings(), description="The pre-turn call.")
    traces: TracesSettings = Field(TracesSettings(), description="Traces of pre-turn calls.")
    story: StorySettings = Field(StorySettings(), description="STORY.md.")
    sleep: SleepSettings = Field(SleepSettings(), description="The sleep of autonomous agents.")
    journal: JournalSettings = Field(JournalSettings(), description="MEMORY.md and memory/.")
    proxy: ProxySettings = Field(ProxySettings(), description="The OpenAI-compatible proxy.")
    voice: VoiceSettings = Field(VoiceSettings(), description="Audio in turns and streams.")
    facades: FacadeSettings = Field(FacadeSettings(), description="Other memories' APIs.")
    access: AccessSettings = Field(AccessSettings(), description="Who may call the service.")
    digestion: DigestionSettings = Field(DigestionSettings(), description="Background work after a turn.")
    archive: ArchiveSettings = Field(ArchiveSettings(), description="Export and import.")
    imports: ImportsSettings = Field(ImportsSettings(), description="Conversations that are sent.")
    webhooks: WebhooksSettings = Field(WebhooksSettings(), description="Events posted to other services.")
    telemetry: TelemetrySettings = Field(TelemetrySettings(), description="Spans (OpenTelemetry).")

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every value that must never be shown, longest first: keys, passwords, and credentials inside addresses."""
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
        """The address that spans are posted to, or None without a collector. Raises ConfigurationFault."""
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
        """Read mind-memory.toml after the environment. No .env file and no secret files are read."""
        return init_settings, env_settings, InitSettingsSource(settings_cls, read_toml())


def _secrets(section: BaseModel) -> Iterator[str]:
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            yield from _secrets(value)
        elif isinstance(value, tuple):
            for one in value:
                if isinstance(one, BaseModel):
                    yield from _secrets(one)
        elif isinstance(value, SecretStr):
            secret = value.get_secret_value()
            if name not in SHOWN or SHOWN[name](secret) != secret:  # an address is a secret for its password alone
                yield secret
            yield from password_in(secret) if name == "database" else in_address(secret)
        elif name in {"api_base", "otlp_endpoint"} and value is not None:
            yield from in_address(value)
