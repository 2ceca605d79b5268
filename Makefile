# make alone says what there is. All that is made stays in this folder, in .venv and .cache.
PYTHON ?= python3
SETUP = @command -v $(PYTHON) > /dev/null || { echo 'missing: no $(PYTHON)'; exit 1; }; \
  $(PYTHON) tools/setup_env.py

.PHONY: docs coverage help demo view tutorials gallery bench-viewer bench-viewer-live test lint test-slow robots fuzz bench \
  bench-simulation bench-mechanisms bench-floating bench-sweeps \
  bench-nodes bench-loop bench-restart bench-launches simulator-robots soak reproduce clean soak-five-bar
help:
	@echo 'make demo    moves a seven-axis arm and shows its torques; its nodes talk over real DDS'
	@echo 'make view    a live robot on a page: ARGS=--simulate for one of its own, ARGS=--help'
	@echo 'make test    ruff, mypy and all tests'
	@echo 'make lint    ruff and mypy alone; make coverage  the tests, and what they do not reach'
	@echo 'make docs    the documentation as a site, in .cache/site/index.html'
	@echo 'make reproduce  the papers'"'"' experiments, their numbers beside ours; figures in .cache/reproduction'
	@echo 'make bench   speed beside Pinocchio and MuJoCo, in one run; a plot and JSON in .cache'
	@echo 'make bench-floating  a humanoid on a free base beside Pinocchio'
	@echo 'make bench-simulation  motion beside MuJoCo; make bench-mechanisms  closed loops beside both'
	@echo 'make bench-sweeps  sweeps beside computing and writing alone; on a Dask cluster too'
	@echo 'make bench-nodes  the nodes beside nodes that only echo; make bench-loop  control over DDS'
	@echo 'make bench-viewer  what the page costs: updates at websocket clients, cores, memory'
	@echo 'make bench-viewer-live  the page of a live robot: delay, drawings, cores, memory'
	@echo 'make gallery  the pictures of the page in docs/figures, by a real Chromium'
	@echo 'make tutorials  what the examples of the tutorials print and draw; ARGS=name for one'
	@echo 'make bench-restart  nodes killed and started again: how soon all is well'
	@echo 'make bench-launches  bringups on a machine with full cores: none may run away'
	@echo 'make simulator-robots  69 real robots in the simulator node, held and let go, a table'
	@echo 'make soak    ten minutes of control over DDS at 500 Hz'
	@echo 'make soak-five-bar  the same of a mechanism at 250 Hz: closed loops stay closed'
	@echo 'make robots  69 real robots beside Pinocchio, a table; FOLDER=... all those below a folder'
	@echo 'make fuzz    100,000 mutants of real URDFs'
	@echo 'make test-slow  the tests that make test leaves out'
	@echo 'make clean   removes all that the others made'
	@echo 'The first run sets up .venv; it takes Python 3.10 or newer, C and C++ compilers, cmake.'

demo:
	$(SETUP) $(if $(findstring --view,$(ARGS)),--extras viewer) --run robot-dynamics demo --plot .cache/demo.png $(ARGS)

view:
	$(SETUP) --extras viewer --run python -m robot_dynamics.nodes.viewer $(ARGS)

test: lint
	$(SETUP) --extras test,bench --run python -m pytest -n auto --dist loadfile --no-loadscope-reorder $(ARGS)

lint:
	$(SETUP) --extras test,bench --run ruff check
	$(SETUP) --extras test,bench --run mypy

docs:
	$(SETUP) --extras docs,viewer --run python tools/build_docs.py
	@echo 'site: .cache/site/index.html'

coverage:
	$(SETUP) --extras test,bench --run python -m pytest -n auto --dist loadfile --no-loadscope-reorder --cov=robot_dynamics \
	  --cov-report=term-missing:skip-covered $(ARGS)

test-slow:
	$(SETUP) --extras test,bench --run python -m pytest -m slow $(ARGS)

robots:
	$(SETUP) --extras test,bench --run python test/$(if $(FOLDER),model/robot_folder.py $(FOLDER),model/robot_table.py)
	$(if $(FOLDER),,$(SETUP) --extras test,bench --run python test/floating/robot_table.py)

fuzz:
	$(SETUP) --extras test,bench --run python test/description/mutations.py 100000

bench:
	$(SETUP) --extras test,bench --run robot-dynamics bench --save .cache/bench.json \
	  --plot .cache/bench.png $(ARGS)

bench-simulation:
	$(SETUP) --extras test,bench --run python test/bench/bench_simulation.py

bench-mechanisms:
	$(SETUP) --extras test,bench --run python test/bench/bench_mechanisms.py

bench-viewer:
	$(SETUP) --extras test,viewer --run python test/bench/bench_viewer.py $(ARGS)

bench-viewer-live:
	$(SETUP) --extras test,bench,viewer --run python test/bench/bench_viewer_live.py $(ARGS)

tutorials:
	$(SETUP) --extras test,viewer --run python tools/tutorials.py $(ARGS)

gallery:
	$(SETUP) --extras test,viewer --run python tools/gallery.py $(ARGS)

bench-sweeps:
	$(SETUP) --extras test,bench --run python -W ignore test/bench/bench_sweeps.py $(ARGS)

bench-floating:
	$(SETUP) --extras test,bench --run python test/bench/bench_floating.py $(ARGS)

bench-nodes:
	$(SETUP) --extras test,bench --run python test/bench/bench_nodes.py $(ARGS)

bench-loop:
	$(SETUP) --extras test,bench --run python test/bench/bench_loop.py $(ARGS)

bench-restart:
	$(SETUP) --extras test,bench --run python test/bench/bench_restart.py $(ARGS)

bench-launches:
	$(SETUP) --extras test,bench --run python test/bench/bench_launches.py $(ARGS)

simulator-robots:
	$(SETUP) --extras test,bench --run python test/ros/simulator_robots.py $(ARGS)

soak:
	$(SETUP) --extras test,bench --run python test/ros/soak.py --minutes 10 $(ARGS)

soak-five-bar:
	$(SETUP) --extras test,bench --run python test/ros/soak.py --minutes 10 --robot five_bar --rate 250 $(ARGS)

reproduce:
	$(SETUP) --run robot-dynamics reproduce all --output .cache/reproduction --overwrite $(ARGS)

clean:
	rm -rf .venv .cache build install log robot_dynamics.egg-info
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage MUJOCO_LOG.TXT
	find . -name __pycache__ -prune -exec rm -rf {} +
