# Two commands on a fresh machine with Python 3.11+: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/pytest -q -n 2 --dist worksteal
SEED ?= 1
EXTRAS := dev,torch,demo,onnx,hf,ray,seal,attacks,docs

# Tests start many processes; without bytecode each of them would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test test-quick test-slow test-all bench lint style types paper compact docs release

setup: .venv/ready

# timm and torchvision are left out: they need a torch built for a GPU.
.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "simplicert needs Python 3.11 or later")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[$(EXTRAS)]'
	touch $@

demo: setup
	$(BIN)/simplicert demo --out demo

lint: style types

style: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

# All tests but the slow ones, and mypy beside them.
test: style
	$(MAKE) --no-print-directory --jobs 2 types test-quick

test-quick: setup
	$(PYTEST)

# The slow tests, about one in eight, in a random order. SEED=7 gives another one. Four at a time:
# a third of their time they wait for processes that they started.
test-slow: setup
	$(PYTEST) -n 4 -m 'slow and not long' --shuffle=$(SEED)

# All tests, with those of long high-precision arithmetic, in a random order.
test-all: lint
	$(PYTEST) -m 'slow or long or not slow' --shuffle=$(SEED)

# Every table and figure of the experiments, docs/experiments.md, docs/imagenet.md and docs/claims.md,
# from committed tallies and results. A second run changes nothing.
paper: setup
	$(BIN)/python -W ignore experiments/cifar10/paper.py
	$(BIN)/python -W ignore experiments/tiny-imagenet/paper.py
	$(BIN)/python -W ignore experiments/claims/claims.py

# Few large parts in every committed run; tallies stay the same, so `make paper` changes nothing.
compact: setup
	$(BIN)/simplicert compact $(patsubst %/parts,%,$(wildcard experiments/*/runs/*/parts))

# Measured blocks of the pages from the results and the explorer, then the site in site/; a dead link
# or a page that the menu forgets is an error. `python docs/make_pictures.py` photographs the pages.
docs: setup
	$(BIN)/python docs/make_pages.py
	$(BIN)/simplicert explorer --out docs/explorer.html
	$(BIN)/mkdocs build --strict

# Wheel and sdist in dist/, the lock files against what is installed here, the base by its hashes,
# then the wheel in empty environments: all of them, or PAIRS="3.11:base".
release: setup
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist
	$(BIN)/python release/lock.py --check
	$(BIN)/python release/lock.py --install dist/simplicert-*.whl
	$(BIN)/python release/check.py dist/simplicert-*.whl $(PAIRS)
	$(BIN)/python docs/make_pages.py

bench: setup
	mkdir -p benchmarks/results
	$(BIN)/python -W ignore benchmarks/radii.py --json benchmarks/results/radii.json
	$(BIN)/python -W ignore benchmarks/threats.py --json benchmarks/results/threats.json
	$(BIN)/python -W ignore benchmarks/joint.py --json benchmarks/results/joint.json
	$(BIN)/python -W ignore benchmarks/softmax.py --json benchmarks/results/softmax.json
	$(BIN)/python -W ignore benchmarks/router.py --json benchmarks/results/router.json
	$(BIN)/python -W ignore benchmarks/analysis.py --json benchmarks/results/analysis.json
	$(BIN)/python -W ignore benchmarks/draws.py --json benchmarks/results/draws.json
	$(BIN)/python -W ignore benchmarks/rules.py --json benchmarks/results/rules.json
	$(BIN)/python -W ignore benchmarks/population.py --json benchmarks/results/population.json
	$(BIN)/python -W ignore benchmarks/engines.py --json benchmarks/results/engines.json
	$(BIN)/python -W ignore benchmarks/resuming.py --json benchmarks/results/resuming.json
	$(BIN)/python -W ignore benchmarks/merging.py --json benchmarks/results/merging.json
	$(BIN)/python -W ignore benchmarks/coverage.py --json benchmarks/results/coverage.json
	$(BIN)/python -W ignore benchmarks/faults.py --json benchmarks/results/faults.json
	$(BIN)/python -W ignore benchmarks/disk_faults.py --json benchmarks/results/disk_faults.json
	$(BIN)/python -W ignore benchmarks/ray_faults.py --json benchmarks/results/ray_faults.json
	rm -f benchmarks/results/kills.json
	$(BIN)/python -W ignore benchmarks/kills.py --json benchmarks/results/kills.json
	$(BIN)/python -W ignore benchmarks/mutants.py --only bounds/ mechanisms/ --each 12 --json benchmarks/results/mutants.json
	$(BIN)/python -W ignore benchmarks/mutants.py --only store/ drawing/ verification/ smoothed/ --each 8 --json benchmarks/results/mutants.json
	$(BIN)/python -W ignore benchmarks/fuzz.py --json benchmarks/results/fuzz.json
	$(BIN)/python -W ignore examples/text_edits.py --json benchmarks/results/text.json
	$(BIN)/python -W ignore benchmarks/sampling.py --draws 1000 --rounds 10 --json benchmarks/results/sampling.json
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore benchmarks/batches.py --json benchmarks/results/batches.json
	$(BIN)/python -W ignore benchmarks/lipschitz.py --json benchmarks/results/lipschitz.json
	$(BIN)/python -W ignore benchmarks/noises.py --json benchmarks/results/noises.json
