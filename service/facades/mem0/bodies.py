"""What mem0's client sends. A field that would change nothing here is refused with the reason."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from consolidation.text.content import text_of
from service.facades.mem0.scope import Scope, scope_of
from service.http.schemas.fields import Body, Metadata, Question, Text

_NOT_SERVED = {
    "custom_categories": "memories have no categories here",
    "categories": "memories have no categories here",
    "custom_instructions": "what is kept are the words themselves, so nothing directs an extraction",
    "agent_custom_instructions": "what is kept are the words themselves, so nothing directs an extraction",
    "structured_data_schema": "what is kept are the words themselves, so nothing directs an extraction",
    "expiration_date": "memories do not expire; delete them, or erase their session",
    "reference_date": "search by created_at within filters",
    "fields": "memories are shown whole",
    "show_expired": "memories do not expire",
    "delete_linked": "a deleted memory is deleted with what it replaced",
}


class _Sent(Body):
    """A body whose unknown fields are refused, those of mem0 with the reason."""

    @model_validator(mode="before")
    @classmethod
    def _is_served(cls, sent: object) -> object:
        for name, reason in _NOT_SERVED.items():
            if isinstance(sent, dict) and sent.get(name) and name not in cls.model_fields:
                raise ValueError(f"{name} is not served: {reason}")
        unset = {name for name in _NOT_SERVED if isinstance(sent, dict) and not sent.get(name)}
        return {name: one for name, one in sent.items() if name not in unset} if isinstance(sent, dict) else sent


class MessageOfMem0(Body):
    """A message. Of parts of a content, words are kept, and images become a mark."""

    role: str = "user"
    content: Text
    name: str | None = None

    @field_validator("content", mode="before")
    @classmethod
    def _words(cls, content: object) -> object:
        return text_of(content) if isinstance(content, list) else content


class _Scoped(_Sent):
    """Ids side by side or within ``filters``."""

    user_id: str | None = None
    agent_id: str | None = None
    app_id: str | None = None
    run_id: str | None = None
    filters: dict[str, Any] | None = None

    @property
    def scope(self) -> Scope:
        """Whose memories are meant. Raises InvalidRequest."""
        named = {"user_id": self.user_id, "agent_id": self.agent_id, "app_id": self.app_id, "run_id": self.run_id}
        return scope_of({name: one for name, one in named.items() if one is not None}, filters=self.filters)


class AddIn(_Scoped):
    """Messages to keep. ``infer`` changes nothing: the words are kept, and facts are read from them, in any case."""

    messages: Annotated[list[MessageOfMem0], Field(min_length=1, max_length=256)]
    metadata: Metadata = Field(default_factory=dict)
    infer: bool | None = None
    timestamp: Annotated[int, Field(ge=0, le=253_402_300_799)] | None = Field(None, description="In Unix seconds.")

    @field_validator("messages", mode="before")
    @classmethod
    def _as_list(cls, sent: object) -> object:
        if isinstance(sent, str):
            return [{"role": "user", "content": sent}]
        return [sent] if isinstance(sent, dict) else sent


class SearchIn(_Scoped):
    """A query. ``rerank`` and ``keyword_search`` change nothing: words and meaning are both searched and ranked."""

    query: Question
    top_k: Annotated[int, Field(ge=1, le=100)] | None = None
    limit: Annotated[int, Field(ge=1, le=100)] | None = None
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.0
    latest_only: bool | None = None
    rerank: bool | None = None
    keyword_search: bool | None = None


class ListIn(_Scoped):
    """Which memories are listed: those that hold."""

    latest_only: bool | None = None


class UpdateIn(_Sent):
    """New words for a memory."""

    text: Annotated[Text, Field(min_length=1, max_length=4_000)]


class MemoryToUpdate(UpdateIn):
    """One of many memories that get new words."""

    memory_id: str


class UpdatesIn(Body):
    """Memories that get new words."""

    memories: Annotated[list[MemoryToUpdate], Field(min_length=1, max_length=1_000)]


class MemoryToDelete(Body):
    """One of many memories to delete."""

    memory_id: str


class DeletesIn(Body):
    """Memories to delete."""

    memories: Annotated[list[MemoryToDelete], Field(min_length=1, max_length=1_000)]
