# make alone says what there is. All that is made stays in this folder: .venv and .cache.
PYTHON ?= python3
CACHE := $(CURDIR)/.cache
export PIP_CACHE_DIR := $(CACHE)/pip
export UV_CACHE_DIR := $(CACHE)/uv
export XDG_CACHE_HOME := $(CACHE)/xdg
export MPLCONFIGDIR := $(CACHE)/matplotlib
export NUMBA_CACHE_DIR := $(CACHE)/numba
export ROBOT_DYNAMICS_CACHE := $(CACHE)/kernels
export ROS_HOME := $(CACHE)/ros
export ROS_LOG_DIR := $(CACHE)/ros/log
export TMPDIR := $(CACHE)/tmp
RUN = $(PYTHON) tools/setup_env.py

.PHONY: help demo test lint bench clean
help:
	@echo 'make demo    moves a PUMA 560 and shows its torques; the nodes talk over real DDS'
	@echo 'make test    ruff, mypy and all tests'
	@echo 'make lint    ruff and mypy alone'
	@echo 'make clean   removes all that the others made'
	@echo 'The first run sets up .venv (Python >= 3.10, a C and C++ compiler, cmake).'

demo:
	@$(RUN) --run robot-dynamics demo $(ARGS)

test: lint
	@$(RUN) --extras test,bench --run python -m pytest $(ARGS)

lint:
	@$(RUN) --extras test,bench --run ruff check
	@$(RUN) --extras test,bench --run mypy

clean:
	rm -rf .venv .cache build install log .mypy_cache .pytest_cache .ruff_cache .hypothesis \
	  .coverage robot_dynamics.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
