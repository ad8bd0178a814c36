#!/usr/bin/env bash
# All tests of the workspace.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo test --workspace --no-fail-fast
