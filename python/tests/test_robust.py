import gc
import multiprocessing
import os
import pickle
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
        timeout=600,
        **options,
    )


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="needs fork and memfd")
def test_fork():
    """A child of a fork uses a library of its own; batches stay with their process."""
    done = run("""
        import os, pickle, marsgym
        game = marsgym.load("pig")
        batch = game.batch(1)
        batch.reset(1)
        data = pickle.dumps(batch)

        def child(depth):
            if os.fork() == 0:
                for call in (lambda: batch.step([0]), batch.close, lambda: pickle.dumps(batch)):
                    try:
                        print("did", call(), flush=True)
                    except RuntimeError as e:
                        print("refused:", e, flush=True)
                game.batch(1).reset(1)
                again = pickle.loads(data)
                again.step([0])
                print("played", again.position(0), game.initial(), flush=True)
                if depth:
                    child(depth - 1)
                os._exit(0)
            assert os.wait()[1] == 0

        child(1)
        batch.step([0])
        print("the parent plays on", batch.position(0))
    """)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert sum("refused: step: this process was forked after the batch" in x for x in lines) == 2
    assert sum("refused: copy: this process was forked after the batch" in x for x in lines) == 2
    assert sum(x == "did None" for x in lines) == 2
    assert sum(x.startswith("played") for x in lines) == 2
    assert lines[-1].startswith("the parent plays on")


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="needs fork and memfd")
def test_solved_before_a_fork():
    done = run("""
        import os, marsgym
        game = marsgym.load("pig", config={"target": 20})
        value = game.solve().value
        if os.fork() == 0:
            game.batch(1, opponent="exact").reset(1)
            os._exit(0 if game.value(game.initial()) == value else 1)
        assert os.wait()[1] == 0
    """)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="needs fork and memfd")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_async_vector_env_by_fork():
    done = run("""
        import gymnasium, marsgym, numpy as np
        if __name__ == "__main__":
            make = [lambda: gymnasium.make("marsgym/Pig-v1")] * 3
            env = gymnasium.vector.AsyncVectorEnv(make, context="fork")
            env.reset(seed=1)
            for _ in range(20):
                print(env.step(np.zeros(3, np.int64))[0].shape)
            env.close()
    """)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 20


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
    program = f"import marsgym; print('begun', flush=True); {work}"
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


@pytest.mark.parametrize("opponent", ["search:20000", "pause"])
def test_ctrl_c_in_a_step(opponent):
    """A step that is interrupted ends, and has changed nothing; the batch plays on."""
    done = run(f"""
        import _thread, threading, time, marsgym, numpy as np
        from tests.test_batch import act

        def pause(observations, masks):
            while not calm:
                time.sleep(0.05)
            return masks / masks.sum(axis=1, keepdims=True)

        calm = True
        opponent = {{"pause": pause}}.get("{opponent}", "{opponent}")
        rng = np.random.default_rng(1)
        batch = marsgym.load("martian-dice").batch(16, opponent=opponent, seat=0)
        batch.reset(1)
        for _ in range(2):
            calm = False
            threading.Timer(1, _thread.interrupt_main).start()
            try:
                while True:
                    state = batch.save()
                    batch.step(act(batch, rng))
            except KeyboardInterrupt:
                assert batch.save() == state
                print("interrupted")
        calm = True
        batch.step(batch.action_mask.argmax(axis=1))
    """)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "interrupted\n" * 2


def test_final_positions():
    """A last position is there in the rows alone where a game ended in the last step."""
    for opponent in (None, "greedy", uniform):
        batch = marsgym.load("pig").batch(2, opponent=opponent)
        with pytest.raises(ValueError, match="position: the batch has not begun"):
            batch.position(0, final=True)
        batch.reset(1)
        for again in ("nothing", "step", "next"):
            if again == "step":
                batch.step([0, 0])
            elif again == "next":
                batch.next(0)
            with pytest.raises(ValueError, match="position: no game ended in row 0 in the last"):
                batch.position(0, final=True)
        batch.restore(batch.save())
        with pytest.raises(ValueError, match="no game ended in row 1"):
            batch.position(1, final=True)
        for row in (2, -1, 2**40):
            with pytest.raises(ValueError, match="row is"):
                batch.position(row, final=True)


def test_arrays_after_a_step_that_failed():
    """When the exception is there, the library no longer writes to the arrays."""

    def opponent(observations, masks):
        if fail:
            raise ZeroDivisionError
        return uniform(observations, masks)

    n, fail = 5000, False
    batch = marsgym.load("mars-is-ours").batch(n, opponent=opponent, seat=0)
    batch.reset(1)
    fail, before = True, batch.observation.copy()
    try:
        batch.step(batch.action_mask.argmax(axis=1))
    except ZeroDivisionError:
        players, after = batch.player.copy(), batch.observation.copy()
    assert (players == 0).all()
    assert np.array_equal(after, before)


