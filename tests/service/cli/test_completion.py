"""Completion of commands and options, as each shell asks for it."""

import pytest

from tests.support.cli_process import run

BASH = {"_MIND_MEMORY_COMPLETE": "complete_bash"}
ZSH = {"_MIND_MEMORY_COMPLETE": "complete_zsh"}
FISH = {"_MIND_MEMORY_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}


def completed(words, **shell):
    """What the shell is offered at the end of *words*."""
    line = f"mind-memory {words}"
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1), "_TYPER_COMPLETE_ARGS": line}
    return run(**asked, **shell).stdout


@pytest.mark.parametrize("shell", [BASH, ZSH, FISH], ids=["bash", "zsh", "fish"])
def test_names_of_commands_and_their_options_are_completed(shell):
    assert all(word in completed("st", **shell) for word in ("status", "story"))
    assert "sources" in completed("story so", **shell)
    assert "--state" in completed("story sources --st", **shell)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(shell):
    script = run(_MIND_MEMORY_COMPLETE=f"source_{shell}").stdout

    assert f"_MIND_MEMORY_COMPLETE=complete_{shell}" in script
