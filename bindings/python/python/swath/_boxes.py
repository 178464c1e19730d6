"""Pairs, trees and impacts: a module of its own only because its stubs are a file of their own."""

from ._swath import Bvh, FixedBoxes, Impacts, PairFinder, Pipeline, TickOutput, tick

__all__ = ["Bvh", "FixedBoxes", "Impacts", "PairFinder", "Pipeline", "TickOutput", "tick"]
