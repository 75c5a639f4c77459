"""The helm that tests render the chart with: the one on the path, or what `make helm` fetched."""

import shutil
import sys
from pathlib import Path

_FETCHED = Path(sys.prefix) / "bin" / "helm"
HELM = shutil.which("helm") or (str(_FETCHED) if _FETCHED.exists() else None)
