"""The sections of the settings: typed, frozen groups whose field names carry their units. Nothing is read here."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    SecretStr,
    model_validator,
)

from service.settings.field_types import (
    Address,
    Expression,
    Folder,
    HostNameOrAll,
    LanguageCode,
    MindName,
    ModelName,
    ZoneName,
)

_YEAR = 365 * 24 * 3600  # seconds: sockets and dates take no number that is much larger


class Section(BaseModel):
    """A frozen group of settings. Unknown names are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class EntityKindSettings(Section):
    """A kind of entities that extraction tells apart."""

    name: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,40}$", description="Its name, like Person.")
    description: str = Field("", max_length=500, description="What is of this kind, for the model.")


def each_kind_once(kinds: tuple[EntityKindSettings, ...]) -> tuple[EntityKindSettings, ...]:
    """*kinds*, if no two are called the same. Raises ValueError."""
    names = [kind.name.casefold() for kind in kinds]
    for kind in kinds:
        if names.count(kind.name.casefold()) > 1:
            raise ValueError(f"names {kind.name} twice")
    return kinds


class RoleModel(Section):
    """The model of one role; without a name, the common `model`, else the models of the role ``chat``."""

    model: ModelName | None = Field(
        None, description="The model's litellm name, such as openai/gpt-4o-mini or ollama/llama3.2."
    )
    fallbacks: tuple[ModelName, ...] = Field(
        (), examples=["openai/gpt-4o"], description="Models to try in this order when the first one fails."
    )
    api_base: Address | None = Field(None, description="The provider's address, if it is not the usual one.")
    api_key: SecretStr | None = Field(
        None, description="The provider's key, if it is not in the provider's usual variable."
    )
    timeout_seconds: PositiveFloat | None = Field(
        None,
        description="The time limit of one whole answer. Unset: 120 for `CHAT` and `EXTRACTION`, 300 for `NARRATIVE`, "
        "30 for `SUBCONSCIOUS`, but 5 with Ollama.",
    )
    silence_seconds: PositiveFloat = Field(
        120,
        description="The longest silence of a model while its answer is streamed, as chats and the story are; then the "
        "next one is asked.",
    )
    max_tokens: PositiveInt = Field(4096, description="The maximum length of an answer.")
    temperature: NonNegativeFloat = Field(0.2, description="The sampling temperature.")
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high"] | None = Field(
        None,
        description="How long a model thinks before it answers: `none`, `minimal`, `low`, `medium` or `high`, where it "
        "lets that be chosen. Unset: as the provider chooses, but Ollama's models think only for chats.",
    )


class TranscriptionModel(Section):
    """The model that turns speech into text. It is never the common `model`, which can not hear."""

    model: ModelName | None = Field(
        None,
        description="The litellm name of a transcription model, such as openai/whisper-1 or groq/whisper-large-v3.",
    )
    api_base: Address | None = Field(None, description="The provider's address, if it is not the usual one.")
    api_key: SecretStr | None = Field(
        None, description="The provider's key, if it is not in the provider's usual variable."
    )
    language: LanguageCode | None = Field(
        None,
        description="The ISO 639 code of the language that is spoken, such as en. Without it, the model finds out.",
    )
    timeout_seconds: PositiveFloat = Field(60, description="The time limit of one transcription.")


class ModelSettings(Section):
    """Which model has which role. Without any model, nobody is asked, and memories are quoted."""

    chat: RoleModel = Field(RoleModel(), description="Answers chats; the other roles fall back to it.")
    subconscious: RoleModel = Field(RoleModel(), description="Seeds and narration, before each turn.")
    narrative: RoleModel = Field(RoleModel(), description="Writes the story.")
    extraction: RoleModel = Field(RoleModel(), description="Entities and facts, after each turn.")
    transcription: TranscriptionModel = Field(TranscriptionModel(), description="Turns speech into text.")
    last_resort: ModelName | None = Field(
        None,
        description="A model of OpenAI's that is asked with the same key when all of a role's models fail. It may cost "
        "more than they do.",
    )
    context_tokens: NonNegativeInt | None = Field(
        None,
        description="The context window of models on machines of your own (Ollama's, and those at an `API_BASE`), "
        "for a prompt and its answer together. Ollama is told it with each call (`num_ctx`). Unset: 16384 for Ollama, "
        "no limit for others; 0: none for any.",
    )
    at_once: PositiveInt = Field(
        4,
        description="The most model calls at once before turns, and again as many after turns. Unset: 4, but 1 after "
        "turns with Ollama.",
    )


