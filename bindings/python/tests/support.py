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


def rotated(quaternions, points):
    """Points rotated by quaternions of any length, in float64."""
    quaternions = np.asarray(quaternions, np.float64)
    unit = quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True)
    axis, w = unit[..., :3], unit[..., 3:]
    points = np.asarray(points, np.float64)
    turn = 2 * np.cross(axis, points)
    return points + w * turn + np.cross(axis, turn)


def moved(points, t, position, delta, rotation, accel, spin):
    """Points of a body in world coordinates at the time ``t``, in float64."""
    position, delta, accel, spin = (np.asarray(of, np.float64) for of in (position, delta, accel, spin))
    angle = np.linalg.norm(spin) * t
    axis = spin / max(np.linalg.norm(spin), 1e-300)
    turn = np.append(axis * np.sin(angle / 2), np.cos(angle / 2))
    return rotated(turn, rotated(rotation, points)) + position + delta * t + accel * t * t / 2


def distances_of_triangles(points, corners):
    """The distance of each point ``(n, 3)`` from each triangle ``(m, 3, 3)``, as a table of float64."""
    points, corners = np.asarray(points, np.float64)[:, None], np.asarray(corners, np.float64)[None]
    best = np.full((points.shape[0], corners.shape[1]), np.inf)
    normal = np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
    inside = np.ones(best.shape, bool)
    for k in range(3):
        start, edge = corners[:, :, k], corners[:, :, (k + 1) % 3] - corners[:, :, k]
        along = np.clip(((points - start) * edge).sum(2) / (edge * edge).sum(2), 0, 1)
        best = np.minimum(best, np.linalg.norm(points - start - along[..., None] * edge, axis=2))
        inside &= (np.cross(edge, points - start) * normal).sum(2) >= 0
    height = np.abs(((points - corners[:, :, 0]) * normal).sum(2)) / np.linalg.norm(normal, axis=2)
    return np.where(inside, height, best)


def entries_of_triangles(origin, direction, corners):
    """The fraction at which each ray meets each triangle, infinite for a miss (Moeller and Trumbore 1997); how far the point is
    inside of the triangle, as its least barycentric coordinate; and whether the ray meets the back. Tables of float64."""
    origin, direction = (np.asarray(of, np.float64)[:, None] for of in (origin, direction))
    corners = np.asarray(corners, np.float64)[None]
    first, second = corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0]
    p = np.cross(direction, second)
    determinant = (first * p).sum(2)
    offset = origin - corners[:, :, 0]
    u = (offset * p).sum(2) / determinant
    q = np.cross(offset, first)
    v = (direction * q).sum(2) / determinant
    fraction = (second * q).sum(2) / determinant
    inside = np.minimum(np.minimum(u, v), 1 - u - v)
    return np.where((inside >= 0) & (fraction >= 0), fraction, np.inf), inside, determinant < 0
