"""Which of millions of moving boxes touch this tick, and when exactly.

Arrays of vectors are contiguous, aligned numpy arrays of ``float32`` with shape ``(n, 3)``; positions of vertices for
``vertex_face`` and ``edge_edge`` are ``float64``, pairs and indices are ``uint32``, and ids are ``uint64``. An array of another type,
with gaps, or with a mask is an error. Boxes of a ``PairFinder``, of ``FixedBoxes`` and of a ``Broadphase``, boxes of which a ``Bvh`` is built, and positions
for ``vertex_face`` and ``edge_edge`` are read without a copy. No array of a call may be changed while the call runs, neither by
another thread nor by a method of another argument. Results are new arrays, and all objects have copies.

Time ``t`` is a fraction of the tick, in ``[0, 1]``; ``delta`` is a displacement over the tick, ``accel`` a displacement per
tick squared, ``spin`` a vector of radians per tick in the axes of the world. Rotations are quaternions ``[x, y, z, w]`` of any
length. ``Shape`` and ``Kind`` are the types of a shape of any class, and of the name of a kind of boxes.

Invalid rows (NaN, infinite, beyond ``2**120``, ``min > max``) are in no result. ``rejected`` of a ``PairFinder``, ``FixedBoxes``, a ``Broadphase``, a
``Bvh``, a ``Mesh``, ``Bodies`` and of the results of ``first_times``, ``sweep_geometries`` and ``Pipeline.tick`` lists them with the reasons. Functions without such a list treat an invalid row as
one that touches nothing: a query for it finds nothing, a ray of ``cast`` misses, ``tick`` leaves it out, the state of ``vertex_face``
and ``edge_edge`` is 0, its box of ``bounds_over`` is NaN, and ``distances`` are infinite. An invalid height of a ``HeightField`` is a hole. Other mistakes are a
``ValueError`` or ``TypeError`` that names the argument.

``threads`` is the number of threads of an object or a call, by default one for each logical core, which all objects and calls
share. Threads do not exist in a process that was forked from the one that started them, such as a worker of ``multiprocessing``
with the start method ``fork``. A call that needs them there is a ``RuntimeError``: use the start method ``spawn``, or
``threads=1``, or create the object in the new process with a number of threads.

The lock of the interpreter is released during builds, searches, updates and batches. A ``PairFinder``, a ``Pipeline``, ``FixedBoxes`` and a ``Broadphase`` take one call at a
time, queries included: a second call from another thread is a ``RuntimeError``, so use one object for each
thread, or a lock. All other objects can be used by several threads at once.

The number of pairs of boxes that are all in one place grows with the square of the number of boxes. A search that needs more
memory than there is ends the process without an exception. ``pairs_max`` of a ``PairFinder``, ``FixedBoxes``, a ``Broadphase``, a ``Pipeline`` and of ``tick``
limits the pairs; a search that finds more is a ``ValueError``.
"""

from typing import Literal, Union

from ._boxes import Bvh, FixedBoxes, Impacts, PairFinder, Pipeline, TickOutput, tick
from ._shapes import (
    Bodies,
    Compound,
    Convex,
    FirstTime,
    FirstTimes,
    HeightField,
    Mesh,
    Motion,
    Shape,
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
from ._swath import (
    Broadphase,
    Contact,
    Snapshot,
    __version__,
    catalogue,
    edge_edge,
    level,
    screen_conjunctions,
    vertex_face,
)

# The names of the kinds of boxes. It is a union because checkers of stubs read the alias of a literal with several names as one.
Kind = Union[Literal["fixed"], Literal["kinematic"], Literal["dynamic"], Literal["sleeping"]]

__all__ = [
    "Bodies",
    "Broadphase",
    "Bvh",
    "Compound",
    "Contact",
    "Convex",
    "FirstTime",
    "FirstTimes",
    "FixedBoxes",
    "HeightField",
    "Impacts",
    "Kind",
    "Mesh",
    "Motion",
    "PairFinder",
    "Pipeline",
    "Shape",
    "Snapshot",
    "TickOutput",
    "__version__",
    "bounds_over",
    "cast",
    "catalogue",
    "distance",
    "distances",
    "each_part",
    "edge_edge",
    "first_time",
    "first_times",
    "level",
    "overlaps",
    "overlaps_pairs",
    "screen_conjunctions",
    "tick",
    "vertex_face",
]