def test_close_in_a_step():
    """Closing and stepping in several threads gives ValueError and nothing else."""
    for opponent in (None, "greedy", "search:5", uniform):
        errors = []
        batch = marsgym.load("pig").batch(8, opponent=opponent)
        batch.reset(1)

        def step(batch=batch, errors=errors):
            try:
                while True:
                    batch.step(batch.action_mask.argmax(axis=1))
            except Exception as e:
                errors.append(e)

        threads = [threading.Thread(target=step) for _ in range(3)]
        for t in threads:
            t.start()
        time.sleep(0.1)
        batch.close()
        for t in threads:
            t.join()
        for error in errors:
            assert isinstance(error, ValueError), error
            assert str(error) == "step: the batch is closed" or "illegal action" in str(error)


def test_errors_name_the_call():
    game = marsgym.load("pig")
    batch = game.batch(2)
    batch.close()
    for name, call in {
        "step": lambda: batch.step([0, 0]),
        "reset": lambda: batch.reset(1),
        "begin": lambda: batch.next(0),
        "position": lambda: batch.position(0),
        "save": lambda: batch.save(),
        "restore": lambda: batch.restore(b""),
        "copy": lambda: pickle.dumps(batch),
    }.items():
        with pytest.raises(ValueError, match=f"^{name}: the batch is closed$"):
            call()
    with pytest.raises(marsgym.IllegalActionError, match=r"^apply: "):
        game.initial().apply(77)
    with pytest.raises(ValueError, match=r"^load: "):
        marsgym.load("chess")
    with pytest.raises(ValueError, match=r"the fields of pig are .*target"):
        marsgym.load("pig", config={"taget": 20})
    with pytest.raises(ValueError, match="zero character") as info:
        game.batch(1, opponent="a\0bcd")
    assert "bcd" in str(info.value)
    with pytest.raises(ValueError, match="UTF-8"):
        game.batch(1, opponent="\udc80")
    with pytest.raises(ValueError, match="batch_size is 0"):
        game.evaluate("random", batch_size=0)


@pytest.mark.skipif(not os.path.exists("/proc/meminfo"), reason="needs /proc")
def test_too_many_rows():
    """Where memory does not suffice, an exception says how many rows fit."""
    done = run("""
        import resource, marsgym
        game = marsgym.load("mars-is-ours")
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        for opponent in (None, "random"):
            try:
                game.batch(2**24, opponent=opponent)
            except MemoryError as e:
                print(e)
        game.batch(1000, opponent="random").reset(1)
    """)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all("rows is 16,777,216, which need" in x and "rows fit" in x for x in lines)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
@pytest.mark.parametrize("id", marsgym.games())
def test_memory_of_rows_with_opponents(id):
    done = run(f"""
        import marsgym, os, tests.test_robust as r
        game, n = marsgym.load({id!r}), 4000
        before = r.resident()
        batch = game.batch(n, opponent="random")
        batch.reset(1)
        batch.step(batch.action_mask.argmax(axis=1))
        print((r.resident() - before) / n, game.observation_size, game.num_actions)
    """)
    assert done.returncode == 0, done.stderr
    row, d, actions = map(float, done.stdout.split())
    assert row < 8 * (2 * d + actions) + 6000


def test_own_opponents():
    """A function and Scores are opponents; a function sees all rows in which it is to move."""
    game = marsgym.load("pig", config={"target": 20})
    sizes = []

    def watched(observations, masks):
        assert not observations.flags.writeable
        sizes.append(len(observations))
        return uniform(observations, masks)

    batch = game.batch(64, opponent=watched)
    batch.reset(1)
    for _ in range(30):
        batch.step(batch.action_mask.argmax(axis=1))
    assert max(sizes) > 20
    scores = marsgym.Scores(lambda observations: observations.sum(axis=1))
    three = marsgym.load("pig", 3, {"target": 20})
    for opponents in ([watched, "greedy"], [scores, watched], scores):
        batch = three.batch(8, opponent=opponents)
        batch.reset(1)
        batch.step(batch.action_mask.argmax(axis=1))

    def broken(observations, masks):
        if fail:
            raise ZeroDivisionError
        return uniform(observations, masks)

    fail = False
    batch = game.batch(4, opponent=broken, seat=0)
    batch.reset(1)
    fail, state = True, b""

    def play():
        nonlocal state
        while True:
            state = batch.save()
            batch.step(batch.action_mask.argmax(axis=1))

    with pytest.raises(ZeroDivisionError):
        play()
    assert batch.save() == state
    fail = False
    batch.step(batch.action_mask.argmax(axis=1))

    def meddle(observations, masks):
        for call in (lambda: inner.position(0), lambda: inner.step([0] * 4), inner.close):
            with pytest.raises(RuntimeError, match="in which it plays"):
                call()
        return uniform(observations, masks)

    inner = game.batch(4, opponent=meddle)
    inner.reset(1)
    inner.step(inner.action_mask.argmax(axis=1))


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


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_random_calls(request):
    """Random calls neither crash nor show the Go runtime, and memory does not grow."""
    n = 10_000 if request.config.getoption("--full") else 400
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "tests.random_calls", str(n)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "goroutine" not in done.stderr
    calls, raised, grown = (int(x.split()[0]) for x in done.stdout.splitlines()[-1].split(","))
    assert calls >= n
    assert raised < calls
    assert grown < 64
