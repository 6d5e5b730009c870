# SPDX-License-Identifier: Apache-2.0
# make demo      set everything up in .venv and run the main job
# make test      set everything up in .venv and run the checks and tests of every change
# make full      what make test leaves out too: full grids, kernels of the papers, every system, mutants; before a change is
#                 called finished, and every night (CONTRIBUTING.md says which check runs where)
# make quick     the tests of what was changed, in about two minutes, after one make build
# make sanitize  C++ tests under ASan + UBSan, and the threaded ones under TSan
# make fuzz      every loader under ASan + UBSan against mutations of right inputs, ten minutes (FUZZ_ARGS="--seconds 60 --seed 2")
# make soak      30 workers killed at random while they compute; every record compared (SOAK_ARGS="--kills 100")
# make hexl-test HEXL=FOLDER  the tests of Intel HEXL 1.2.6, whose sources are in FOLDER, against nttforge/hexl_compat.hpp on
#                 every instruction set; needs GoogleTest (HEXL_ARGS="--targets avx2"; HEXL_ARGS="--arm GOOGLETEST": NEON)
# make bench     speed of transforms, RNS steps and BFV on this machine; BENCH_ARGS="--peers FOLDER" adds others'
# make papers    every table and figure of five papers on one page, out/papers/index.html (PAPERS_ARGS: other options)
# make prove     the formal proofs of the Verilog modules, each with its seeded faults (an hour of a core or more);
#                PROVE_ARGS="--record FILE" leaves out what FILE has for the same Verilog, PROVE_ARGS=--quick takes a minute
# make hardware-full  the board's SoC, 300 random Verilog designs and 12 key-switching pipelines simulated (two to four
#                 core hours; goes on where it was stopped; SCHEDULER_ARGS="--scheduler tcp://HOST:8786": on a Dask cluster)
# make board     a LiteX SoC with an engine for an ECP5 board: firmware, bitstream, placed clock, in out/board
# make hardware-league  open generators of hardware (fetched to PEERS) and ours on the same jobs; docs/hardware-league.md
# make hardware-folder  a design's folder by its own README in a new environment: Icarus, Verilator, cocotb, FuseSoC, LiteX
# make release VERSION=0.2.0  version, changelog, tag, packages, digests, provenance (RELEASE_ARGS=--rehearse: no tag)
# make wheels    wheels for Linux on x86-64 and aarch64 in dist/, each checked, installed and run (WHEELS_ARGS="--machines x86_64")
# make cuda-wheels  wheels with GPU kernels, nttforge-cuda, in dist/, each checked, installed and run; an hour on two cores
# make arm-test  every C++ test on aarch64 under qemu, cross-compiled; hours, goes on where it was stopped (ARM_ARGS="--python" adds
#                 the Python tests with the wheel in dist/, ARM_ARGS="--cpp cpu ntt" and others choose)
# make docs      the documentation site in build/docs/site, from every page, docstring and header: runs all code of the
#                 pages, executes the notebooks, checks links and widths (LONG=1: also code that takes hours to run;
#                 DOCS_ARGS=--external: other sites' addresses too)
# make cross     the library and programs built for macOS and Windows here, those for Windows run if Wine is installed
#                 (an hour of a core; CROSS_ARGS="--targets x86_64-windows-gnu"); make cross-check only compiles
# make wasm      the module for WebAssembly and JavaScript, web/nttforge.wasm; make web-test also runs the tests of web/ in Node and in
#                 Chromium (WEB_ARGS=--no-browser: Node alone), and installs the tarball; a part of make test
# make platforms the table of platforms and Pythons in docs/platforms.md, from what make wheels, cross and arm-test have recorded,
#                 and make cpp-test RECORD=1
# make recipes   the recipes for conda-forge, vcpkg and Debian, each read by its own linter (RECIPES_ARGS=--build: built too)
# make clean     remove what the above made
# make gpu-test  on a machine with an NVIDIA GPU, with its own Python packages: build there, run every GPU test
# CUDA=OFF       leaves the GPU kernels out of the tests' build; by default they are compiled, with or without a GPU
# Needs: git, Python >= 3.10 with venv, make and a C++20 compiler. No root, no GPU.

ifneq ($(words $(CURDIR)),1)
$(error make cannot work in a folder with spaces in its path, $(CURDIR): move the clone)
endif

