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


def test_types_of_tensors(tmp_path):
    """Tensors that NumPy has no type for are named with the remedy, which works."""
    game, path = marsgym.load("pig"), tmp_path / "net.safetensors"
    net = MLP(game, (4,)).to(torch.bfloat16)
    with pytest.raises(TypeError, match=r"body.0.weight is torch.bfloat16; want .* by .float\(\)"):
        marsgym.save_model(path, game, net.state_dict())
    tensors = {name: t.float() for name, t in net.state_dict().items()}
    with pytest.raises(TypeError, match=r"value.bias is complex64; want real numbers"):
        marsgym.save_model(path, game, tensors | {"value.bias": tensors["value.bias"] + 1j})
    assert not path.exists()
    marsgym.save_model(path, game, tensors)
    assert np.array_equal(marsgym.load_model(path).tensors["value.bias"], tensors["value.bias"])
