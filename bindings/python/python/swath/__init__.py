"""Which of millions of moving boxes touch this tick, and when exactly.

Arrays of vectors are contiguous, aligned numpy arrays of ``float32`` with shape ``(n, 3)``; positions of the vertices of a
mesh are ``float64``, and pairs and indices are ``uint32``. Boxes of a ``PairFinder`` and a ``Broadphase``, boxes of which a
``Bvh`` is built, and positions of meshes are read without a copy. No array of a call may be changed by another thread while
the call runs. Results are new arrays. Time ``t`` is a fraction of the tick, in
``[0, 1]``; ``delta`` is a displacement over the tick, ``accel`` a displacement per tick squared, ``spin`` an axis
times radians per tick. Rotations are quaternions ``[x, y, z, w]``.

Invalid rows (NaN, infinite, ``min > max``) are in no result. ``rejected`` of a ``PairFinder``, a ``Broadphase`` and a
``Bvh`` lists invalid boxes. Functions without such a list treat an invalid row as one that touches nothing: a query for it
finds nothing, ``tick`` leaves it out, and the state of ``vertex_face`` and ``edge_edge`` is 0. Other mistakes are a
``ValueError`` or ``TypeError`` that names the argument.

``threads`` is the number of threads of an object or a call, by default one for each logical core, which all objects and calls
share. Threads do not exist in a process that was forked from the one that started them, such as a worker of ``multiprocessing``
with the start method ``fork``. A call that needs them there is a ``RuntimeError``: use the start method ``spawn``, or
``threads=1``, or create the object in the new process with a number of threads.
"""

from ._swath import (
    Broadphase,
    Bvh,
    Convex,
    FirstTime,
    Motion,
    PairFinder,
    catalogue,
    distance,
    edge_edge,
    first_time,
    first_times,
    level,
    screen_conjunctions,
    tick,
    vertex_face,
)

__all__ = [
    "Broadphase",
    "Bvh",
    "Convex",
    "FirstTime",
    "Motion",
    "PairFinder",
    "catalogue",
    "distance",
    "edge_edge",
    "first_time",
    "first_times",
    "level",
    "screen_conjunctions",
    "tick",
    "vertex_face",
]