PYTHON ?= python3
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
VENV := $(CURDIR)/.venv
BIN := $(VENV)/bin
BUILD := build/dev
# requirements-*.txt have the digest of everything that is installed; packaging/lock_requirements.py writes them.
# Python files are compiled once, on all cores, before the tests: the demo imports few of them.
pip := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes
export PATH := $(BIN):$(PATH)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export PYTHONDONTWRITEBYTECODE := 1
begun := $(shell date +%s)

sources := $(shell git ls-files nttforge python hardware packages cmake CMakeLists.txt pyproject.toml 2>/dev/null)
bench_sources := $(shell git ls-files bench papers 2>/dev/null)
cpp_files := $(shell git ls-files '*.cpp' '*.hpp' '*.cu' '*.cuh' 2>/dev/null)
CUDA ?= ON
# Without a GPU the kernels are compiled to see that they compile: in two thirds of the time, and some of each list.
GPU := $(wildcard /dev/nvidia* /dev/dxg)$(shell command -v nvidia-smi 2>/dev/null)
CUDA_FAST := $(if $(GPU),0,mid)
# FULL=1 is make full: the tests' switch is the environment's, for both languages.
FULL ?= 0
full := $(filter 1,$(FULL))
ifneq ($(full),)
export NTTFORGE_TEST_FULL := 1
endif
tested := $(BUILD)/$(if $(full),.installed-full,.installed-with-tests)

.PHONY: demo wasm web-test test full plan mutants header-check web-check quick wheels cross cross-check docs arm-test arm-check cuda-wheels platforms recipes papers prove hardware-full hardware-folder hardware-league board board-simulation sanitize fuzz soak hexl-test bench timing gpu-bench gpu-test release clean setup build lint check cpp-test readme-test consumer-test python-test python-test-tools python-test-rest format

demo: $(BUILD)/.installed
	nttforge demo $(DEMO_ARGS)

PAPERS_ARGS ?= --quick
PEERS ?= peers
ROUTED ?= ecp5-8 ecp5-6
papers: $(BUILD)/.installed $(VENV)/.ready-dev $(VENV)/.ready-lab
	nttforge paper all $(PAPERS_ARGS) --out out/papers

# Python's tests take one core most of the time, so they are two processes of about the same length; the others run beside
# them, on all cores that there are. SAMPLED=1 leaves systems and pages of a check to make full; a check that is called by
# its name has all of them.
testpaths := $(shell sed -n 's/^testpaths = \[\(.*\)\]$$/\1/p' pyproject.toml 2>/dev/null | tr -d '",')
tests_of_tools := packages/hardware/tests packages/cluster/tests
beside := check cpp-test consumer-test readme-test arm-check cross-check web-check $(if $(full),header-check)
test: plan lint $(tested)
	@$(MAKE) --no-print-directory --keep-going -j $(JOBS) python-test-tools python-test-rest $(beside) SAMPLED=$(if $(full),,1)
	@$(if $(full),$(MAKE) --no-print-directory mutants,:)
	@echo "make $(if $(full),full,test): everything passed in $$(( ($$(date +%s) - $(begun)) / 60 )) minutes"

full:
	@$(MAKE) --no-print-directory test FULL=1

plan:
	@echo "$(if $(full),make full: some two hours,make test: some 10 to 15 minutes) on two cores: packages 1, the build 5, then the tests"

quick: $(VENV)/.ready-dev
	python tools/quick.py $(BUILD) $(QUICK_ARGS)

setup: $(VENV)/.ready-dev
build: $(BUILD)/.installed-with-tests

$(VENV)/.ready: requirements-build.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "nttforge needs Python >= 3.10; set PYTHON=... to choose one"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "python venv is missing: install your system's python3-venv package"; exit 1; }
	@echo "packages of requirements-build.txt: about half a minute"
	@$(pip) -r requirements-build.txt
	@touch $@

# What checks and tests take besides.
$(VENV)/.ready-dev: $(VENV)/.ready requirements-dev.txt
	@echo "packages of requirements-dev.txt: about a minute"
	@$(pip) -r requirements-dev.txt
	@$(BIN)/python -m compileall -qq -j $(JOBS) $(VENV)/lib || true  # some packages have files of other versions
	@touch $@

# The commands `nttforge bench` and `nttforge paper`, which the package does not have, as they stand in this tree.
$(VENV)/.ready-lab: $(VENV)/.ready bench/pyproject.toml papers/pyproject.toml
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e bench -e papers
	@touch $@