MULTILINGUAL, MINILM = "multilingual", "minilm"


class EmbedderSettings(Section):
    """The model that turns text into vectors. After a change, run `mind-memory reindex`."""

    model: ModelName | None = Field(
        None,
        description="A litellm embedding model; or one that is built in: `multilingual` (multilingual-e5-small, the "
        "default) or `minilm` (all-MiniLM-L6-v2, which knows English alone).",
    )
    api_base: Address | None = Field(None, description="The provider's address, if it is not the usual one.")
    api_key: SecretStr | None = Field(
        None, description="The provider's key, if it is not in the provider's usual variable."
    )
    dimension: PositiveInt | None = Field(
        None, description="The length of a vector. If left out, the model is asked once."
    )
    timeout_seconds: PositiveFloat = Field(10, description="The time limit of one batch.")
    rest_seconds: PositiveFloat = Field(
        10, description="The pause between two attempts while the embedder does not answer."
    )

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        if self.dimension is not None and self.hosted_model is None:
            raise ValueError("dimension is for a hosted model, and a built-in one has its own: set model, or remove it")
        return self

    @property
    def hosted_model(self) -> str | None:
        """The litellm model; None where vectors are made in this process."""
        return None if self.model in {MULTILINGUAL, MINILM} else self.model


class GraphSettings(Section):
    """Limits of FalkorDB: time and memory."""

    read_seconds: Annotated[PositiveFloat, Field(le=_YEAR)] = Field(
        5, description="The time limit of a read, at most a year."
    )
    write_seconds: Annotated[PositiveFloat, Field(le=_YEAR)] = Field(
        30, description="The time limit of a write, at most a year."
    )
    rest_seconds: PositiveFloat = Field(
        2, description="The pause between two attempts while the graph does not answer."
    )
    memory_mb: Annotated[int, Field(ge=0)] = Field(
        1024,
        description="The memory of FalkorDB above which graphs of minds that nobody uses leave it, each for a file in "
        "the folder of its mind, until their next use; 0 keeps all of them.",
    )


class ResonanceSettings(Section):
    """What may surface before a turn, and how much of it."""

    deadline_ms: Annotated[int, Field(ge=0)] | None = Field(
        None,
        description="The deadline of the pre-turn call; 0 sets none. Unset: 1500, or 2500 where a subconscious model "
        "is configured.",
    )
    max_fragments: Annotated[int, Field(ge=0, le=50)] = Field(
        5, description="The maximum number of flashbacks in one answer."
    )
    max_tokens: Annotated[int, Field(ge=0)] = Field(1200, description="The maximum length of the block.")
    echo_turns: Annotated[int, Field(ge=0)] = Field(
        25,
        description="The number of turns before a memory may surface again in a session, unless it is asked for.",
    )
    relevance: Annotated[float, Field(ge=0, le=1)] = Field(
        0.5,
        description=(
            "The relevance threshold, from 0 to 1. Below it nothing surfaces; a model is asked from half of it. "
            "0 switches the gate off."
        ),
    )
    story_tokens: Annotated[int, Field(ge=0)] = Field(8000, description="The maximum length of the story in a prompt.")
    people_cards: Literal["auto", "always", "never"] = Field(
        "auto",
        description="Whether the stable part holds a card of each person, of pinned and lasting facts: `always`, "
        "`never`, or `auto`, while the mind has no story.",
    )
    notice_outcomes: bool = Field(
        default=True,
        description="Notice by itself, where it is sure, that the bot's answer used a flashback, and that the person "
        "contradicted one. A turn needs its `trace_id` for that; the proxy has it.",
    )


