"""All groups of calls, as each client has them. A new group is added here."""

from __future__ import annotations

from mind_memory_client._access import AccessCalls, AsyncAccessCalls
from mind_memory_client._agent import AgentCalls, AsyncAgentCalls
from mind_memory_client._ask import AskCalls, AsyncAskCalls
from mind_memory_client._batch import AsyncBatchCalls, BatchCalls
from mind_memory_client._catalog import AsyncCatalogCalls, CatalogCalls
from mind_memory_client._corrections import AsyncCorrectionCalls, CorrectionCalls
from mind_memory_client._files import AsyncFileCalls, FileCalls
from mind_memory_client._insight import AsyncInsightCalls, InsightCalls
from mind_memory_client._records import AsyncRecordsCalls, RecordsCalls
from mind_memory_client._settings import AsyncSettingsCalls, SettingsCalls
from mind_memory_client._voice import AsyncVoiceCalls, VoiceCalls
from mind_memory_client._webhooks import AsyncWebhookCalls, WebhookCalls


class Calls(
    AccessCalls,
    AgentCalls,
    AskCalls,
    BatchCalls,
    CatalogCalls,
    CorrectionCalls,
    FileCalls,
    InsightCalls,
    RecordsCalls,
    SettingsCalls,
    VoiceCalls,
    WebhookCalls,
):
    """Every group, for the client that blocks."""


class AsyncCalls(
    AsyncAccessCalls,
    AsyncAgentCalls,
    AsyncAskCalls,
    AsyncBatchCalls,
    AsyncCatalogCalls,
    AsyncCorrectionCalls,
    AsyncFileCalls,
    AsyncInsightCalls,
    AsyncRecordsCalls,
    AsyncSettingsCalls,
    AsyncVoiceCalls,
    AsyncWebhookCalls,
):
    """Every group, for the client that is awaited."""
