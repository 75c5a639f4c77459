"""
Builds the documentation as a site of static pages: ``python docs/build.py``, or ``make docs``. A broken link fails it.

The pages of `mkdocs.yml`, and every file of the project that they lead to, are copied as they lie, so that a link
works here as it does in the repository. The site needs no network and no server: open its index.html.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CONFIG = "mkdocs.yml"
PAGE = re.compile(r"^ +- .*?(\S+\.md)$", re.MULTILINE)  # a line of the navigation
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")
BESIDE = ("docs/site/tables.css", "docs/site/iframe-worker.js")


def main() -> int:
    """Build it. Returns what the tool returned."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().partition("\n")[0])
    parser.add_argument("--to", type=Path, default=ROOT / "build" / "docs", help="the folder for pages and site")
    folder = parser.parse_args().to.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    copy(pages() | {ROOT / name for name in BESIDE}, folder / "pages")
    shutil.copy2(HERE / CONFIG, folder)
    words = [Path(sys.executable).with_name("zensical"), "build", "--clean", "--strict", "--config-file", CONFIG]
    done = subprocess.run(words, cwd=folder, check=False)
    if done.returncode == 0:
        print(f"the documentation: {folder / 'site' / 'index.html'}")
    return done.returncode


def pages() -> set[Path]:
    """Every page of the navigation, and every file that a page leads to, and so on."""
    found: set[Path] = set()
    waiting = [ROOT / name for name in PAGE.findall((HERE / CONFIG).read_text())]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.add(file)
        if file.suffix == ".md":
            linked = ((file.parent / target).resolve() for target in LINK.findall(file.read_text()))
            waiting.extend(one for one in linked if one.is_file() and one.is_relative_to(ROOT))
    return found


def copy(files: set[Path], to: Path) -> None:
    """Copy these files of the project, each to its place below *to*."""
    for file in files:
        target = to / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, target)


if __name__ == "__main__":
    sys.exit(main())
