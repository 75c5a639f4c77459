"""The part of an examination that looks at language models: which, and, if allowed, whether they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import ModelFault
from service.cli.findings import Finding, broken, noted, sound
from service.cli.wiring import NO_MODEL, models_of
from service.models import open_models
from service.usage import UsageLedger

if TYPE_CHECKING:
    from consolidation.kernel.ports import LanguageModel, Role
    from service.settings import Settings

_QUESTION = ({"role": "user", "content": "Answer with the one word: here"},)
_MEND = "see its name, its address (api_base) and its key, or its provider's own variable such as OPENAI_API_KEY"


async def examine_models(settings: Settings, *, are_called: bool) -> list[Finding]:
    """Every role's model; called only where that is allowed, since it may cost money."""
    named = models_of(settings)
    if not any(named.values()):
        return [noted("language", NO_MODEL)]
    if not are_called:
        return [_uncalled(role, name) for role, name in named.items()]
    async with open_models(settings, clock=SystemClock(), ledger=UsageLedger()) as models:
        return [await _called(role, models[role]) if name else _uncalled(role, name) for role, name in named.items()]


def _uncalled(role: Role, name: str) -> Finding:
    return noted(role.value, f"{name}: not called (--call-models does)" if name else NO_MODEL)


async def _called(role: Role, model: LanguageModel) -> Finding:
    clock = SystemClock()
    began = clock.monotonic()
    try:
        reply = await model.converse(_QUESTION)
    except ModelFault as fault:
        return broken(role.value, str(fault), mend=_MEND)
    return sound(role.value, f"{reply.model} answers in {clock.monotonic() - began:.1f} s, ${reply.usage.cost_usd:.4f}")
