# `make reports` and `make test` are all you need on a fresh machine with Python 3.11 and make; `make help` lists the rest.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help reports experiment site paper redraw publish plan test check campaign portable speed lint lab lock slurm environments both

CORES ?= all
SCALE ?= quick
KILLS ?= 100
BIN := .venv/bin
# PAPER=fco or EXPERIMENT=fco/lasso_I: only these.
ONLY := $(strip $(if $(PAPER),$(PAPER)/*) $(EXPERIMENT))
comma := ,
empty :=
CHOSEN := $(if $(ONLY),--config 'experiments=["$(subst $(empty) $(empty),"$(comma)",$(ONLY))"]')
START := $(BIN)/python workflow/scripts/start_snakemake.py --cores
SNAKEMAKE := $(START) $(CORES) $(CHOSEN) --configfile
COMPILE := ../$(BIN)/uv pip compile --quiet --generate-hashes --no-emit-index-url --no-header --python-version 3.11
# The workflow environment is remade when its lock or the package's metadata change, not when their times do.
READY := .venv/ready-$(shell cat envs/workflow.txt pyproject.toml | cksum | cut -d ' ' -f 1)
# Snakemake makes the other one. Once that is done, tests and notebooks need no Snakemake, whose lock a long run holds.
TFF_READY := .env/tff/ready-$(shell cat envs/tff.txt workflow/scripts/make_tff_environment.py | cksum | cut -d ' ' -f 1)

# The environments keep what Python compiles: else every process would compile its imports anew, TensorFlow's for 15 s.
unexport PYTHONDONTWRITEBYTECODE

# Jupyter refuses root without being told; containers know no other user.
LAB ?= $(if $(filter 0,$(shell id -u)),--allow-root)

SCALES := $(filter-out measurements renamed,$(basename $(notdir $(wildcard config/*.yaml))))
ifeq ($(filter $(SCALE),$(SCALES)),)
$(error fedatlas: SCALE is '$(SCALE)', but must be one of: $(SCALES))
endif

ifneq ($(filter experiment,$(MAKECMDGOALS)),)
ifneq ($(words $(EXPERIMENT)),1)
$(error fedatlas: say which experiment, and one alone: make experiment EXPERIMENT=fco/lasso_I)
endif
endif

ifneq ($(filter publish redraw,$(MAKECMDGOALS)),)
ifneq ($(strip $(PAPER)$(EXPERIMENT)),)
$(error fedatlas: make publish and make redraw take all that is complete; PAPER and EXPERIMENT are for reports, plan and experiment)
endif
endif

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22
	@echo '  after reports, plan and experiment: SCALE=quick|medium|paper, CORES=N|all, PAPER=fco, EXPERIMENT=fco/lasso_I; e.g. make plan SCALE=paper'

reports: $(READY)  ## run all that has a quick scale and write reports/index.html
	@exec $(SNAKEMAKE) config/$(SCALE).yaml

experiment: $(READY)  ## run one experiment and write its page alone, e.g. make experiment EXPERIMENT=fco/lasso_I
	@exec $(SNAKEMAKE) config/$(SCALE).yaml -- reports/experiments/$(EXPERIMENT)/index.html

site: $(READY)  ## write pages of the published results alone to reports/site, without running anything
	@exec $(SNAKEMAKE) config/$(SCALE).yaml -- site

paper: $(READY)  ## run everything at the papers' own scale, which takes days
	@exec $(SNAKEMAKE) config/paper.yaml

redraw: $(READY)  ## redraw the pictures of the published results
	@exec $(BIN)/fedatlas redraw

publish: $(READY)  ## copy complete results of paper and medium scale to reports/published, and list them there
	@exec $(START) 1 --configfile config/paper.yaml -- publish

plan: $(READY)  ## list what `make reports` would run, with predicted minutes and memory
	@exec $(BIN)/fedatlas plan --scale $(SCALE) --cores $(CORES) $(if $(ONLY),--experiments '$(subst $(empty) $(empty),' ',$(ONLY))')

test: both  ## run all tests, in both environments
	@exec $(BIN)/python tests/run.py

check: both  ## run only the fast tests (a minute), while you edit
	@exec $(BIN)/python tests/run.py --core

campaign: both  ## kill the workflow KILLS=100 times, at any moment, and check that nothing is lost
	@exec $(BIN)/python tests/campaign/kills.py $(KILLS)

portable: both  ## run the tests that compute as processors with other instructions would
	@exec $(BIN)/python tests/run.py --portable

lab: both  ## open JupyterLab with both kernels, at the root of the project
	@exec $(BIN)/jupyter lab $(LAB) --ServerApp.root_dir='$(CURDIR)' --LabApp.default_url=/lab/tree/notebooks/train.ipynb

speed: both  ## time a round beside other simulators; PEERS='jax fedjax torch' makes their environments
	@exec $(BIN)/python benchmarks/speed/measure.py $(PEERS)

lint: $(READY)  ## check style, types, import directions and the workflow
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/snakemake --lint

lock: $(READY)  ## compile the pinned requirements anew from envs/*.in
	cd envs && $(COMPILE) --universal workflow.in -o workflow.txt
	cd envs && $(COMPILE) --universal slurm.in -o slurm.txt
	cd envs && $(COMPILE) --override tff-overrides.txt tff.in -o tff.txt
	cd envs && for peer in jax fedjax torch; do $(COMPILE) peers-$$peer.in -o peers-$$peer.txt; done
	$(BIN)/python workflow/scripts/write_conda_files.py

slurm: $(READY)  ## install what sends jobs to nodes, see workflow/profiles/slurm
	@$(BIN)/uv pip install --no-deps --require-hashes --python $(BIN)/python -r envs/slurm.txt

environments: both  ## make both environments and nothing else
	@echo 'fedatlas: both environments are ready. Next: make reports, or make plan to see what that would run.'

both: $(READY) $(TFF_READY)

$(TFF_READY): | $(READY)
	@$(START) $(CORES) --quiet all -- tff_environment
	@rm -f .env/tff/ready-* && touch $@

$(READY):
	@python=$$(sh workflow/scripts/find_python.sh) && "$$python" workflow/scripts/make_workflow_environment.py .venv
	@rm -f .venv/ready-* && touch $@
