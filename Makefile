# Every target makes its own .venv; a machine needs Python 3.11 or newer, and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test check format bench accuracy larger docs clean

demo: $(VENV)/ready
	$(BIN)/regard demo

test: $(VENV)/ready-test
	$(BIN)/python -m pytest -q -n 2

check: $(VENV)/ready-check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q -n 2 --cov --cov-fail-under=95
	$(BIN)/mkdocs build --quiet --strict

format: $(VENV)/ready-check
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/ready-check
	$(BIN)/python -m benchmarks

# Six languages with five seeds each, and larger tasks: some hours each.
DATA ?= ../shared/data
accuracy: $(VENV)/ready-check
	$(BIN)/python -m benchmarks.accuracy $(DATA)/g2p/sigmorphon2020

larger: $(VENV)/ready-check
	$(BIN)/python -m benchmarks.larger $(DATA)

docs: $(VENV)/ready-check
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) site build demo demo.html

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/ready: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) -e .
	touch $@

$(VENV)/ready-test: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) -e '.[test]'
	touch $@

$(VENV)/ready-check: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) -e '.[check]'
	touch $@
