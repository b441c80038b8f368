# SPDX-License-Identifier: MIT
# make demo | test | bench | fuzz: each installs what is missing from packages.txt, builds, runs.
BUILD ?= build

.PHONY: all packages build demo test bench fuzz clean

all: build

packages:
	@tools/install_packages.sh packages.txt

build: packages
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) >/dev/null
	@ninja -C $(BUILD) --quiet

demo: build
	@tools/demo.sh $(BUILD)/lull

test: build
	@tools/run_tests.sh $(BUILD)

bench: build
	@bench/run.sh $(BUILD)

fuzz: build
	@tools/run_fuzz.sh

clean:
	rm -rf $(BUILD)
