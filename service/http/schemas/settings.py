"""What is set for a mind, where each value comes from, and changes of what is its own."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from service.http.schemas.fields import WHOLE, Answered, Body, Zone
from service.mind.own_settings import EchoTurns, Fragments, Kinds, Language, MindNames, Phrases, Relevance, Tokens

Source = Annotated[
    Literal["default", "service", "mind"],
    Field(description="`mind`: its own settings.toml. `service`: the service's settings. Else the `default`."),
]
SETTINGS_PATCH: dict[str, Any] = {"relevance": 0.4, "language": "de", "never_keep": ["my diagnosis"]}
SETTINGS: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "settings": {
        "relevance": {"value": 0.4, "source": "mind"},
        "max_fragments": {"value": 5, "source": "default"},
        "max_tokens": {"value": 1200, "source": "default"},
        "echo_turns": {"value": 25, "source": "default"},
        "language": {"value": "de", "source": "mind"},
        "entity_kinds": {"value": [], "source": "default"},
        "never_keep": {"value": ["my diagnosis"], "source": "mind"},
        "also_read": {"value": [], "source": "default"},
        "timezone": {"value": "America/Los_Angeles", "source": "mind"},
    },
    "fault": None,
    "etag": '"9f1c7a9f1f9d1d2a6f4cf9b1"',
}


class SettingsIn(Body):
    """Settings to change, as a JSON merge patch: a value is the mind's own from now on, null takes it away."""

    relevance: Relevance | None = Field(None, description="The relevance threshold; 0 switches the gate off.")
    max_fragments: Annotated[Fragments, WHOLE] | None = Field(None, description="Flashbacks in one answer.")
    max_tokens: Annotated[Tokens, WHOLE] | None = Field(None, description="The maximum length of the block.")
    echo_turns: Annotated[EchoTurns, WHOLE] | None = Field(
        None, description="Turns before the same memory may surface again in a session."
    )
    language: Language | None = Field(
        None, description="The language of flashbacks, like `de`, instead of the message's own."
    )
    entity_kinds: Kinds | None = Field(None, description="The kinds of entities that a hosted model tells apart.")
    never_keep: Phrases | None = Field(
        None, description="Words or phrases: a turn in which a user says one is kept off the record."
    )
    also_read: MindNames | None = Field(
        None, description="Other minds whose memories surface here, too, for callers who may see them."
    )
    timezone: Zone | None = Field(
        None, description='The time zone of the story, and of days such as "yesterday", like `Europe/Paris`.'
    )

    model_config = Body.model_config | {"json_schema_extra": {"examples": [SETTINGS_PATCH]}}

    def changes(self) -> dict[str, Any]:
        """What was sent, as it is written: None where a setting is taken away."""
        return self.model_dump(mode="json", exclude_unset=True)


class RelevanceOut(Answered):
    """A share, and where it comes from."""

    value: float
    source: Source


class CountOut(Answered):
    """A number, and where it comes from."""

    value: int
    source: Source


class LanguageOut(Answered):
    """A language, or null for the message's own, and where it comes from."""

    value: str | None
    source: Source


class ZoneOut(Answered):
    """A time zone, or null for UTC; and where it comes from."""

    value: str | None
    source: Source


class KindOut(Answered):
    """A kind of entities."""

    name: str
    description: str


class KindsOut(Answered):
    """Kinds of entities, and where they come from."""

    value: list[KindOut]
    source: Source


class PhrasesOut(Answered):
    """Words or phrases, and where they come from."""

    value: list[str]
    source: Source


class ValuesOut(Answered):
    """The value of each setting that holds for the mind."""

    relevance: RelevanceOut
    max_fragments: CountOut
    max_tokens: CountOut
    echo_turns: CountOut
    language: LanguageOut
    entity_kinds: KindsOut
    never_keep: PhrasesOut = Field(description="Besides the service's `OFF_THE_RECORD_MARKERS`.")
    also_read: PhrasesOut = Field(description="The ids of other minds whose memories surface here, too.")
    timezone: ZoneOut


class SettingsFaultOut(Answered):
    """Why a mind's settings.toml does not count. Only its `never_keep` does, where it can be read."""

    detail: str
    key: str | None = Field(description="The setting at fault, where that is known.")
    line: int | None = Field(description="Its line in the file, from 1, where that is known.")


class SettingsOut(Answered):
    """What is set for a mind."""

    mind_id: str
    settings: ValuesOut
    fault: SettingsFaultOut | None = Field(description="What is wrong with settings.toml; the service's values hold.")
    etag: str = Field(description="The fingerprint of settings.toml.")
