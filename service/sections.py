"""The groups of knobs: each typed, frozen, with its unit in its name. Read by `settings`; nothing is read here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    SecretStr,
    model_validator,
)

from service.collector import is_address


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
    rest_seconds: PositiveFloat = Field(10, description="How often an embedder that does not answer is tried.")


class GraphSettings(Section):
    """How long FalkorDB is waited for."""

    read_seconds: PositiveFloat = Field(5, description="The longest a question may take.")
    write_seconds: PositiveFloat = Field(30, description="The longest a change may take.")
    rest_seconds: PositiveFloat = Field(2, description="How often a graph that does not answer is tried.")


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


class JournalSettings(Section):
    """How MEMORY.md and memory/**/*.md are found."""

    surfaces: Annotated[bool, Field(description="Whether notes may surface before a turn.")] = True
    watch: Annotated[bool, Field(description="Read a note when it is saved; else when it is next asked for.")] = True
    chunk_tokens: Annotated[int, Field(ge=50, le=4000)] = Field(400, description="The length of a chunk, about.")
    overlap_tokens: Annotated[int, Field(ge=0)] = Field(80, description="What neighbours share, at most.")
    vector_weight: Annotated[float, Field(ge=0, le=1)] = Field(0.7, description="How much meaning counts; 0 for not.")
    word_weight: Annotated[float, Field(ge=0, le=1)] = Field(0.3, description="How much words count; 0 for not.")
    day_weight: Annotated[float, Field(ge=0, le=1)] = Field(
        0.3, description="What a note gains that is of the day or month the query names."
    )
    keep_share: Annotated[float, Field(ge=0, le=1)] = Field(
        0.3, description="What fits less than this share of the best is left out, before age counts."
    )
    mmr_lambda: Annotated[float, Field(ge=0, le=1)] = Field(
        0.7, description="How much fitting counts against variety; 1 for fitting alone."
    )
    half_life_days: NonNegativeFloat = Field(
        30, description="After so many days a dated note's score is half; 0 for never."
    )
    min_score: Annotated[float, Field(ge=0, le=1)] = Field(
        0.0, description="The least score that is told, where the caller says none."
    )
    max_file_bytes: PositiveInt = Field(1024 * 1024, description="The largest file that is read.")

    @model_validator(mode="after")
    def _that_can_work(self) -> Self:
        if self.overlap_tokens * 2 > self.chunk_tokens:
            raise ValueError("overlap_tokens must be at most half of chunk_tokens")
        if not self.vector_weight and not self.word_weight:
            raise ValueError("vector_weight and word_weight must not both be 0: nothing would be found")
        return self


class ArchiveSettings(Section):
    """How large an archive of a mind may be that is imported."""

    max_bytes: PositiveInt = Field(4 * 1024**3, description="The largest archive that may be posted.")
    max_unpacked_bytes: PositiveInt = Field(32 * 1024**3, description="The most that may come out of it.")


def _address(text: str) -> str:
    if not is_address(text):
        raise ValueError("must be an http:// or https:// address, like http://localhost:4318")
    return text


class TelemetrySettings(Section):
    """Where spans go. Without a collector, nothing is made of them and nothing is sent."""

    otlp_endpoint: Annotated[str, AfterValidator(_address)] | None = Field(
        None,
        description="An OpenTelemetry collector for spans, like http://localhost:4318; "
        "else where OTEL_EXPORTER_OTLP_ENDPOINT says, else none.",
    )


class ProxySettings(Section):
    """The door for clients of OpenAI's API; without more, the chat role's model answers."""

    enabled: bool = Field(default=True, description="Answer `/v1/chat/completions` and `/v1/models`.")
    models: tuple[str, ...] = Field((), description="litellm names that clients may ask for, besides the chat role's.")
    api_base: str | None = Field(
        None, description="Where `models` answer, when neither at the chat role's place nor at their provider's usual."
    )
    api_key: SecretStr | None = Field(None, description="Their key, when it is another than the chat role's.")
    timeout_seconds: PositiveFloat = Field(600, description="The longest that an upstream may stay silent.")
    placement: Literal["tail", "system"] = Field(
        "tail", description="Where memories stand: before the last user message, or all in the first system message."
    )
    max_body_bytes: PositiveInt = Field(32 * 1024 * 1024, description="The largest chat: images are in it.")


def _unlike_nothing(marker: str) -> str:
    if not marker.strip():
        raise ValueError("must not be blank: every message would be off the record")
    return marker.strip()


Marker = Annotated[str, AfterValidator(_unlike_nothing), Field(max_length=100)]
