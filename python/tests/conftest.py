import signal

import pytest


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="run the long tests too")


def pytest_configure(config):
    config.addinivalue_line("markers", "full: takes long; runs with --full only")
    # A shell's background processes ignore Ctrl-C, and so do their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config, items):
    if config.getoption("--full"):
        return
    for item in items:
        if "full" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="takes long; --full runs it"))
