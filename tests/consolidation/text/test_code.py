"""What a machine wrote is taken out of a message, in fences or without; what people write around it stays."""

import pytest

from consolidation.text.code import without_code

ANSWER = """Here is the function that Ada asked for:

```python
rows = load_rows("invoice_0.json")  # step 0
Customer = make(rows)
```

It retries three times. [A drawing of a loop]"""


def test_a_fence_is_taken_out_and_the_words_around_it_stay():
    lines = [line for line in without_code(ANSWER) if line]

    assert lines == ["Here is the function that Ada asked for:", "It retries three times. [A drawing of a loop]"]


@pytest.mark.parametrize(
    "pasted",
    [
        'Traceback (most recent call last):\n  File "a.py", line 3',
        '{"name": "Ada",\n "city": "Lyon"}',
        "$ git push\nok",
    ],
)
def test_machine_text_goes_up_to_the_next_empty_line(pasted):
    lines = [line for line in without_code(f"What does this mean?\n{pasted}\n\nBen sent it to me.") if line]

    assert lines == ["What does this mean?", "Ben sent it to me."]


@pytest.mark.parametrize("said", ["@Anna moved to Lyon last week.", "मेरी माँ लखनऊ में रहती है और मेरी बहन दिल्ली में।"])
def test_what_people_write_stays(said):
    assert list(without_code(said)) == [said]


def test_a_call_of_a_tool_is_code_and_what_it_printed_may_be_prose():
    """Broken: the names of its arguments, which stand in quotation marks, were names of things."""
    stored = 'calendar({"command": "show the week"}) → ok\nInes visits Porto on Friday.'

    assert list(without_code(stored)) == ["Ines visits Porto on Friday."]


def test_a_decorator_is_code():
    assert [one for one in without_code("Look:\n@app.get\n@cached(60)\n") if one] == ["Look:"]


def test_a_fence_ends_with_the_marks_it_began_with():
    """Broken: other marks in it ended it, and what a person wrote behind it was code."""
    text = "Look:\n```\n~~~\nrows = load()\n~~~\n```\nMy sister wrote it."

    assert [line for line in without_code(text) if line] == ["Look:", "My sister wrote it."]