class TracesSettings(Section):
    """The traces of pre-turn calls."""

    keep_days: Annotated[int, Field(ge=0)] = Field(
        30, description="The number of days that traces are kept; 0 keeps them for ever."
    )


class AccessSettings(Section):
    """Who may call. API keys are made by `mind-memory keys create`."""

    allowed_hosts: tuple[HostNameOrAll, ...] = Field(
        (),
        examples=["memory.local"],
        description="Host names besides localhost that are accepted while no API key exists; `*` accepts all.",
    )
    key_requests_per_minute: Annotated[int, Field(ge=0)] = Field(
        600, description="The request limit of each API key per minute; 0 sets no limit."
    )
    keyless_requests_per_minute: Annotated[int, Field(ge=0)] = Field(
        0, description="The request limit of each address per minute while no API key exists; 0 sets no limit."
    )
    audit_key: SecretStr | None = Field(
        None,
        description="The key of the audit log's codes. Kept outside the home, it lets nobody who can write there write "
        "the log anew. Without it, `<home>/audit.key` is made.",
    )
    session_hours: Annotated[float, Field(gt=0, le=168)] = Field(
        12, description="The hours after which a browser has to sign in to the console again; at most 168, a week."
    )
    new_minds_per_minute: Annotated[int, Field(ge=0)] = Field(
        120,
        description="The number of minds that each API key, or all callers without one, may begin per minute; "
        "0 sets no limit.",
    )


class DigestionSettings(Section):
    """How turns become memories in the background."""

    most_attempts: PositiveInt = Field(5, description="The number of failures after which a turn is parked.")
    first_retry_seconds: PositiveFloat = Field(
        1, description="The first pause after a failure. Each further pause is twice as long."
    )
    most_retry_seconds: PositiveFloat = Field(60, description="The longest pause after a failure.")
    turn_seconds: PositiveFloat = Field(300, description="The time limit of one turn, without waits for other turns.")
    sweep_seconds: PositiveFloat = Field(
        30, description="The interval at which all minds are checked for work that was missed."
    )
    parked_retry_seconds: PositiveFloat = Field(
        60, description="The first pause before a turn that an outage parked is tried. It doubles, up to an hour."
    )

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        if self.first_retry_seconds > self.most_retry_seconds:
            raise ValueError("first_retry_seconds must be at most most_retry_seconds")
        return self


class StorySettings(Section):
    """When and how the story is written."""

    threshold_tokens: Annotated[int, Field(ge=0)] = Field(
        5000, description="The number of waiting tokens that starts a story run; 0 disables it."
    )
    batch_tokens: PositiveInt = Field(50_000, description="The maximum size of one batch of turns for the story.")
    idle_seconds: NonNegativeFloat = Field(
        1800, description="The quiet time that starts a story run, however little waits; 0 disables it."
    )
    retry_seconds: PositiveFloat = Field(
        60, description="The first pause after a failed story run. Each further pause is twice as long."
    )
    most_words: PositiveInt = Field(
        10_000, description="The story length above which the oldest chapters are shortened."
    )
    sessions_folder: Folder | None = Field(
        None,
        description="A folder of a chatbot's session `.jsonl` files for `sessions_mind`. "
        "Without it, `sessions/` in each mind's folder is read.",
    )
    linked_folders: tuple[Folder, ...] = Field(
        (),
        examples=["/home/ann/vault"],
        description="Folders outside the home, such as a vault, into which a mind's STORY.md or SOUL.md may be a link. "
        "Other links are refused.",
    )
    sessions_mind: MindName = Field(
        "global-user-memory", description="The mind that the files in `sessions_folder` belong to."
    )
    auto_bootstrap: bool = Field(
        default=False,
        description="Tell the files that are dated by their names, such as memory/2026-01-09.md, of a mind without a "
        "story as soon as the mind is seen, as `mind-memory consolidate --bootstrap` does.",
    )
    newest_sessions: Annotated[int, Field(ge=0)] = Field(
        5, description="The number of newest session files read at start-up and by global sync; 0 reads none."
    )


