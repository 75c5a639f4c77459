"""What is set for a mind, and where each value comes from."""

from __future__ import annotations

from typing import Literal

from mind_memory_client.answers import Answer

Source = Literal["default", "service", "mind"]


class RelevanceSetting(Answer):
    """A share; ``source`` is "mind" where it is the mind's own."""

    value: float
    source: Source


class CountSetting(Answer):
    """A number."""

    value: int
    source: Source


class LanguageSetting(Answer):
    """A language tag; None is the message's own language."""

    value: str | None
    source: Source


class ZoneSetting(Answer):
    """A time zone of the IANA list; None is UTC."""

    value: str | None
    source: Source


class EntityKind(Answer):
    """A kind of entities that a hosted model tells apart."""

    name: str
    description: str = ""


class KindsSetting(Answer):
    """Kinds of entities."""

    value: tuple[EntityKind, ...]
    source: Source


class PhrasesSetting(Answer):
    """Words or phrases."""

    value: tuple[str, ...]
    source: Source


class SettingValues(Answer):
    """The value of each setting that holds for a mind."""

    relevance: RelevanceSetting
    max_fragments: CountSetting
    max_tokens: CountSetting
    echo_turns: CountSetting
    language: LanguageSetting
    entity_kinds: KindsSetting
    never_keep: PhrasesSetting
    also_read: PhrasesSetting
    timezone: ZoneSetting


class SettingsFault(Answer):
    """What is wrong with a mind's settings.toml; ``line`` is counted from 1."""

    detail: str
    key: str | None
    line: int | None


class MindSettings(Answer):
    """What is set for a mind; a change must name its ``etag``."""

    mind_id: str
    settings: SettingValues
    fault: SettingsFault | None
    etag: str
