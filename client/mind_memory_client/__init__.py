"""Mind Memory for Python: what surfaces before a turn, what is kept after it, around any model call."""

from mind_memory_client.answers import (
    Chapter,
    Dropped,
    Flashback,
    JournalChunk,
    JournalFile,
    JournalFound,
    Memory,
    Remembered,
    Resonance,
    Source,
    Story,
    TurnKept,
)
from mind_memory_client.attempts import Patience
from mind_memory_client.call import Call
from mind_memory_client.client import AsyncMemoryClient, MemoryClient
from mind_memory_client.faults import (
    Conflict,
    Erased,
    FieldFault,
    Forbidden,
    InvalidRequest,
    KeyNeeded,
    MemoryFault,
    MindNotFound,
    NotFound,
    NotMemory,
    Refused,
    StoryChanged,
    TooOften,
    TurnUnsaved,
    Unavailable,
    Unreachable,
)
from mind_memory_client.placing import placed
from mind_memory_client.states import Compacted, Consolidation, Mind, MindListed
from mind_memory_client.turn import Turn
from mind_memory_client.unsaved import Shelf, Unsaved

__all__ = [
    "AsyncMemoryClient",
    "Call",
    "Chapter",
    "Compacted",
    "Conflict",
    "Consolidation",
    "Dropped",
    "Erased",
    "FieldFault",
    "Flashback",
    "Forbidden",
    "InvalidRequest",
    "JournalChunk",
    "JournalFile",
    "JournalFound",
    "KeyNeeded",
    "Memory",
    "MemoryClient",
    "MemoryFault",
    "Mind",
    "MindListed",
    "MindNotFound",
    "NotFound",
    "NotMemory",
    "Patience",
    "Refused",
    "Remembered",
    "Resonance",
    "Shelf",
    "Source",
    "Story",
    "StoryChanged",
    "TooOften",
    "Turn",
    "TurnKept",
    "TurnUnsaved",
    "Unavailable",
    "Unreachable",
    "Unsaved",
    "placed",
]
