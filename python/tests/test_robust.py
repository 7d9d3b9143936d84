import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import gymnasium
import numpy as np
import pytest

import marsgym
from tests.test_batch import act


def uniform(observations, masks):
    return masks / masks.sum(axis=1, keepdims=True)


def resident():
    """Bytes of memory of this process."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_open_and_close_without_growth(request):
    n = 10_000 if request.config.getoption("--full") else 500

    def cycle():
        env = gymnasium.make("marsgym/Pig-v1")
        env.reset(seed=1)
        env.step(0)
        env.close()

    for _ in range(n // 4):
        cycle()
    gc.collect()
    before = resident()
    for _ in range(n):
        cycle()
    gc.collect()
    assert resident() - before < 16 << 20


def test_threads():
    """Threads with batches of their own play as one does; one batch is safe among them."""
    game = marsgym.load("martian-dice")
    results = {}

    def play(k):
        batch, rng = game.batch(16), np.random.default_rng(k)
        batch.reset(k)
        for _ in range(200):
            batch.step(act(batch, rng))
        results[k] = batch.save()

    threads = [threading.Thread(target=play, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k, state in list(results.items()):
        play(k)
        assert results[k] == state
    shared = marsgym.load("pig").batch(64)
    shared.reset(1)

    def roll():
        for _ in range(200):
            shared.step(np.zeros(64, np.int32))

    threads = [threading.Thread(target=roll) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert shared.position(0).player >= 0


def child(queue):
    env = gymnasium.make("marsgym/Pig-v1")
    queue.put(env.reset(seed=1)[0].tolist())


def test_spawn():
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    got = queue.get(timeout=60)
    process.join()
    assert got == gymnasium.make("marsgym/Pig-v1").reset(seed=1)[0].tolist()


def test_async_vector_env():
    make = [lambda: gymnasium.make("marsgym:marsgym/Pig-v1") for _ in range(2)]
    env = gymnasium.vector.AsyncVectorEnv(make, context="spawn")
    env.reset(seed=1)
    env.step(np.zeros(2, np.int64))
    env.close()


def run(program, **options):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_is_refused():
    done = run("""
        import os, marsgym
        batch = marsgym.load("pig").batch(1)
        if os.fork() == 0:
            try:
                batch.reset(1)
            except RuntimeError as e:
                print("refused:", e, flush=True)
            os._exit(0)
        os.wait()
        batch.reset(1)
        print("the parent plays on")
    """)
    assert done.returncode == 0, done.stderr
    assert "refused: marsgym was imported before this process was forked" in done.stdout
    assert "the parent plays on" in done.stdout


@pytest.mark.parametrize(
    "work",
    [
        "marsgym.load('martian-dice', players=4, cache=None).solve()",
        "marsgym.load('martian-dice').evaluate(lambda o, m: m / m.sum(1, keepdims=True))",
        "marsgym.load('mars-is-ours').match('greedy', 'random', 10**7)",
        "env = marsgym.make_vec('pig', 64); env.reset(seed=1)\nwhile True: env.step([0] * 64)",
    ],
)
def test_ctrl_c(work):
    # A shell's background processes ignore Ctrl-C, and so do their children.
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    program = f"{listen}; import marsgym; print('begun', flush=True); {work}"
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "begun\n"
    time.sleep(2)
    assert process.poll() is None, process.stderr.read()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors


@pytest.mark.parametrize(
    ("policy", "error", "want"),
    [
        (lambda o, m: m, ValueError, "add up to"),
        (lambda o, m: np.full(m.shape, 0.5), ValueError, "is illegal there"),
        (lambda o, m: m[:, :1], ValueError, "returned shape"),
        (lambda o, m: None, ValueError, "returned shape"),
        (lambda o, m: np.full(m.shape, np.nan), ValueError, "is NaN"),
        (lambda o, m: "abc", ValueError, "could not convert"),
        (lambda o, m: 1 / 0, ZeroDivisionError, "division"),
        (lambda o: o, TypeError, "argument"),
        (marsgym.Scores(lambda o: o), ValueError, "returned shape"),
        (marsgym.Scores(lambda o: np.full(len(o), np.inf)), ValueError, "want a finite number"),
    ],
)
def test_bad_policies(policy, error, want):
    game = marsgym.load("martian-dice", config={"dice": 4, "target": 5})
    with pytest.raises(error, match=want):
        game.evaluate(policy)
    assert game.evaluate(uniform).win < 0.5


def test_random_arguments(request):
    """Any value in any place raises an exception; nothing else happens."""
    rng = np.random.default_rng(1)
    junk = [
        None, True, -1, 2**31, 2**63, 2**64, 2**70, 1.5, float("nan"), "", "x", "\0", "é" * 1000,
        b"x", [], [1], {}, {"a": 1}, object(), np.zeros(3), np.int64(-5), lambda: 0,
    ]  # fmt: skip

    def pick():
        return junk[rng.integers(len(junk))]

    game = marsgym.load("pig")
    batch = game.batch(2)
    batch.reset(1)
    calls = [
        lambda: marsgym.load(pick(), pick(), pick()),
        lambda: marsgym.load("pig", pick(), pick(), cache=pick()),
        lambda: game.batch(2, opponent=pick(), seat=pick(), sample=pick(), search_seed=pick()),
        lambda: batch.reset(pick()),
        lambda: batch.step(pick()),
        lambda: batch.next(pick()),
        lambda: batch.restore(pick()),
        lambda: batch.position(pick()),
        lambda: game.position(pick()),
        lambda: game.initial().apply(pick()),
        lambda: game.initial().observation(pick()),
        lambda: game.evaluate(pick(), pick(), mistakes=pick()),
        lambda: game.match(pick(), pick(), 10, seed=pick()),
        lambda: marsgym.load_model(pick()),
        lambda: marsgym.save_model(pick(), game, pick()),
        lambda: marsgym.make_vec("pig", pick(), opponent=pick(), copy=pick()),
    ]
    raised = 0
    n = 3000 if request.config.getoption("--full") else 300
    for _ in range(n):
        try:
            calls[rng.integers(len(calls))]()
        except marsgym.NativeError:
            raise
        except Exception:
            raised += 1
    assert raised > n // 2
    assert game.solve().value[0] == pytest.approx(0.0612, abs=1e-3)
