# `make demo` and `make test` set up what they need in .venv; nothing else has to be installed first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready
OUT    := demo-report

.PHONY: help demo test lint bench clean
.DEFAULT_GOAL := help

help:  ## say what there is
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/'

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("evenscale needs Python 3.11 or newer, this is %d.%d" % sys.version_info[:2]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

demo: $(STAMP)  ## score the bundled sample campaign and write its report
	@$(BIN)/evenscale sample $(OUT)/campaign
	@$(BIN)/evenscale evaluate $(OUT)/campaign/qrels.txt $(OUT)/campaign/runs -m AP@30 -m nDCG@10 -m P@10 -m RR@10 --interval --quiet
	@$(BIN)/evenscale report $(OUT)/campaign/qrels.txt $(OUT)/campaign/runs --title "The sample campaign" --quiet -o $(OUT)/report.html
	@echo "The report is $(CURDIR)/$(OUT)/report.html"

test: $(STAMP) lint  ## run all tests
	$(BIN)/python -m pytest -n auto --dist loadgroup

lint: $(STAMP)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP)  ## measure evenscale and its peers side by side
	$(BIN)/python benchmarks/evaluate.py

clean:  ## remove what make made
	rm -rf $(VENV) $(OUT) test-artefacts .mypy_cache .ruff_cache .pytest_cache .hypothesis
