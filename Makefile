# `make demo` shows what Nakiri does; `make test` checks everything and is what .ci/run calls.

.PHONY: demo test lint tools install-tools

demo: tools
	@tools/demo.sh

test: tools lint
	@tools/test.sh

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

# Installs what is missing where it can, and names it where it can't.
install-tools tools:
	@tools/install-tools.sh
