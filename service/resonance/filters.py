"""
Phase 3: which of the candidates may surface, or why none does.

In this order: *people* (what somebody said is wrong, or never to come up), *horizon* (what the bot can still see),
*echo* (what was shown lately), *outcome* (what was found wrong), *relevance* (is anything stored meant at all, and
could this be), then the selection of a few, in which what proved useful ranks higher. Each filter says what it dropped
and why, in the trace.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.turns import Speaker
from consolidation.text.concepts import concepts
from consolidation.text.language import detect
from consolidation.text.relations import relations_asked
from consolidation.text.speech_acts import tells
from consolidation.text.words import content_stems
from service.mind.trace_document import FiltersTrace, RelevanceTrace
from service.resonance.horizon import horizon_of
from service.resonance.order import Pairs, SameSubject, in_order
from service.resonance.proof import prove
from service.resonance.selection import Filtered, most_shown, next_best, select
from service.resonance.standing_instructions import ARM, MOST, is_standing
from service.resonance.turn_likeness import cosines_between
from service.retrieval.lead_words import without_lead, wording
from service.retrieval.moment import Shortlist
from service.retrieval.other_subjects import is_about_another, may_be_about_another, told_in
from service.retrieval.replacements import tells_anew
from service.retrieval.tellers import about_in, asker_of, tellers_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from service.mind.minds import Mind
    from service.mind.trace_log import Echoes
    from service.resonance.call import PreTurnCall
    from service.resonance.horizon import Horizon
    from service.resonance.proof import Proof
    from service.resonance.relevance_gate import RelevanceGate, Verdict
    from service.resonance.retrieval import Candidates
    from service.retrieval.moment import Fragment, Moment
    from service.retrieval.tellers import Tellers

_BY_A_PERSON = ("by a person", "a person said so")
_MOST_TOLD = 20  # fragments whose own likelihood the trace tells
_WORTH_ASKING = 0.5  # of the likelihood that is needed, from which a model that judges is asked
_TOLD_SHARE = 0.4  # of the words of a memory, from which the talk in sight tells it
_ORDERED = 3  # among so many at least, what holds now comes before what it took the place of, however few surface
_SESSION_TURNS = 60  # the newest of a session, among which the horizon is looked for


def _always(_: Fragment) -> bool:
    return True


class _TalkInSight:
    """The words of the context window, read once and only if they are asked for."""

    def __init__(self, moment: Moment) -> None:
        self._moment = moment

    def tells(self, fragment: Fragment) -> bool:
        """
        Whether the bot's messages tell a good part of what *fragment* says and the person's messages do not.

        Where the person's say all of it, as "am I allergic to nuts?" does, whether the bot's do.
        """
        words = content_stems(without_lead(fragment.text), language=self._moment.language)
        telling = words - self._persons or words
        return len(telling & self._bots) >= _TOLD_SHARE * len(telling)

    def repeats(self, fragment: Fragment) -> bool:
        """``tells``; but a standing instruction that was shown lately counts as told: the bot went by it."""
        return is_standing(fragment) or self.tells(fragment)

    @cached_property
    def _persons(self) -> frozenset[str]:
        return self._stems(is_persons=True)

    @cached_property
    def _bots(self) -> frozenset[str]:
        return self._stems(is_persons=False)

    def _stems(self, *, is_persons: bool) -> frozenset[str]:
        said = (one.content for one in self._moment.messages if (one.role is Speaker.USER) is is_persons)
        return content_stems("\n".join(said), language=self._moment.language)


class Filters:
    """
    Drops what should not surface.

    *echo_turns* is how long a memory that was shown stays away from its session, unless the mind has its own number.
    *compares_turns* is whether cosines between turns say how alike they are.
    """

    def __init__(self, *, gate: RelevanceGate, echo_turns: int, compares_turns: bool) -> None:
        self._gate = gate
        self._compares_turns = compares_turns
        self._echo_turns = echo_turns

    async def choose(self, call: PreTurnCall, candidates: Candidates, *, most_judged: int = 0) -> Shortlist[Fragment]:
        """
        What may surface, in its order; nothing, with the reason in the trace, is silence. Raises HomeFault.

        A model judges *most_judged* of them. It is also asked where it is half as likely as needed that anything is
        meant. Words and vectors find what answers among the first dozen far more often than among the first few.
        """
        request, trace, mind = call.request, call.trace, call.mind
        if not candidates.queries:
            return Shortlist(trace.silent("there is nothing to look for"))

        is_gated = request.relevance > 0
        echoes = mind.trace_log.echoes(
            request.session_id, turns=self.echo_turns_of(mind), before=request.as_of, but_for=request.again_of
        )
        in_sight = _TalkInSight(call.moment).repeats if candidates.is_asked else _always
        new = unseen(candidates.fragments, horizon=await _horizon(call, candidates), echoes=echoes, in_sight=in_sight)
        new = _without_denied(new, candidates, language=call.moment.language) if is_gated else new
        new, proven, verdict = await anyio.to_thread.run_sync(
            self._weighed, call, candidates, new, abandon_on_cancel=True
        )
        trace.note(FiltersTrace(dropped=new.dropped))
        limit = most_shown(
            request.max_fragments,
            turns=len(mind.transcript.positions),
            is_unlimited=candidates.wants_list or not is_gated,
        )
        standing, new = _parted(new, most=min(MOST, limit))
        if verdict is None:
            return Shortlist(_shown(call, candidates, standing) or trace.silent(_why_none(new.dropped)), limit=limit)

        relevance = _relevance_trace(verdict, new.fragments, needed=request.relevance)
        factors = proven.factors(new.fragments, call.moment.now)
        trace.note(FiltersTrace(relevance=relevance, salience=factors or None))
        if not (is_gated and request.max_fragments):  # all that was found is asked for, or nothing
            most_judged = 0
        if verdict.probability < request.relevance:
            is_asked = verdict.probability >= _WORTH_ASKING * request.relevance
            more = next_best(new.fragments, (), most=most_judged if is_asked else 0)
            shown = _shown(call, candidates, standing)
            return Shortlist(shown or trace.silent(_why_silent(candidates, new.dropped)), more, limit)

        most = max(limit - len(standing), min(limit, 1))
        ordered, dropped = await self._selected(call, candidates, new, verdict, factors=factors, most=most)
        first = _shown(call, candidates, (*ordered, *standing[: limit - len(ordered)]))
        if not first:
            is_wanted = request.max_fragments > 0
            trace.silent(_why_silent(candidates, dropped) if is_wanted else "no flashbacks were asked for")
        more = next_best(new.fragments, first, most=most_judged - len(first))
        return Shortlist(first, more, limit)

    def _weighed(
        self, call: PreTurnCall, candidates: Candidates, new: Filtered
    ) -> tuple[Filtered, Proof, Verdict | None]:
        """*new* without what outcomes hold back, what they say of it, and how likely the rest is meant, if any is."""
        proven = prove(call.mind, new.fragments, message=call.moment.message)
        left = new.without(dict.fromkeys(proven.held_back, "outcome: contradicted"))
        left = replace(left, fragments=proven.told(left.fragments))
        weighed = [one for one in left.fragments if not is_standing(one)]
        if not weighed:
            return left, proven, None
        verdict = self._gate.weigh(
            weighed,
            candidates=candidates,
            text=call.mind.text,
            turns=len(call.mind.transcript.positions),
            moment=call.moment,
            needed=call.request.relevance,
        )
        return left, proven, verdict

    async def _selected(
        self,
        call: PreTurnCall,
        candidates: Candidates,
        new: Filtered,
        verdict: Verdict,
        *,
        factors: Mapping[str, float],
        most: int,
    ) -> tuple[tuple[Fragment, ...], Mapping[str, str]]:
        """At most *most* of *new* in the order in which they surface, and why each other one was dropped, by id."""
        is_gated = call.request.relevance > 0
        is_ordered = is_gated and candidates.is_present and most > 0
        chosen = select(
            new.without(verdict.strays) if is_gated else new,
            drops_weak=is_gated,
            limit=max(most, _ORDERED) if is_ordered else most,
            timezone=call.request.timezone,
            factors=factors,
            best=candidates.fragments[0].score,
        )
        same = await self._same_subject(call, candidates, chosen.fragments, verdict) if is_gated else None
        ordered = in_order(chosen.fragments, same)[:most]
        left = {one.id for one in ordered}
        chosen = chosen.without({one.id: "limit" for one in chosen.fragments if one.id not in left})
        call.trace.note(FiltersTrace(dropped=chosen.dropped, kept=()))
        return ordered, chosen.dropped

    async def _same_subject(
        self, call: PreTurnCall, candidates: Candidates, chosen: Sequence[Fragment], verdict: Verdict
    ) -> SameSubject | None:
        """What shows which of *chosen* are on one subject; None where what was said last does not count for more."""
        if not candidates.is_present or len(chosen) == 1:
            return None
        written = {one.id: one for one in chosen if one.written is not None}
        cosines: dict[str, dict[str, float]] = {}
        if self._compares_turns:
            rests_on = {
                one.id: max(one.sequences | one.in_place_of, default=0) for one in chosen if one.id not in written
            }
            newest = {key: sequence for key, sequence in rests_on.items() if sequence in candidates.turns}
            turns = set(newest.values())
            near = await cosines_between(call, candidates.turns, of=turns, among=turns)
            cosines = {
                key: {other: near[own][turn] for other, turn in newest.items() if turn in near[own]}
                for key, own in newest.items()
                if own in near
            }
        told = [one for one in chosen if one.id not in written]
        said = {one.id: (one.said, one.sequences) for one in told}
        own, (*apart, anew), tellers = await anyio.to_thread.run_sync(
            lambda: (
                _written_words(written, call.moment.language),
                _compared(told, candidates, call.moment.language),
                tellers_in(said, call.mind, candidates.put_right, asker=asker_of(call.moment)),
            )
        )
        others = _of_others_relatives(told, tellers, call.moment, candidates)
        sure, likely = (pairs | others for pairs in apart)
        return SameSubject({**verdict.subjects, **own}, cosines, verdict.denials, tellers, sure, likely, anew)

    def echo_turns_of(self, mind: Mind) -> int:
        """How many turns a memory that was shown stays away from its session."""
        own = mind.settings.known.echo_turns
        return self._echo_turns if own is None else own


def _parted(found: Filtered, *, most: int) -> tuple[tuple[Fragment, ...], Filtered]:
    """The first standing instructions of what was *found*, and the rest, without what was observed of their turns."""
    every = sorted(filter(is_standing, found.fragments), key=lambda one: one.arms[ARM])
    first = tuple(every[:most])
    told = frozenset[int]().union(*(one.sequences for one in first))
    reasons = {one.id: "limit" for one in every[most:]}
    reasons |= {
        one.id: "near-duplicate: its turn is shown"
        for one in found.fragments
        if one.kind == "observation" and one.sequences and one.sequences <= told
    }
    shown = {one.id for one in first}
    rest = found.without(reasons)
    return first, Filtered(tuple(one for one in rest.fragments if one.id not in shown), rest.dropped)


def _shown(call: PreTurnCall, candidates: Candidates, fragments: tuple[Fragment, ...]) -> tuple[Fragment, ...]:
    """*fragments*, which are noted in the trace, each standing instruction with why it comes up."""
    if not fragments:
        return ()
    why = {one.id: candidates.instructions[one.id] for one in fragments if one.id in candidates.instructions}
    call.trace.note(FiltersTrace(kept=tuple(one.id for one in fragments), instructions=why or None))
    return fragments


def _written_words(fragments: Mapping[str, Fragment], language: str) -> dict[str, frozenset[str]]:
    """What somebody wrote of entities, in stems and concepts; a name alone makes nothing the same subject."""
    found: dict[str, frozenset[str]] = {}
    for key, fragment in fragments.items():
        if (edit := fragment.written) is not None:
            words, name = edit.to or "", f"{edit.target.text} {fragment.text.partition(':')[0]}"
            stems = content_stems(words, language=language) - content_stems(name, language=language)
            found[key] = stems | concepts(words, language=language)
    return found


def _compared(fragments: Sequence[Fragment], candidates: Candidates, language: str) -> tuple[Pairs, Pairs, Pairs]:
    """
    Of *fragments*, the pairs of ids of which the first is about another person or thing than the second, which is about
    what is asked for: where that is sure, and where it may be. And those of which the first tells that anew.
    """
    asked = tuple(hits.query for hits in candidates.queries if hits.query not in candidates.added)
    told = {one.id: told_in(one.said) or without_lead(one.text) for one in fragments}

    def pairs(differ: Callable[..., bool]) -> Pairs:
        return frozenset(
            (one, other)
            for one, other in permutations(told, 2)
            if differ(told[one], told[other], questions=asked, language=language)
        )

    anew = frozenset(
        (one, other)
        for one, other in permutations(told, 2)
        if any(tells_anew(told[one], told[other], question=question, language=language) for question in asked)
    )
    return pairs(is_about_another), pairs(may_be_about_another), anew


def _of_others_relatives(
    fragments: Sequence[Fragment], tellers: Mapping[str, Tellers], moment: Moment, candidates: Candidates
) -> Pairs:
    """
    Of *fragments*, the pairs of ids of which the first is of another person's sister, where who asks by name asks of
    theirs, and the second is not.
    """
    about = about_in(moment.message, moment, candidates.people)
    asked = relations_asked(moment.message, language=moment.language)
    if not (asked and asker_of(moment) in about):
        return frozenset()
    people = {candidates.put_right.person(one) for one in about}
    of_others = {
        key
        for key, one in tellers.items()
        if one.people
        and people.isdisjoint(one.people)
        and any(not asked.isdisjoint(relations_asked(text, language=detect(text))) for text in one.told)
    }
    return frozenset((one, other.id) for one in of_others for other in fragments if other.id not in of_others)


def _without_denied(new: Filtered, candidates: Candidates, *, language: str) -> Filtered:
    """*new* without what rests on turns whose answer a person said was wrong, unless the person told it there."""
    asked = [one for one in new.fragments if not (one.decided.is_right or is_standing(one))]
    denied = [one for one in asked if one.sequences and one.sequences <= candidates.denied]
    wrong = [one for one in denied if not _is_the_persons(one, language=language)]
    return new.without({one.id: "denied: it was said to be wrong" for one in wrong})


def _is_the_persons(fragment: Fragment, *, language: str) -> bool:
    """Whether *fragment* is mostly what the person told in its turns: that holds, whatever the bot said there."""
    own = "\n".join(one.content for one in fragment.said if one.role is Speaker.USER)
    telling = content_stems(without_lead(fragment.text), language=language)
    return tells(own, language=language) and 2 * len(telling & content_stems(own, language=language)) > len(telling)


def _relevance_trace(verdict: Verdict, fragments: Sequence[Fragment], *, needed: float) -> RelevanceTrace:
    """What the gate found, with how likely the best of *fragments* were where each was weighed by itself."""
    best = sorted((one.id for one in fragments if one.id in verdict.by_memory), key=verdict.by_memory.__getitem__)
    by_memory = {key: round(verdict.by_memory[key], 4) for key in best[: -_MOST_TOLD - 1 : -1]}
    return RelevanceTrace(round(verdict.probability, 4), needed, by_memory or None)


def unseen(
    fragments: Sequence[Fragment],
    *,
    horizon: Horizon,
    echoes: Echoes,
    in_sight: Callable[[Fragment], bool] = _always,
) -> Filtered:
    """
    *fragments* (best first) without what people hold back, then without what is still in sight, then without what was
    shown lately, or says word by word what was. What a person pinned is shown again, and so is what the talk *in_sight*
    does not tell: the bot was shown it for one turn alone.
    """
    left = Filtered(tuple(fragments)).without({one.id: one.held_back for one in fragments if one.held_back})
    left = left.without({one.id: "horizon: still in sight" for one in left.fragments if horizon.hides(one)})
    may_echo = [one for one in left.fragments if not one.decided.is_pinned]
    lately = (one for one in may_echo if echoes.include(one.id, frozenset() if one.statement else one.sequences))
    shown = [one for one in lately if in_sight(one)]
    left = left.without({one.id: "echo: shown lately" for one in shown})
    if not shown:
        return left
    wordings = {wording(one.text) for one in shown}
    again = [one for one in left.fragments if not one.decided.is_pinned and wording(one.text) in wordings]
    return left.without({one.id: "echo: the same was shown lately" for one in again})


def _why_silent(candidates: Candidates, dropped: Mapping[str, str]) -> str:
    """The reason of a silence: what fits best is in sight or was shown lately, or nothing seems to be meant."""
    is_known = dropped.get(candidates.fragments[0].id, "").startswith(("horizon", "echo"))
    return "what fits best is in sight or was shown lately" if is_known else "nothing stored seems to be meant"


def _why_none(dropped: Mapping[str, str]) -> str:
    if not dropped:
        return "nothing was found"
    if any(reason.endswith(_BY_A_PERSON) for reason in dropped.values()):
        return "what was found was put right by a person, or is in sight, or was shown lately"
    if "outcome: contradicted" in dropped.values():
        return "what was found was contradicted, or is in sight, or was shown lately"
    return "all that was found is in sight or was shown lately"


async def _horizon(call: PreTurnCall, candidates: Candidates) -> Horizon:
    """What of the candidates' turns, and of the session's newest, stands in the context window."""
    moment, transcript = call.moment, call.mind.transcript
    in_session = transcript.positions.before_in_session(
        moment.session_id, transcript.positions.last + 1, limit=_SESSION_TURNS + len(moment.messages)
    )
    newest = in_session[-_SESSION_TURNS:]
    others = await transcript.read_many([sequence for sequence in newest if sequence not in candidates.turns])
    return horizon_of(
        moment.messages,
        session_id=moment.session_id,
        turns=(*candidates.turns.values(), *others),
        seen_from=call.request.seen_from,
        asked=_asked(moment),
        in_session=in_session,
    )


def _asked(moment: Moment) -> int:
    """How many messages are being answered: the newest of the person, with what tools said since; of an agent, none."""
    roles = [message.role for message in moment.messages]
    last = next((role for role in reversed(roles) if role is not Speaker.SYSTEM), None)
    if moment.acts or Speaker.USER not in roles or last is Speaker.ASSISTANT:
        return 0
    return roles[::-1].index(Speaker.USER) + 1
