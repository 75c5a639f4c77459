"""What Zep's clients send. A field that would change nothing here is refused with the reason."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import Field, field_validator, model_validator

from service.http.schemas.fields import Body, Instant, Metadata, Question, SessionId, ShortText, Text, TurnId

RoleType = Literal["user", "assistant", "system", "tool", "function", "norole"]
_ROLES: tuple[RoleType, ...] = get_args(RoleType)

_NOT_SERVED = {
    "fact_rating_instruction": "facts have no ratings here",
    "min_fact_rating": "facts have no ratings here",
    "fact_instruction": "what is kept are the words themselves, so nothing directs an extraction",
    "summary_instruction": "sessions have no summaries here; the mind has a story",
    "strict_ontology": "which kinds of entities there are is a setting (ENTITY_KINDS)",
    "disable_default_ontology": "which kinds of entities there are is a setting (ENTITY_KINDS)",
    "content_policy": "what is not stored is a setting (PRIVACY)",
    "record_filter": "search goes by words and time, not by metadata",
    "search_filters": "search goes by words and time, not by properties of the graph",
    "filters": "search goes by words and time, not by properties of the graph",
    "bfs_origin_node_uuids": "search begins at the words of the query",
    "center_node_uuid": "search begins at the words of the query",
    "document_id": "documents are not stored here",
    "graph_ids": "a mind belongs to one user or graph",
}
_EMPTY: tuple[object, ...] = (None, False, [], {})


class ZepBody(Body):
    """A body whose unknown fields are refused, those of Zep with the reason. Empty ones change nothing there either."""

    @model_validator(mode="before")
    @classmethod
    def _is_served(cls, sent: object) -> object:
        if not isinstance(sent, dict):
            return sent
        others = {name: value for name, value in sent.items() if name not in cls.model_fields and name in _NOT_SERVED}
        for name, value in others.items():
            if value not in _EMPTY:
                raise ValueError(f"{name} is not served: {_NOT_SERVED[name]}")
        return {name: value for name, value in sent.items() if name not in others}


class Profile(ZepBody):
    """What is known of a user."""

    email: Annotated[Text, Field(max_length=400)] | None = None
    first_name: Annotated[Text, Field(max_length=200)] | None = None
    last_name: Annotated[Text, Field(max_length=200)] | None = None
    time_zone: Annotated[Text, Field(max_length=64)] | None = None
    metadata: Metadata | None = None


class UserIn(Profile):
    """A user. Without an id, Zep's newest client means a new one."""

    user_id: str | None = None


class SessionIn(ZepBody):
    """A session, or a thread under its former name; without a user it has a memory of its own."""

    session_id: SessionId
    user_id: str | None = None
    metadata: Metadata | None = None


class SessionChange(ZepBody):
    """New metadata of a session."""

    metadata: Metadata


class ThreadIn(ZepBody):
    """A thread of a user."""

    thread_id: SessionId
    user_id: str


class ThreadOfUser(ZepBody):
    """A new thread of a user, as the newest client asks for one."""

    user_uuid: str


class MessageOfZep(ZepBody):
    """A message, in each of the three ways in which Zep's clients write one."""

    content: Text
    role_type: RoleType | None = None
    role: Annotated[Text, Field(max_length=1_000)] | None = None
    name: Annotated[Text, Field(max_length=1_000)] | None = None
    metadata: dict[str, Any] | None = None
    uuid: TurnId | None = None
    created_at: Instant | None = None
    reference_time: Instant | None = None
    updated_at: str | None = None
    token_count: int | None = None
    processed: bool | None = None

    @field_validator("created_at", "reference_time", mode="before")
    @classmethod
    def _is_given(cls, sent: object) -> object:
        return sent or None

    @model_validator(mode="after")
    def _has_a_role(self) -> MessageOfZep:
        if self.kind is None:
            raise ValueError("role must be user, assistant, system, tool, function or norole")
        return self

    @property
    def kind(self) -> RoleType | None:
        """Its role. Where there is a `role_type`, `role` is the speaker's name."""
        if self.role_type is not None:
            return self.role_type
        return next((one for one in _ROLES if one == self.role), None)

    @property
    def speaker(self) -> str | None:
        """The speaker's name, where one is given."""
        return self.name or (self.role if self.role_type is not None else None) or None


class MessagesIn(ZepBody):
    """Messages of a thread. What roles of ``ignore_roles`` say is kept, and never comes up as a memory."""

    messages: Annotated[list[MessageOfZep], Field(min_length=1, max_length=256)]
    ignore_roles: list[RoleType] | None = None
    return_context: bool | None = None


class GraphSearch(ZepBody):
    """A search of a user's graph. ``reranker`` and ``mmr_lambda`` change nothing: words and meaning are both ranked."""

    query: Question
    user_id: str | None = None
    graph_id: str | None = None
    scope: Literal["edges", "nodes", "episodes"] = "edges"
    limit: Annotated[int, Field(ge=1, le=50)] = 10
    reranker: str | None = None
    mmr_lambda: float | None = None


class GraphQuestion(ZepBody):
    """A search of the newest client."""

    query: Question
    reranker: str | None = None
    mmr_lambda: float | None = None


class SessionSearch(ZepBody):
    """A search of a user's sessions, or of certain ones. ``search_type`` and ``mmr_lambda`` change nothing."""

    text: Question
    user_id: str | None = None
    session_ids: Annotated[list[ShortText], Field(max_length=20)] | None = None
    search_scope: Literal["facts", "messages"] = "facts"
    min_score: Annotated[float, Field(ge=0, le=1)] = 0.0
    search_type: str | None = None
    mmr_lambda: float | None = None


class EpisodeIn(ZepBody):
    """A text, a document in JSON, or a line of a conversation."""

    data: Annotated[Text, Field(min_length=1)]
    type: Literal["text", "json", "message"] = "text"
    created_at: Instant | None = None
    reference_time: Instant | None = None
    source_description: Annotated[Text, Field(max_length=4_000)] | None = None
    metadata: Metadata | None = None


class DataIn(EpisodeIn):
    """Data for a graph, of a user or without one."""

    user_id: str | None = None
    graph_id: str | None = None


class DataBatch(ZepBody):
    """Data for a graph, in the order in which it came about."""

    episodes: Annotated[list[EpisodeIn], Field(min_length=1, max_length=100)]
    user_id: str | None = None
    graph_id: str | None = None


class GraphChange(ZepBody):
    """What is known of a graph."""

    name: Annotated[Text, Field(max_length=400)] | None = None
    description: Annotated[Text, Field(max_length=4_000)] | None = None
    time_zone: Annotated[Text, Field(max_length=64)] | None = None


class GraphIn(GraphChange):
    """A graph without a user. The newest client sends no id."""

    graph_id: str | None = None


class UserAsked(ZepBody):
    """A user or thread that is looked for by its own id."""

    user_id: str | None = None
    thread_id: ShortText | None = None
    graph_id: str | None = None


class UsersAsked(ZepBody):
    """All users; Zep's search by name is not served."""

    search: None = None
