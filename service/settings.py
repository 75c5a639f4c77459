"""Every knob, typed, frozen, and named after the thing it turns. Read once, by the entry points; never below them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    SecretStr,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from consolidation.kernel.discretion import MARKERS
from consolidation.kernel.secrets import in_address

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEAST_HIDDEN = 5  # letters: less is in too many words
_NO_KEYS = frozenset({"dummy", "empty", "no-key", "ollama", "lm-studio", "not-needed"})  # for servers that want none
_KEYS_ELSEWHERE = ("_API_KEY", "_ACCESS_KEY", "_TOKEN", "_SECRET")  # variables that providers' libraries read


class Section(BaseModel):
    """A frozen group of knobs."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RoleModel(Section):
    """The model of one role; what is left out comes from the role ``chat``, then from `model`."""

    model: str | None = Field(None, description="A litellm name, like openai/gpt-4o-mini or ollama/llama3.2.")
    fallbacks: tuple[str, ...] = Field((), description="Models asked in this order when the first does not help.")
    api_base: str | None = Field(None, description="Where the provider answers, when not at its usual place.")
    api_key: SecretStr | None = Field(None, description="Its key, when not in the provider's usual variable.")
    timeout_seconds: PositiveFloat | None = Field(None, description="The longest a whole answer may take.")
    max_tokens: PositiveInt = Field(4096, description="The longest answer, in tokens.")
    temperature: NonNegativeFloat = Field(0.2, description="How freely it speaks.")


class ModelSettings(Section):
    """Which model does what. Without any, nothing leaves this machine and memories are quoted, not retold."""

    chat: RoleModel = Field(RoleModel(), description="`mind-memory chat`, and what other roles fall back to.")
    subconscious: RoleModel = Field(RoleModel(), description="Seeds and re-narration: before each turn.")
    narrative: RoleModel = Field(RoleModel(), description="The story.")
    extraction: RoleModel = Field(RoleModel(), description="Entities and facts: after each turn.")
    at_once: PositiveInt = Field(4, description="Model calls at once: as many before turns as after them.")


class EmbedderSettings(Section):
    """What turns text into vectors; changing it needs `mind-memory reindex`."""

    model: str | None = Field(None, description="A litellm embedding model; all-MiniLM-L6-v2, built in, without one.")
    api_base: str | None = Field(None, description="Where it answers, when not at its usual place.")
    api_key: SecretStr | None = Field(None, description="Its key, when not in the provider's usual variable.")
    dimension: PositiveInt | None = Field(None, description="How many numbers a vector has; asked for when left out.")
    timeout_seconds: PositiveFloat = Field(10, description="The longest a batch may take.")


class ResonanceSettings(Section):
    """How loudly the past may speak."""

    deadline_ms: Annotated[int, Field(ge=0)] = Field(1500, description="When the pre-turn call answers; 0 waits.")
    max_fragments: Annotated[int, Field(ge=0, le=50)] = Field(5, description="Flashbacks a turn, at most.")
    max_tokens: Annotated[int, Field(ge=0)] = Field(1200, description="The block's length, at most.")
    echo_turns: Annotated[int, Field(ge=0)] = Field(25, description="Turns before a memory may return.")
    relevance: Annotated[float, Field(ge=0, le=1)] = Field(
        0.5, description="How sure the gate must be that something stored is meant; 0 lets everything pass."
    )
    story_tokens: Annotated[int, Field(ge=0)] = Field(3000, description="The stable part's length, at most.")


class AccessSettings(Section):
    """Who may call; the keys themselves are made by `mind-memory keys create`."""

    allowed_hosts: tuple[str, ...] = Field(
        (), description="Names, besides localhost, that callers may use while there is no key; `*` for every name."
    )
    key_requests_per_minute: Annotated[int, Field(ge=0)] = Field(
        600, description="Requests a minute for each key; 0 for no limit."
    )
    keyless_requests_per_minute: Annotated[int, Field(ge=0)] = Field(
        0, description="The same for each address while there is no key."
    )


class DigestionSettings(Section):
    """How turns become memories in the background."""

    most_attempts: PositiveInt = Field(5, description="Failures after which a turn is parked.")
    first_retry_seconds: PositiveFloat = Field(1, description="The first pause after a failure; it doubles.")
    most_retry_seconds: PositiveFloat = Field(60, description="The longest pause.")
    turn_seconds: PositiveFloat = Field(300, description="The longest one turn's extraction may take.")
    sweep_seconds: PositiveFloat = Field(30, description="How often every mind is looked at.")


class StorySettings(Section):
    """When and how the story is told."""

    threshold_tokens: Annotated[int, Field(ge=0)] = Field(
        5000, description="Tokens that wait before the story is told by itself; 0 for never."
    )
    batch_tokens: PositiveInt = Field(50_000, description="The most that is told at once.")
    idle_seconds: NonNegativeFloat = Field(
        1800, description="Quiet after which what waits is told, however little it is; 0 for never."
    )
    retry_seconds: PositiveFloat = Field(60, description="The first pause after a run that failed; it doubles.")
    most_words: PositiveInt = Field(10_000, description="Above it, the oldest chapters are told shorter.")
    sessions_folder: Path | None = Field(
        None, description="A chatbot's session `.jsonl` files, for the mind below; else `sessions/` in each mind."
    )
    sessions_mind: str = Field("global-user-memory", description="Whose sessions those are.")
    newest_sessions: Annotated[int, Field(ge=0)] = Field(
        5, description="How many of the session files are read at start-up and by global sync; 0 for none."
    )


def _unlike_nothing(marker: str) -> str:
    if not marker.strip():
        raise ValueError("must not be blank: every message would be off the record")
    return marker.strip()


Marker = Annotated[str, AfterValidator(_unlike_nothing), Field(max_length=100)]


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
    resonance: ResonanceSettings = Field(ResonanceSettings(), description="Before a turn.")
    story: StorySettings = Field(StorySettings(), description="STORY.md.")
    access: AccessSettings = Field(AccessSettings(), description="Who may call.")
    digestion: DigestionSettings = Field(DigestionSettings(), description="After a turn.")

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every value that must not be shown, the longest first: keys, passwords, what addresses carry."""
        found = [*_secrets(self), *(os.environ[name] for name in os.environ if name.upper().endswith(_KEYS_ELSEWHERE))]
        hidden = {one for one in found if len(one) >= _LEAST_HIDDEN and one.casefold() not in _NO_KEYS}
        return tuple(sorted(hidden, key=lambda one: (-len(one), one)))

    @property
    def folder(self) -> Path:
        """``home`` as an absolute path."""
        return self.home.expanduser().absolute()

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
        elif name == "api_base" and value is not None:
            yield from in_address(value)
