"""What schemathesis can not read in our document: texts of our formats, and rules about more than one field."""

import zoneinfo

import schemathesis
from hypothesis import strategies as st
from schemathesis.core import NOT_SET

from consolidation.kernel.turns import has_dot_step
from consolidation.workspace import LONGEST_MIND_NAME

STATE = {404, 409, 412, 413, 428}  # refused for what the service holds, or for the size of the whole
BETWEEN_FIELDS = {"/problems/turn-id-mismatch"}  # Idempotency-Key and turn_id are one id, said at two places
OF_THE_FORMAT = {"/problems/archive-unreadable", "/problems/journal-path-refused"}  # no schema says what these are
OF_A_MODEL = {"/problems/transcription-not-configured"}  # the document says what the model would hear
OF_THE_WHOLE = (
    "every message is empty",
    "must not be before since",
    "must not be a word for another speaker",
    "must not be blank",
    "is the id of an earlier memory of this request",
    "is the id of an earlier action of this request",
    "needs a text",
    "needs the name of its tool",
    "a tool_call has no text",
    "has only a text",
    "has no words",
    "names no tool",
    "says two things of",
    "needs an id, or the words of the memory",
    "is not the id of a",
    "a turn is named by its id, or by turn_ids",
    "is missing: which memory is meant?",
    "must be an entity for",
    "must be a fact for say",
    "says nothing: the new fact goes here",
    "is new for say",
    "is needed for",
    "is not read for",
    "must name the turns that are about the other one",
    "says what the memory says already",
    "must be another name",
    "is not a cursor of this list",
    "must hold words",
    "`next_cursor` of",
    "`role` says what became of `memory`, which is missing",
    "is for a call with `probe: true`",
    "names a kind twice",
    "the file can not be imported",
    "must be a JSON object",  # a text in the address, as which the document has it
    'must have no step "." or ".."',  # of a key, whose pattern does not say so
)

offsets = st.sampled_from(("Z", "+02:00", "-11:30", "+14:00", "z", ".5Z", ".123456789+00:00"))
instants = st.builds(  # none from the future, which a turn may not have
    "{}-{:02d}-{:02d}T{:02d}:{:02d}:{:02d}{}".format,
    st.integers(1990, 2025),
    st.integers(1, 12),
    st.integers(1, 28),
    st.integers(0, 23),
    st.integers(0, 59),
    st.integers(0, 59),
    offsets,
)
printable = st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" "), min_size=1).filter(
    lambda text: text.strip() and not has_dot_step(text)  # of an id, clients take those out of an address
)
schemathesis.openapi.format("date-time", instants)
schemathesis.openapi.format("printable-text", printable)
schemathesis.openapi.format("iana-time-zone", st.sampled_from(sorted(zoneinfo.available_timezones())))


@schemathesis.serializer("application/zip")
def archive(_context, value):
    """Bytes as they are."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@schemathesis.hook
def before_call(_context, case, _kwargs):
    """Headers go out as UTF-8, where Python's own client would refuse to send them."""
    for name, value in (case.headers or {}).items():
        if isinstance(value, str) and any(ord(letter) > 255 for letter in value):
            case.headers[name] = value.encode("utf-8", "replace").decode("latin-1")


def _of_a_front_end(case):
    return [value for name, value in (case.headers or {}).items() if name.lower().startswith("x-openwebui-")]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Whether a failure counts."""
    del context
    kind = type(failure).__name__
    if kind == "RejectedPositiveData":
        problem = response.json()
        told = problem.get("detail") or problem.get("error", {}).get("message", "")  # or in OpenAI's words
        known = problem.get("type") in BETWEEN_FIELDS | OF_THE_FORMAT | OF_A_MODEL or any(
            one in told for one in OF_THE_WHOLE
        )
        return not (known or response.status_code in STATE)
    if kind == "AllowHeaderMismatch" and case.operation.path.endswith(("/compaction", "/trim", "/actions")):
        return set(failure.undocumented_methods) != {"DELETE"}  # a session may be called `a/compaction`, and be erased
    if kind == "AllowHeaderMismatch" and case.operation.path.endswith("/turns/batch"):
        return set(failure.undocumented_methods) != {"DELETE", "GET"}  # a turn may be called `batch`
    if kind == "AcceptedNegativeData" and case.operation.path.endswith("/chat/completions"):
        return not any(
            len(value) > LONGEST_MIND_NAME for value in _of_a_front_end(case)
        )  # not read where it is not needed
    if kind == "AcceptedNegativeData" and case.media_type == "text/markdown":
        return case.body is NOT_SET  # what stands in a text is text, whatever was meant by it
    return True
