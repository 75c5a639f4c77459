"""Mind Memory for Python: what surfaces before a turn and what is stored after it, around any model call."""

from mind_memory_client._retry import RetryPolicy
from mind_memory_client.async_client import AsyncMemoryClient
from mind_memory_client.audio import Said
from mind_memory_client.client import MemoryClient
from mind_memory_client.errors import (
    Conflict,
    Erased,
    Forbidden,
    InvalidField,
    InvalidRequest,
    MindMemoryError,
    MindNotFound,
    NotFound,
    RateLimited,
    RequestRefused,
    StoryChanged,
    TimedOut,
    TurnUnsaved,
    Unauthenticated,
    Unavailable,
    UnexpectedAnswer,
    Unreachable,
    UnsavedTurn,
    Unsendable,
)
from mind_memory_client.messages import place_memory
from mind_memory_client.models import (
    Flashback,
    Mind,
    Remembered,
    Resonance,
    StoredTurn,
)
from mind_memory_client.recipe import AsyncSubconsciousMemory, MemoryRecord, SubconsciousMemory
from mind_memory_client.sleep import Dreams, KeptActions, SleepBegun, SleepStatus
from mind_memory_client.story import Story
from mind_memory_client.turn import Turn
from mind_memory_client.waiting import UnsavedTurns

__all__ = [
    "AsyncMemoryClient",
    "AsyncSubconsciousMemory",
    "Conflict",
    "Dreams",
    "Erased",
    "Flashback",
    "Forbidden",
    "InvalidField",
    "InvalidRequest",
    "KeptActions",
    "MemoryClient",
    "MemoryRecord",
    "Mind",
    "MindMemoryError",
    "MindNotFound",
    "NotFound",
    "RateLimited",
    "Remembered",
    "RequestRefused",
    "Resonance",
    "RetryPolicy",
    "Said",
    "SleepBegun",
    "SleepStatus",
    "StoredTurn",
    "Story",
    "StoryChanged",
    "SubconsciousMemory",
    "TimedOut",
    "Turn",
    "TurnUnsaved",
    "Unauthenticated",
    "Unavailable",
    "UnexpectedAnswer",
    "Unreachable",
    "UnsavedTurn",
    "UnsavedTurns",
    "Unsendable",
    "place_memory",
]
