# SPDX-License-Identifier: MIT
# make demo | test | bench | fuzz | sanitize: each installs what is missing from packages.txt (fuzz:
# and packages-fuzz.txt), builds, runs. BUILD=folder, LONG=1 (test), FUZZ_SECONDS=60, TARGETS="rdna elf" (fuzz).
BUILD ?= build

.PHONY: all packages build demo test sanitize bench fuzz clean

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

sanitize: packages
	@tools/run_sanitizers.sh $(BUILD)-sanitize

fuzz:
	@tools/run_fuzz.sh $(TARGETS)

clean:
	rm -rf $(BUILD) $(BUILD)-sanitize build-fuzz
