"""
The TypeScript client: ``python client-ts/build.py`` compiles it into ``dist``, its types made of our OpenAPI document.

``--check`` compiles it, tests and examples included; ``--test`` runs its tests against a service that it starts. Both
install the tools of developers from the lock. Needs npm with Node 20 or newer; without, it says so and does nothing.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LOCK, INSTALLED = HERE / "package-lock.json", HERE / "node_modules" / ".package-lock.json"
SCHEMA = HERE / "src" / "schema.d.ts"
DOCUMENT = HERE / "openapi.json"
sys.path.insert(0, str(ROOT / "console"))
from build import node_is_new_enough  # noqa: E402 - the console finds Node in the same way


def main() -> int:
    """Do it. Returns 0 where it is done or there is no Node, 1 where it fails."""
    if not node_is_new_enough():
        print("the TypeScript client is skipped: there is no npm with Node 20 or newer on the path")
        return 0
    try:
        install()
        make_types()
        if "--check" in sys.argv:
            call("npm", "run", "--silent", "check")
        else:
            call("npm", "run", "--silent", "build")
        if "--test" in sys.argv:
            call("npm", "run", "--silent", "test", TEST_PYTHON=sys.executable)
    except subprocess.CalledProcessError as error:
        print(f"the TypeScript client: {error}", file=sys.stderr)
        return 1
    return 0


def install() -> None:
    """Install what the lock names, where it is not there yet."""
    if not INSTALLED.is_file() or INSTALLED.stat().st_mtime < LOCK.stat().st_mtime:
        words = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
        call("npm", "ci", *words)


def make_types() -> None:
    """Write schema.d.ts from the document of this service as it is now."""
    sys.path.insert(0, str(ROOT))
    from service.app import create_app
    from service.settings.settings import Settings

    DOCUMENT.write_text(json.dumps(create_app(Settings()).openapi()))
    try:
        call("npx", "--no-install", "openapi-typescript", DOCUMENT.name, "--output", str(SCHEMA.relative_to(HERE)))
    finally:
        DOCUMENT.unlink()


def call(*words: str, **more: str) -> None:
    """Run a tool here. Raises CalledProcessError."""
    subprocess.run(words, cwd=HERE, env={**os.environ, **more}, check=True)


if __name__ == "__main__":
    sys.exit(main())
