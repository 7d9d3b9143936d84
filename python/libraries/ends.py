"""An environment whose games end in both ways at once."""

import gymnasium


class BothEnds(gymnasium.Wrapper):
    """Is truncated where it is terminated, as a game that ends at the last step of TimeLimit."""

    def step(self, action):  # noqa: D102
        obs, reward, terminated, truncated, info = self.env.step(action)
        return obs, reward, terminated, terminated or truncated, info
