"""What mem0's client sends. A field that would change nothing here is refused with the reason."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from consolidation.text.content import call_in_words, text_of
from service.facades.mem0.scope import EndOfMem0, Scope, TimeOfMem0, scope_of
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
    "enable_graph": "memories are shown without relations",
    "immutable": "a memory can be put right and erased at any time",
    "includes": "what is kept are the words themselves, so nothing directs an extraction",
    "excludes": "what is kept are the words themselves, so nothing directs an extraction",
    "only_metadata_based_search": "search goes by words and meaning, not by metadata",
    "metadata": "it stays as it was added; to choose by it, put it into filters",
    "timestamp": "a memory stays at the time when it was said",
}
_MOST_OF_A_QUERY = 2_000  # characters
_ROLES = {"developer": "system", "function": "tool"}  # those that have another word here
_OF_OPENAI = frozenset({"tool_calls", "tool_call_id", "function_call", "refusal", "annotations", "audio"})


class _Sent(Body):
    """A body whose unknown fields are refused, those of mem0 with the reason."""

    @model_validator(mode="before")
    @classmethod
    def _is_served(cls, sent: object) -> object:
        if not isinstance(sent, dict):
            return sent
        others = {name: one for name, one in sent.items() if name in _NOT_SERVED and name not in cls.model_fields}
        for name, one in others.items():
            if one:
                raise ValueError(f"{name} is not served: {_NOT_SERVED[name]}")
        return {name: one for name, one in sent.items() if name not in others}


class MessageOfMem0(Body):
    """
    A message, also one as OpenAI's API answers it.

    Its words are kept, and calls of tools in words; images and the like become a mark.
    """

    role: str = "user"
    content: Text
    name: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _in_words(cls, sent: object) -> object:
        if not isinstance(sent, dict):
            return sent
        content, calls = sent.get("content"), sent.get("tool_calls")
        if content is None and "content" not in sent and not calls:
            return sent  # is refused
        words = text_of(content) if isinstance(content, list) else content or sent.get("refusal") or ""
        if isinstance(call := sent.get("function_call"), dict):  # of OpenAI's API before there were tools
            calls = [*(calls if isinstance(calls, list) else ()), {"function": call}]
        if isinstance(calls, list):
            words = "\n".join(filter(None, (words, *map(_call, calls)))) if isinstance(words, str) else words
        kept = {name: one for name, one in sent.items() if name not in _OF_OPENAI}
        return {**kept, "content": words, "role": _ROLES.get(str(sent.get("role")), sent.get("role", "user"))}


def _call(sent: object) -> str:
    asked = sent.get("function") if isinstance(sent, dict) else None
    return call_in_words(str(asked.get("name", "")), str(asked.get("arguments", ""))) if isinstance(asked, dict) else ""


class _Scoped(_Sent):
    """
    Ids side by side or within ``filters``.

    Earlier clients ask for a form of the answer by ``output_format``. ``version`` and the names of a project, which
    mem0's clients send by themselves, change nothing.
    """

    user_id: str | None = None
    agent_id: str | None = None
    app_id: str | None = None
    run_id: str | None = None
    filters: dict[str, Any] | None = None
    output_format: Literal["v1.0", "v1.1"] | None = None
    version: Literal["v1", "v2"] | None = None
    org_id: str | None = None
    project_id: str | None = None
    org_name: str | None = None
    project_name: str | None = None

    @property
    def scope(self) -> Scope:
        """Whose memories are meant. Raises InvalidRequest."""
        return scope_of({name: one for name, one in self._named().items() if one is not None}, filters=self.filters)

    def _named(self) -> dict[str, Any]:
        return {"user_id": self.user_id, "agent_id": self.agent_id, "app_id": self.app_id, "run_id": self.run_id}


class AddIn(_Scoped):
    """
    Messages to keep.

    ``infer``, ``async_mode`` and ``enable_graph`` change nothing: the words are on disk when the call answers, and
    facts are read from them later, in any case.
    """

    messages: Annotated[list[MessageOfMem0], Field(min_length=1, max_length=256)]
    metadata: Metadata = Field(default_factory=dict)
    infer: bool | None = None
    async_mode: bool | None = None
    enable_graph: bool | None = None
    timestamp: Annotated[int, Field(ge=0, le=253_402_300_799)] | None = Field(None, description="In Unix seconds.")

    @field_validator("messages", mode="before")
    @classmethod
    def _as_list(cls, sent: object) -> object:
        if isinstance(sent, str):
            return [{"role": "user", "content": sent}]
        return [sent] if isinstance(sent, dict) else sent


def _both_ends(query: object) -> object:
    """Of a long query its beginning and its end: a whole message is asked for, and mem0 has no limit."""
    if not isinstance(query, str) or len(query) <= _MOST_OF_A_QUERY:
        return query
    half = _MOST_OF_A_QUERY // 2
    return f"{query[: half - 1]}\n{query[-half:]}"


class SearchIn(_Scoped):
    """
    A query. Of a long one both ends count.

    ``rerank``, ``keyword_search`` and ``filter_memories`` change nothing: words and meaning are both searched and
    ranked. ``metadata`` is a filter, as within ``filters``.
    """

    query: Annotated[Question, BeforeValidator(_both_ends)]
    metadata: dict[str, Any] | None = None
    top_k: Annotated[int, Field(ge=1, le=100)] | None = None
    limit: Annotated[int, Field(ge=1, le=100)] | None = None
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.0
    latest_only: bool | None = None
    rerank: bool | None = None
    keyword_search: bool | None = None
    filter_memories: bool | None = None

    def _named(self) -> dict[str, Any]:
        return {**super()._named(), "metadata": self.metadata or None}


class ListIn(_Scoped):
    """Which memories are listed: those that hold, of the days from ``start_date`` to ``end_date``."""

    latest_only: bool | None = None
    start_date: TimeOfMem0 | None = None
    end_date: EndOfMem0 | None = None

    @property
    def scope(self) -> Scope:
        """Whose memories are meant, and of which time. Raises InvalidRequest."""
        return super().scope.within(since=self.start_date, until=self.end_date)


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