class SleepSettings(Section):
    """How an autonomous agent tires, sleeps and dreams."""

    fatigue_warning: PositiveInt = Field(
        60, description="The tool calls since the last dream that make an agent tired."
    )
    fatigue_limit: PositiveInt = Field(80, description="The tool calls since the last dream that force it to sleep.")
    nap_seconds: NonNegativeFloat = Field(30, description="A shorter sleep than this is a nap, without a dream.")
    dream_interval_seconds: NonNegativeFloat = Field(
        600, description="The shortest time between two dreams, unless the agent has to sleep."
    )
    lightweight_actions: Annotated[int, Field(ge=0)] = Field(
        5,
        description="With fewer tool calls than this, a dream quotes the agent's last words and people's messages, "
        "and asks no model.",
    )
    deep_every: PositiveInt = Field(10, description="Every so many dreams there is a deep sleep.")
    deep_pause_seconds: Annotated[NonNegativeFloat, Field(le=_YEAR)] = Field(
        300, description="The shortest pause of a deep sleep, at most a year."
    )
    wonder_every: Annotated[int, Field(ge=0)] = Field(
        5, description="An agent wonders after every so many tool calls; 0 leaves errors and thoughts alone."
    )
    wonder_seconds: PositiveFloat = Field(20, description="The time that a thought beside an agent's actions may take.")
    retry_seconds: PositiveFloat = Field(
        60, description="The first pause after a dream that failed. Each further pause is twice as long."
    )

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        if self.fatigue_limit <= self.fatigue_warning:
            raise ValueError("fatigue_limit must be above fatigue_warning")
        return self


class JournalSettings(Section):
    """How MEMORY.md and memory/**/*.md are searched."""

    surfaces: Annotated[bool, Field(description="Whether notes may surface before a turn.")] = True
    watch: Annotated[
        bool, Field(description="Read a note as soon as it is saved. If false, it is read at the next search.")
    ] = True
    chunk_tokens: Annotated[int, Field(ge=50, le=4000)] = Field(400, description="The approximate length of a chunk.")
    overlap_tokens: Annotated[int, Field(ge=0)] = Field(
        80, description="The maximum overlap of two neighbouring chunks."
    )
    vector_weight: Annotated[float, Field(ge=0, le=1)] = Field(
        0.7, description="The weight of vector similarity; 0 ignores it."
    )
    word_weight: Annotated[float, Field(ge=0, le=1)] = Field(
        0.3, description="The weight of matching words; 0 ignores them."
    )
    day_weight: Annotated[float, Field(ge=0, le=1)] = Field(
        0.3, description="The bonus of a note that belongs to the day or month the query names."
    )
    keep_share: Annotated[float, Field(ge=0, le=1)] = Field(
        0.3, description="Chunks that score below this share of the best one are dropped before age counts."
    )
    mmr_lambda: Annotated[float, Field(ge=0, le=1)] = Field(
        0.7, description="The balance of relevance and variety (MMR λ); 1 means relevance alone."
    )
    half_life_days: NonNegativeFloat = Field(
        30,
        description="The age at which a dated note's score is halved, down to 0.4, if it fits well. 0: never.",
    )
    min_score: Annotated[float, Field(ge=0, le=1)] = Field(
        0.0, description="The minimum score of a result, if the caller gives none."
    )
    max_file_bytes: PositiveInt = Field(1024 * 1024, description="The maximum size of a file that is read.")

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        if self.overlap_tokens * 2 > self.chunk_tokens:
            raise ValueError("overlap_tokens must be at most half of chunk_tokens")
        if not self.vector_weight and not self.word_weight:
            raise ValueError("vector_weight and word_weight must not both be 0: nothing would be found")
        return self


