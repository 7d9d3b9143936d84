import numpy as np
import pytest

torch = pytest.importorskip("torch")

import marsgym
from marsgym.torch import MLP, from_model


@pytest.mark.parametrize("head", ["logits", "score"])
def test_saved_network(tmp_path, head):
    """A network that is exported has the strength of the network in memory."""
    torch.manual_seed(1)
    game = marsgym.load("martian-dice", config={"dice": 4, "target": 6})
    net = MLP(game, (32, 16), head)
    path = tmp_path / "net.safetensors"
    marsgym.save_model(path, game, net.state_dict())
    model = marsgym.load_model(path)
    own, native = game.evaluate(net.policy_function()), game.evaluate(path)
    assert own.win_by_seat == pytest.approx(native.win_by_seat, abs=1e-6)
    assert own.exploitability == pytest.approx(native.exploitability, abs=1e-6)
    sampled, native = game.evaluate(net.policy_function(False)), game.evaluate(path, sample=True)
    assert sampled.win == pytest.approx(native.win, abs=1e-6)
    obs = np.random.default_rng(1).random((5, game.observation_size), np.float32)
    policy, value = model.forward(obs)
    again = from_model(model)(torch.tensor(obs))
    assert np.allclose(policy.reshape(again[0].shape), again[0].detach(), atol=1e-5)
    assert np.allclose(value, again[1].detach(), atol=1e-5)
    with pytest.raises(ValueError, match="head is 'both'"):
        MLP(game, (4,), "both")
