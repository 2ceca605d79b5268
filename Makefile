# make alone says what there is. All that is made stays in this folder, in .venv and .cache.
PYTHON ?= python3
SETUP = @command -v $(PYTHON) > /dev/null || { echo 'missing: no $(PYTHON)'; exit 1; }; \
  $(PYTHON) tools/setup_env.py

.PHONY: help demo test lint clean
help:
	@echo 'make demo    moves a PUMA 560 and shows its torques; its nodes talk over real DDS'
	@echo 'make test    ruff, mypy and all tests'
	@echo 'make lint    ruff and mypy alone'
	@echo 'make clean   removes all that the others made'
	@echo 'The first run sets up .venv; it takes Python 3.10 or newer, C and C++ compilers, cmake.'

demo:
	$(SETUP) --run robot-dynamics demo --plot .cache/demo.png $(ARGS)

test: lint
	$(SETUP) --extras test,bench --run python -m pytest -n auto --maxprocesses 4 --dist loadfile $(ARGS)

lint:
	$(SETUP) --extras test,bench --run ruff check
	$(SETUP) --extras test,bench --run mypy

clean:
	rm -rf .venv .cache build install log robot_dynamics.egg-info
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -prune -exec rm -rf {} +
