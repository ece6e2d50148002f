# `make demo` and `make test` work on a fresh machine with Python >= 3.11 and pip; `make check` is what CI runs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?=

.PHONY: setup demo test check lint format types imports attack docs bench eval-real environments clean

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml tools/setup.sh
	PYTHON="$(PYTHON)" VENV="$(VENV)" bash tools/setup.sh
	@touch $@

demo: setup
	$(BIN)/python examples/demo.py

check: lint types imports test attack docs

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

test: setup
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/unit tests/contract tests/integration $(PYTEST_ARGS)

attack: setup
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/attack $(PYTEST_ARGS)

docs: setup
	$(BIN)/python tools/check_docs.py

bench: setup
	$(BIN)/python -m tests.bench

eval-real: setup
	$(BIN)/python tools/eval_real.py

# Every built-in environment: sound in a minute, strong (cheats, floor, mutants, other forms) in a quarter of an hour.
environments: setup
	$(BIN)/deepgym check environments
	$(BIN)/deepgym qa environments --state .qa-state.json --html qa-report

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache dist build
