"""Every prompt as a model reads it: one case a file, its words above the mark, the rendered prompt below."""

import pytest

from prompts.library import HOUSE, render
from tests.support.golden import assert_golden, cases, given

CASES = cases("prompts")
PARTS = {"story_rules", "story_material"}  # included by other templates and never rendered alone


def prompt_of(case):
    """A case may say after a dash what is special about it."""
    return case.stem.partition("-")[0]


def test_every_prompt_has_a_case():
    templates = {file.stem for file in HOUSE.glob("*.md")} - {"README"} - PARTS

    assert {prompt_of(case) for case in CASES} == templates


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_prompt_is_rendered_as_it_was(case):
    assert_golden(case, render(prompt_of(case), **given(case)) + "\n")
