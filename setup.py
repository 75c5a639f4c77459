"""Builds the console before a wheel is packed, so that the wheel carries it. Everything else is in pyproject.toml."""

import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel

CONSOLE = Path(__file__).resolve().parent / "console" / "build.py"


class WheelWithConsole(bdist_wheel):
    """A wheel. Without the console's sources, as in the image, what was built before is packed."""

    def run(self) -> None:
        """Build the console, then the wheel, which works without it as well."""
        if CONSOLE.is_file():
            subprocess.run([sys.executable, CONSOLE], check=False)
        super().run()


setup(cmdclass={"bdist_wheel": WheelWithConsole})
