"""The exploit suite: cheats from what models and papers were seen to try, fitted to an environment's interface."""

from deepgym.qa.attacks.suite import Attack, build_attacks

__all__ = ["Attack", "build_attacks"]
