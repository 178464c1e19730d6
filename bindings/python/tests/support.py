"""Boxes for the tests, and comparisons of every box with every other one in plain numpy."""

import numpy as np

F32 = np.float32


def boxes(n, seed, side=0.05):
    random = np.random.default_rng(seed)
    low = random.random((n, 3), dtype=F32)
    high = (low + random.random((n, 3), dtype=F32) * F32(side)).astype(F32)
    delta = ((random.random((n, 3), dtype=F32) - F32(0.5)) * F32(0.2)).astype(F32)
    return low, high, delta


def overlap(low_a, high_a, low_b, high_b):
    """Which boxes of one list share a point with which of another, as a table."""
    return ((low_a[:, None] <= high_b[None]) & (low_b[None] <= high_a[:, None])).all(2)


def allowed(categories_a, masks_a, categories_b, masks_b):
    """Which boxes of one list may form a pair with which of another, as a table."""
    there, back = categories_a[:, None] & masks_b[None], categories_b[None] & masks_a[:, None]
    return (there != 0) & (back != 0)


def distances(points, low, high):
    """The distance of each point from each box, as a table of float64."""
    gap = np.maximum(np.maximum(low[None] - points[:, None], points[:, None] - high[None]), 0)
    return np.sqrt((gap.astype(np.float64) ** 2).sum(2))


def entries(origin, direction, low, high):
    """The fraction at which each ray enters each box, infinite for a miss, as a table of float64."""
    direction = direction[:, None].astype(np.float64)
    near, far = (low[None] - origin[:, None]) / direction, (high[None] - origin[:, None]) / direction
    enter = np.maximum(np.minimum(near, far).max(2), 0)
    return np.where(enter <= np.maximum(near, far).min(2), enter, np.inf)