class ImportsSettings(Section):
    """Size limits of conversations that are sent to be imported."""

    max_bytes: PositiveInt = Field(512 * 1024**2, description="The maximum size of a sent file of conversations.")
    max_unpacked_bytes: PositiveInt = Field(
        4 * 1024**3, description="The maximum size of the conversations in a sent zip, unpacked."
    )


class VoiceSettings(Section):
    """Audio in turns, and streams of telephone calls."""

    max_body_bytes: PositiveInt = Field(
        8 * 1024**2,
        description="The maximum size of a turn or a pre-turn call, where a transcription model is configured.",
    )
    silence_ms: Annotated[int, Field(ge=200, le=5000)] = Field(
        700, description="The silence that ends what is said in a stream."
    )
    utterance_seconds: Annotated[float, Field(ge=5, le=120)] = Field(
        30, description="The length at which a speech without a pause is cut, at its quietest moment."
    )
    idle_seconds: PositiveFloat = Field(
        60, description="The time without any audio after which a stream is ended. What was said is stored."
    )
    most_streams: PositiveInt = Field(100, description="The number of streams that may be open at once.")


class ArchiveSettings(Section):
    """Size limits of imported archives."""

    max_bytes: PositiveInt = Field(4 * 1024**3, description="The maximum size of an uploaded archive.")
    max_unpacked_bytes: PositiveInt = Field(32 * 1024**3, description="The maximum size of an unpacked archive.")


class TelemetrySettings(Section):
    """Where spans are sent. Without a collector, none are made."""

    otlp_endpoint: Address | None = Field(
        None,
        description="The OpenTelemetry collector for spans, such as http://localhost:4318. "
        "Without it, OTEL_EXPORTER_OTLP_ENDPOINT is used; without both, no spans are sent.",
    )


class ProxySettings(Section):
    """The OpenAI-compatible proxy. By default, the chat role's model answers."""

    enabled: bool = Field(default=True, description="Serve `/v1/chat/completions` and `/v1/models`.")
    models: tuple[ModelName, ...] = Field(
        (),
        examples=["openai/gpt-4o"],
        description="litellm names of the models that clients may request besides the chat role's.",
    )
    api_base: Address | None = Field(
        None, description="The address of `models`, if it is neither the chat role's nor the provider's usual one."
    )
    api_key: SecretStr | None = Field(None, description="The key of `models`, if it differs from the chat role's.")
    timeout_seconds: PositiveFloat = Field(600, description="The longest silence of the upstream model.")
    placement: Literal["tail", "user", "system"] = Field(
        "tail",
        description="Where memories go: before the last user message (`tail`), in it (`user`), or in the `system` one.",
    )
    timezone: ZoneName = Field(
        "UTC", description="The IANA time zone of chats without `X-Timezone`, unless the mind has its own."
    )
    housekeeping_patterns: tuple[Expression, ...] = Field(
        (),
        examples=["Name this chat.*"],
        description="Regular expressions for prompts that your chat front end sends on its own, besides the titles, "
        "tags and follow-up questions that are known. Each is for the whole message, such as `Name this chat.*`; "
        "memory is not part of it.",
    )
    max_body_bytes: PositiveInt = Field(
        32 * 1024 * 1024, description="The maximum size of a chat request, or of a window to trim, images included."
    )


class FacadeSettings(Section):
    """Other memories' APIs, so that their clients go on with another address."""

    mem0: bool = Field(default=False, description="Serve mem0's API under `/mem0`.")
    zep: bool = Field(default=False, description="Serve Zep's API for memory under `/zep`.")
    graphiti: bool = Field(default=False, description="Serve the API of Graphiti's sample server under `/graphiti`.")