# The CUDA compiler as wheels, unless the machine has one.
$(VENV)/.ready-cuda: $(VENV)/.ready requirements-cuda.txt
	@if [ "$(CUDA)" != OFF ] && ! command -v nvcc >/dev/null && [ ! -x "$${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]; then \
	  echo "the compiler for GPUs, of requirements-cuda.txt"; \
	  $(pip) -r requirements-cuda.txt; fi
	@touch $@

# The compiler for macOS and Windows, as a wheel of 90 MB.
$(VENV)/.ready-zig: $(VENV)/.ready requirements-zig.txt
	$(pip) -r requirements-zig.txt
	@touch $@

# The same flags for all that is built in this tree, so that the tests do not compile the demo's files again. Warnings
# are errors with the compiler whose warnings are known: others' must not stop the demo.
known := $(filter 12,$(firstword $(subst ., ,$(shell $(CXX) -dumpversion 2>/dev/null))))
build_package = @python tools/build_package.py $(BUILD)/build.log --no-build-isolation --no-deps \
  --force-reinstall -Cbuild-dir=$(BUILD) -Ccmake.define.NTTFORGE_PRECOMPILE=$(if $(CMAKE_CXX_COMPILER_LAUNCHER),OFF,ON) \
  -Ccmake.define.NTTFORGE_WERROR=$(if $(known),ON,OFF) -Ccmake.define.NTTFORGE_CUDA_FAST_COMPILE=$(CUDA_FAST)

# Packages of Python alone, in some seconds.
install_packages = @$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall $(addprefix ./,$(wildcard packages/*))

build_tests = $(build_package) -Ccmake.define.NTTFORGE_TESTS=ON -Ccmake.define.NTTFORGE_SHARED=ON -Ccmake.define.NTTFORGE_CUDA=$(CUDA)
# The demo needs the packages only; the tests also need the C++ tests, built in the same tree.
$(BUILD)/.installed: $(VENV)/.ready $(sources)
	@echo "the package: some 6 minutes of one core in all, shared by $(JOBS) cores"
	$(build_package) .
	$(install_packages)
	@touch $@

$(BUILD)/.installed-with-tests: $(VENV)/.ready-dev $(VENV)/.ready-lab $(VENV)/.ready-cuda $(sources)
	@echo "the package and its tests: 14 minutes of one core in all, two less without GPU kernels (CUDA=OFF), shared by $(JOBS) cores"
	$(build_tests) -Ccmake.define.NTTFORGE_BENCH=OFF -Ccmake.define.NTTFORGE_PAPERS=OFF \
	  -Ccmake.define.NTTFORGE_CUDA_SAMPLE=$(if $(GPU),OFF,ON) .
	$(install_packages)
	@touch $@ $(BUILD)/.installed

# In the same tree, whose tests, benchmarks and kernels of papers then are all there.
$(BUILD)/.installed-full: $(VENV)/.ready-dev $(VENV)/.ready-lab $(VENV)/.ready-cuda $(sources) $(bench_sources)
	@echo "the package, its tests, benchmarks and the kernels of papers: 25 minutes of one core in all, shared by $(JOBS) cores"
	$(build_tests) -Ccmake.define.NTTFORGE_BENCH=ON -Ccmake.define.NTTFORGE_PAPERS=ON -Ccmake.define.NTTFORGE_CUDA_SAMPLE=OFF .
	$(install_packages)
	@touch $@ $(BUILD)/.installed $(BUILD)/.installed-with-tests

hexl-test: $(BUILD)/.installed-with-tests
	@test -n "$(HEXL)" || { echo "HEXL=FOLDER must say where the sources of Intel HEXL 1.2.6 are"; exit 1; }
	python tools/peers_hexl.py "$(HEXL)" $(BUILD) $(HEXL_ARGS)

lint: $(VENV)/.ready-dev
	clang-format --dry-run --Werror $(cpp_files)
	ruff check .
	ruff format --check .

format: $(VENV)/.ready-dev
	clang-format -i $(cpp_files)
	ruff check --fix .
	ruff format .

check: $(tested)
	python tools/check_layers.py --self-test
	python tools/draw_architecture.py --check
	python tools/check_sizes.py --self-test
	python tools/check_licences.py
	python tools/check_docs.py --self-test
	python tools/check_types.py $(BUILD) $(if $(SAMPLED),--sample,--systems)
	python tools/check_isa_symbols.py --self-test $(BUILD)
	python tools/check_exports.py $(BUILD)
	python -m nttforge_oracle vectors --check --out tests/vectors

# Every push compiles headers alone with five compilers (.github/workflows/compilers.yml).
header-check: $(tested)
	python tools/check_headers.py --self-test $(BUILD)

cpp-test: $(tested)
	ctest --test-dir $(BUILD) --output-on-failure
	@$(if $(RECORD),python tools/platforms.py --saw linux-$$(uname -m) "" "tests ran" "make cpp-test RECORD=1",:)

consumer-test: $(tested)
	python tools/test_consumer.py $(BUILD) $(if $(SAMPLED),--sample)

readme-test: $(tested)
	python tools/run_blocks.py $(BUILD) $(if $(SAMPLED),--quick)

python-test: $(tested)
	python -m pytest

# Tests that mostly wait for what they start: simulators, provers, workers. Then the others.
python-test-tools: $(tested)
	python -m pytest $(tests_of_tools)

python-test-rest: $(tested)
	python -m pytest $(filter-out $(tests_of_tools),$(testpaths))

# Ten faults, each of which a test of make test must find.
mutants: $(BUILD)/.installed-with-tests
	python tools/mutants.py $(BUILD) $(MUTANTS_ARGS)

prove: $(BUILD)/.installed-with-tests
	nttforge rtl prove --jobs $(JOBS) $(PROVE_ARGS)

wheels: $(VENV)/.ready-dev
	python tools/wheels.py $(WHEELS_ARGS)

cuda-wheels: $(VENV)/.ready-dev
	python tools/cuda_wheels.py $(WHEELS_ARGS)

arm-test: $(VENV)/.ready-zig
	python tools/arm_test.py $(ARM_ARGS)

# A minute of it, where kernels for aarch64 changed; says so where no compiler or emulator is to be had.
arm-check: $(VENV)/.ready-zig
	python tools/arm_test.py --sample $(if $(SAMPLED),--changed)

# Sphinx and what it needs, in an environment of their own that sees the packages of .venv.
DOCS := build/docs/environment
$(DOCS)/.ready: requirements-docs.txt $(VENV)/.ready-dev
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make docs needs Python >= 3.11"; exit 1; }
	$(BIN)/python -m venv $(DOCS)
	@$(BIN)/python -c 'import sysconfig; print("import site; site.addsitedir(%r)" % sysconfig.get_path("purelib"))' > \
	  "$$($(DOCS)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/nttforge.pth"
	$(DOCS)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-docs.txt
	@touch $@

docs: $(BUILD)/.installed-with-tests $(DOCS)/.ready
	python tools/run_blocks.py $(BUILD) $(if $(LONG),--long)
	$(DOCS)/bin/python docs/site/build.py $(if $(LONG),--long) $(DOCS_ARGS)

# Zig's compiler and Node, as wheels.
$(VENV)/.ready-web: $(VENV)/.ready requirements-web.txt
	$(pip) -r requirements-web.txt
	@touch $@

wasm: $(VENV)/.ready-web
	$(BIN)/python tools/web.py build --jobs $(JOBS)

web-test: wasm
	$(BIN)/python tools/web.py test $(WEB_ARGS)

# With what is installed by then, the demo's page is clicked through too.
web-check: $(tested)
	@$(MAKE) --no-print-directory web-test

cross-check: $(VENV)/.ready-zig
	python tools/cross_check.py --jobs $(JOBS) $(if $(SAMPLED),--changed --targets x86_64-windows-gnu) $(CROSS_ARGS)

cross: $(VENV)/.ready-zig
	python tools/cross_check.py --jobs $(JOBS) --bindings $(CROSS_ARGS)
	python tools/cross.py --jobs $(JOBS) $(CROSS_ARGS)

platforms: $(VENV)/.ready-dev
	python tools/platforms.py --write

# What reads recipes and comes from PyPI; the other linters come with their package managers.
$(VENV)/.ready-recipes: $(VENV)/.ready-dev requirements-recipes.txt
	$(pip) -r requirements-recipes.txt
	@touch $@

recipes: $(VENV)/.ready-recipes
	python tools/recipes.py $(RECIPES_ARGS)

hardware-folder: $(BUILD)/.installed-with-tests
	python tools/check_design_folder.py

# LiteX, a CPU's Verilog and a compiler for it: the SoC alone needs them.
$(VENV)/.ready-board: $(VENV)/.ready-dev requirements-board.txt
	$(pip) -r requirements-board.txt
	@touch $@

board: $(BUILD)/.installed $(VENV)/.ready-board
	python -m nttforge_hardware.tools.board out/board $(BOARD_ARGS)

board-simulation: $(BUILD)/.installed $(VENV)/.ready-board
	python -m nttforge_hardware.tools.board out/board-simulation --simulate $(BOARD_ARGS)

hardware-league: $(BUILD)/.installed-with-tests
	python tools/hardware_league --peers $(PEERS)
	python -m nttforge_hardware.tools.routed --jobs $(JOBS) --devices $(ROUTED)
	python tools/hardware_league --page-only

hardware-full: $(BUILD)/.installed-with-tests board-simulation
	python -m nttforge_hardware.tools.random_sets --jobs $(JOBS) $(SETS) $(SCHEDULER_ARGS)
	python -m nttforge_hardware.tools.random_switches --jobs $(JOBS) $(SCHEDULER_ARGS)

sanitize: $(VENV)/.ready-dev
	cmake -S . -B build/asan -G Ninja -DNTTFORGE_TESTS=ON -DNTTFORGE_PAPERS=ON -DNTTFORGE_CUDA=OFF -DNTTFORGE_SANITIZE=address,undefined
	cmake --build build/asan
	UBSAN_OPTIONS=print_stacktrace=1 ctest --test-dir build/asan --output-on-failure -j $(JOBS)
	cmake -S . -B build/tsan -G Ninja -DNTTFORGE_TESTS=ON -DNTTFORGE_PAPERS=ON -DNTTFORGE_CUDA=OFF -DNTTFORGE_SANITIZE=thread
	cmake --build build/tsan
	ctest --test-dir build/tsan --output-on-failure -j $(JOBS)
	@echo "make sanitize: everything passed"

# In the sanitizers' folder, whose library it shares.
fuzz: $(BUILD)/.installed $(VENV)/.ready-dev
	cmake -S . -B build/asan -G Ninja -DNTTFORGE_TESTS=ON -DNTTFORGE_FUZZ=ON -DNTTFORGE_CUDA=OFF -DNTTFORGE_SANITIZE=address,undefined
	cmake --build build/asan --target nttforge_fuzz
	build/asan/nttforge_fuzz --golden tests/golden --out out/fuzz $(FUZZ_ARGS)
	python fuzz/python_loaders.py $(FUZZ_ARGS)

soak: $(BUILD)/.installed $(VENV)/.ready-dev
	python tools/cluster_soak.py $(SOAK_ARGS)

bench: $(BUILD)/.installed-full $(VENV)/.ready-lab
	nttforge bench cpu --programs $(BUILD) $(BENCH_ARGS)

# Whether times depend on messages or keys; not in CI, since a machine must be quiet for it.
timing: $(BUILD)/.installed-full
	$(BUILD)/timing_bench $(TIMING_ARGS)

# With the machine's own Python and packages (PYTHON=... chooses): nothing is downloaded.
gpu-bench: export PATH := $(patsubst $(BIN):%,%,$(PATH)):/usr/local/cuda/bin
gpu-bench:
	PYTHONPATH=python:bench $(PYTHON) -m nttforge_bench gpu $(BENCH_ARGS)
	PYTHONPATH=python:bench:papers $(PYTHON) -m nttforge_papers kim20 --measure --grid out/bench/gpu.json --out out/kim20 $(PAPER_ARGS)
	PYTHONPATH=python:bench:papers $(PYTHON) -m nttforge_papers bad18a --measure --grid out/bench/gpu.json --out out/bad18a $(PAPER_ARGS)
	PYTHONPATH=python:bench:papers $(PYTHON) -m nttforge_papers bad18b --device cuda --out out/bad18b

gpu-test: export PATH := $(patsubst $(BIN):%,%,$(PATH)):/usr/local/cuda/bin
gpu-test:
	$(PYTHON) tools/gpu_test.py $(GPU_TEST_ARGS)

release: $(VENV)/.ready-dev
	python tools/release.py $(VERSION) $(RELEASE_ARGS)

clean:
	rm -rf build out .venv
