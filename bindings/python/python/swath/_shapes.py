"""Shapes, their motions, and functions of them: a module of its own only because its stubs are a file of their own."""

from ._swath import (
    Bodies,
    Compound,
    Convex,
    FirstTime,
    FirstTimes,
    HeightField,
    Mesh,
    Motion,
    bounds_over,
    cast,
    distance,
    distances,
    each_part,
    first_time,
    first_times,
    overlaps,
    overlaps_pairs,
)

Shape = Convex | Compound | Mesh | HeightField

__all__ = [
    "Bodies",
    "Compound",
    "Convex",
    "FirstTime",
    "FirstTimes",
    "HeightField",
    "Mesh",
    "Motion",
    "Shape",
    "bounds_over",
    "cast",
    "distance",
    "distances",
    "each_part",
    "first_time",
    "first_times",
    "overlaps",
    "overlaps_pairs",
]
