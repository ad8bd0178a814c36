"""What tests share: libraries, each compiled once, for this CPU."""

import functools

import nakiri
import pytest


@functools.cache
def _library(name):
    return nakiri.load(name)


@pytest.fixture
def library():
    return _library
