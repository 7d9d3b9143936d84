"""``marsgym.verifiers`` under a name without a dot, as verifiers loads tasksets."""

from marsgym.verifiers import TextEnv, TextTaskset

__all__ = ["TextEnv", "TextTaskset"]
