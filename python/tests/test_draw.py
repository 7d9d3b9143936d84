"""Pictures of positions, by Pillow and as SVG."""

import builtins
import re
from xml.etree import ElementTree

import gymnasium
import numpy as np
import pytest

import marsgym
from marsgym import _draw
from marsgym.gymnasium import env_ids

pytest.importorskip("PIL")


def positions(id, players=None):
    batch = marsgym.load(id, players).batch(1)
    batch.reset(1)
    rng = np.random.default_rng(1)
    for _ in range(60):
        yield batch.position(0)
        batch.step([rng.choice(np.flatnonzero(batch.action_mask[0]))])


@pytest.mark.parametrize(
    ("id", "players"), [*((id, None) for id in env_ids()), ("martian-dice", 10), ("pig", 10)]
)
def test_every_position_is_drawn(id, players):
    seen = set()
    for position in positions(id, players):
        scene = _draw.scene(position)
        image = _draw.pixels(scene)
        assert image.shape == (480, 640, 3)
        assert image.dtype == np.uint8
        seen.add(image.tobytes())
        root = ElementTree.fromstring(_draw.svg(scene))
        texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
        assert texts[0].rstrip("…") in scene["text"]
        for i, seat in enumerate(scene["seats"]):
            shown = " ".join(texts)
            assert re.search(rf"seat {i}: {seat['score']['value']}\b", shown)
        for x, y in re.findall(r"[xy]=\"(-?[\d.]+)\" y=\"(-?[\d.]+)\"", _draw.svg(scene)):
            assert 0 <= float(x) <= 640
            assert 0 <= float(y) <= 480
    assert len(seen) > 5


def test_rgb_array():
    env = gymnasium.make("marsgym/Pig-Lenient-v1", render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    for _ in range(100):
        *_, terminated, truncated, _ = env.step(1)
        assert env.render().shape == first.shape
        if terminated or truncated:
            break
    assert not np.array_equal(env.render(), first)


def test_vectors_are_drawn():
    env = marsgym.make_vec("pig", 3, render_mode="rgb_array", autoreset_mode="NextStep")
    _, info = env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(100):
        mask = info["action_mask"]
        actions = np.where(mask, rng.random(mask.shape), -1).argmax(axis=1)
        _, _, terminated, _, info = env.step(actions)
        if terminated.any():
            break
    frames = env.render()
    assert len(frames) == 3
    i = int(np.argmax(terminated))
    last = _draw.pixels(_draw.scene(env.batch.position(i, final=True)))
    assert np.array_equal(frames[i], last)


def test_human_rendering_wraps_the_pixels(monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gymnasium.make("marsgym/Pig-Lenient-v1", render_mode="rgb_array")
    env = gymnasium.wrappers.HumanRendering(env)
    env.reset(seed=1)
    for _ in range(3):
        env.step(0)
    env.close()


def test_record_video(tmp_path):
    pytest.importorskip("moviepy")
    env = gymnasium.make("marsgym/Pig-Lenient-v1", render_mode="rgb_array")
    env = gymnasium.wrappers.RecordVideo(
        env, str(tmp_path / "videos"), lambda episode: episode == 0
    )
    env.reset(seed=1)
    for _ in range(300):
        *_, terminated, truncated, _ = env.step(1)
        if terminated or truncated:
            break
    env.close()
    (video,) = tmp_path.rglob("*.mp4")
    assert video.stat().st_size > 1000


def test_without_pillow(monkeypatch):
    """The mode can be asked for, as Stable-Baselines3 does, and drawing names Pillow."""
    real = builtins.__import__

    def no_pillow(name, *args, **kwargs):
        if name.split(".")[0] == "PIL":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    env = gymnasium.make("marsgym/Pig-Lenient-v1", render_mode="rgb_array")
    env.reset(seed=1)
    env.step(0)
    monkeypatch.setattr(builtins, "__import__", no_pillow)
    with pytest.raises(ImportError, match="pip install pillow"):
        env.render()
