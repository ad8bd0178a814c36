#!/usr/bin/env bash
# Installs the tools that the tests and the demo use: on Debian as root; elsewhere it names what is missing.
# Under CI=true a missing tool is a failure.
set -euo pipefail

# Each tool with the Debian package that has it.
tools="gcc:gcc clang-19:clang-19 openssl:openssl make:make objdump:binutils"

missing_tools() {
    local pair
    for pair in $tools; do
        command -v "${pair%%:*}" >/dev/null 2>&1 || printf '%s\n' "${pair##*:}"
    done
}

missing=$(missing_tools)
if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing:" $missing
    # One package at a time: one that a release lacks must not keep the others away.
    apt-get update -qq || true
    for package in $missing; do
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null ||
            echo "could not install $package" >&2
    done
    missing=$(missing_tools)
fi
if [ -n "$missing" ]; then
    echo "missing, and what needs them is not run:" $missing >&2
    echo "on Debian: apt-get install" $missing >&2
    if [ "${CI:-}" = true ]; then
        exit 1
    fi
fi
if ! command -v cargo >/dev/null 2>&1; then
    echo "cargo is missing: install Rust from https://rustup.rs" >&2
    exit 1
fi
