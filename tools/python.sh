#!/usr/bin/env bash
# Builds the wheel of the Python package, installs it into a fresh virtual environment, and runs its lints, tests and types there.
#
#   tools/python.sh [WHEELS]
#
# WHEELS is the folder that gets the wheel, by default target/wheels. PYTHON names the interpreter (3.11 or later), PROFILE what cargo
# builds by (release or dist). With NAKIRI_FULL=1 the vectors of all folders are tried, which takes the C compiler half an hour.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/need.sh

need_compiler
python=${PYTHON:-python3}
target=${CARGO_TARGET_DIR:-$PWD/target}
wheels=$(realpath -m "${1:-$target/wheels}")
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "$("$python" --version) is too old: 3.11 is needed for buffers in wheels of any later Python" >&2
  exit 1
}

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
"$python" -m venv "$work/venv"
pip() { "$work/venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
pip install 'maturin>=1.7,<2'

cargo fmt --manifest-path python/Cargo.toml --check
rm -f "$wheels"/nakiri-*.whl
CARGO_TARGET_DIR="$target" "$work/venv/bin/maturin" build --quiet --locked --profile "${PROFILE:-release}" \
  --manifest-path python/Cargo.toml --out "$wheels"
wheel=$(ls "$wheels"/nakiri-*.whl)

# Not from the folder of the sources: what is tested is what was installed.
pip install "$wheel[test]" mypy
cp -r python/tests python/examples "$work"
ln -s "$PWD/ciphers" "$PWD/modes" "$PWD/docs" "$work"
cd "$work"
export NAKIRI_CACHE="$work/cache"
venv/bin/python -m mypy --strict --no-error-summary -p nakiri
venv/bin/python -m pytest --quiet -p no:cacheprovider tests
venv/bin/python examples/bulk.py 16
echo "Installed and tested $(basename "$wheel") ($(stat -c %s "$wheel") bytes) by $(venv/bin/python --version) and $("$CC" --version | head -n 1)."
