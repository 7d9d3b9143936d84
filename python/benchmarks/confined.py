"""Rows of a table that are made in processes of their own, within limits of CPU time and memory."""

import resource
import signal
import subprocess
import sys


def run(arguments, seconds, memory, grace):
    """Runs Python with some arguments. It gets SIGXCPU after some CPU-seconds, see stop, and is
    killed when it has taken the seconds of grace too. memory is of its addresses, in bytes.
    """

    def confine():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + grace))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, preexec_fn=confine)


def stop():
    """Lets Python code of this process end with TimeoutError at the limit of CPU time."""

    def end(*_):
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)  # which comes each second from now on
        raise TimeoutError

    signal.signal(signal.SIGXCPU, end)


def megabytes():
    """The peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
