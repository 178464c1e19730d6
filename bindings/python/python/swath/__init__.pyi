from collections.abc import Callable, Iterable, Sequence
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

from ._boxes import Bvh, FixedBoxes, Impacts, PairFinder, Pipeline, TickOutput, tick
from ._shapes import (
    Bodies, Compound, Convex, FirstTime, FirstTimes, HeightField, Mesh, Motion, Shape, bounds_over, cast, distance, distances,
    each_part, first_time, first_times, overlaps, overlaps_pairs,
)

__all__ = [
    "Bodies", "Broadphase", "Bvh", "Compound", "Contact", "Convex", "FirstTime", "FirstTimes", "FixedBoxes", "HeightField",
    "Impacts", "Kind", "Mesh", "Motion", "PairFinder", "Pipeline", "Shape", "Snapshot", "TickOutput", "__version__",
    "bounds_over", "cast", "catalogue", "distance", "distances", "each_part", "edge_edge", "first_time", "first_times",
    "level", "overlaps", "overlaps_pairs", "screen_conjunctions", "tick", "vertex_face",
]

_F32 = NDArray[np.float32]
_F64 = NDArray[np.float64]
_U32 = NDArray[np.uint32]
_I64 = NDArray[np.int64]
_U64 = NDArray[np.uint64]
_U8 = NDArray[np.uint8]
_Bool = NDArray[np.bool_]
_Vector = Sequence[float] | _F32 | _F64
_Tuple = tuple[float, float, float]
Kind = Literal["fixed", "kinematic", "dynamic", "sleeping"]
_Kinds = Sequence[Kind] | NDArray[np.str_]
_Window = tuple[float, float] | Sequence[float] | _F32
_Touch = Literal["hit", "if_closing", "ignore"]

__version__: str

def level() -> str:
    """Name of the SIMD level that is used on this CPU: portable4, avx2 or avx512 on x86-64."""

@final
class Broadphase:
    """Boxes that stay from tick to tick, under ids, and the pairs that begin and end.

    An id is a number that no other box of this object ever has, unless a snapshot is restored; ``id >> 32`` is an index that is
    less than the largest number of boxes that existed at once, plus one for each index that was used ``2**32 - 1`` times.
    ``2**64 - 1`` is the id of no box. A new pair needs a dynamic box, or a kinematic and a sleeping one. If both boxes of a pair become fixed or
    sleeping, both lose their displacements. If they touch at the start of the tick, the pair stays, without an event, until one of them changes;
    otherwise it ends. For a box with a margin, the fat box is compared.

    ``threads`` is the number of threads, by default one for each logical core. ``pairs_max`` limits the number of pairs
    of an update; one with more is a ``ValueError``; then ``touching`` is empty until an update succeeds, and nothing
    else is changed. By default there is no limit, and an update that needs more memory than there is ends the process:
    the pairs of boxes that are all in one place grow with the square of their number.

    An object takes one call at a time; a second one from another thread is a ``RuntimeError``. ``copy.copy``, ``copy.deepcopy``
    and ``pickle`` make an independent broadphase in the state that ``save`` returns.
    """
    def __new__(cls, *, threads: int | None = None, pairs_max: int | None = None) -> Broadphase: ...
    def __len__(self) -> int: ...
    def insert(
        self, min: _F32, max: _F32, delta: _F32 | None = None, *, kind: Kind | _Kinds = "dynamic",
        margin: float | _F32 = 0.0, categories: int | _U32 = 4294967295, masks: int | _U32 = 4294967295, owner: int | _U32 = 0,
        enabled: bool | _Bool = True, user: int | _U64 = 0,
    ) -> _U64:
        """Inserts a box for each row of ``min`` and ``max``, ``(n, 3)``, and returns their ids, ``(n,)``.

        ``delta`` is the displacement over the tick, ``(n, 3)``; that of a fixed or sleeping box is ignored. A rejected row gets
        the id ``2**64 - 1``. **The id of the first box is 0**, so an array of zeros is no list without ids: fill it with
        ``2**64 - 1``. Each of the other arguments is one value for all rows, or has one for each row:

        * ``kind``: a name or a sequence of names. Fixed boxes do not move, kinematic ones move on paths that the caller
          prescribes, dynamic ones react to contacts, sleeping ones are dynamic ones at rest.
        * ``margin``: a length, ``(n,)`` float32. With it, a box is kept enlarged by it until its path leaves this fat box; the
          reported pairs are then those of fat boxes.
        * ``categories`` and ``masks``: 32 bits each, ``(n,)`` uint32. Two boxes may form a pair if each has a category that is
          in the mask of the other.
        * ``owner``: ``(n,)`` uint32. Two boxes of the same owner never form a pair; 0 is no owner.
        * ``enabled``: ``(n,)`` bool. A disabled box is in no pair and in no result of a query.
        * ``user``: a number of the caller, ``(n,)`` uint64, that ``user`` returns.
        """

    def set(self, ids: _U64, min: _F32, max: _F32, delta: _F32 | None = None) -> None:
        """Sets the box and the displacement of each id, ``(n,)``.

        Without ``delta``, the displacement is zero. That of a fixed or sleeping box is ignored, so call ``set_kind`` first.
        Both remain until they are set again: an update does not move a box to the end of its path. Rejected rows change
        nothing; a stale id is a ``ValueError``, and then nothing is changed.
        """

    def set_delta(self, ids: _U64, delta: _F32) -> None:
        """Sets the displacement of each id, ``(n, 3)``, and keeps the boxes.

        It remains until it is set again, also by ``set``. That of a fixed or sleeping box is checked and then ignored. Rejected
        rows change nothing; a stale id is a ``ValueError``, and then nothing is changed.
        """

    def set_kind(self, ids: _U64, kind: Kind | _Kinds) -> None:
        """Changes the kind of each id: ``kind`` is a name for all, or a sequence with a name for each.

        A box that becomes fixed or sleeping stays where it was at the start of the tick, and loses its displacement; a fixed
        or sleeping one that becomes dynamic or kinematic has none until it is set, and one that was dynamic or kinematic
        before keeps its own. A stale id is a ``ValueError``, and then nothing is changed.
        """

    def set_kind_table(self, pairs: Iterable[tuple[Kind, Kind]] | None) -> None:
        """Sets which kinds of boxes form pairs: ``pairs`` is a sequence of two names each, in any order; None is the rule at the
        start, that of a dynamic box with any other, and a kinematic with a sleeping one.

        The next update ends the pairs of kinds that do not pair any more; a pair of two fixed or sleeping boxes stays as long
        as it touches and neither changes. Pairs of two such kinds begin only when one of the boxes is inserted or changes.
        """

    def set_filter(
        self, ids: _U64, categories: int | _U32 = 4294967295, masks: int | _U32 = 4294967295
    ) -> None:
        """Changes the categories and masks of each id, one for all or ``(n,)`` uint32.

        Without them, all bits are set. A stale id is a ``ValueError``, and then nothing is changed.
        """

    def set_owner(self, ids: _U64, owner: int | _U32) -> None:
        """Changes the owner of each id, one for all or ``(n,)`` uint32; 0 is no owner.

        A stale id is a ``ValueError``, and then nothing is changed.
        """

    def set_enabled(self, ids: _U64, enabled: bool | _Bool) -> None:
        """Enables or disables each id, one value for all or ``(n,)`` bool. A disabled box is in no pair and in no result of a
        query.

        A stale id is a ``ValueError``, and then nothing is changed.
        """

    def set_margin(self, ids: _U64, margin: float | _F32) -> None:
        """Changes the margin of each id, one length for all or ``(n,)`` float32.

        A row whose fat box would reach past ``2**120`` is rejected and changes nothing. A negative margin or NaN, and a stale
        id, are a ``ValueError``, and then nothing is changed.
        """

    def set_user(self, ids: _U64, user: int | _U64) -> None:
        """Changes the number of the caller of each id, one for all or ``(n,)`` uint64.

        A stale id is a ``ValueError``, and then nothing is changed.
        """

    def remove(self, ids: _U64) -> None:
        """Removes each id; a stale one is a ``ValueError``, and then none is removed."""
    def clear(self) -> None:
        """Removes all boxes. As after ``remove``, their pairs stay in ``pairs`` until the next update, which ends them."""
    def renew(self, ids: _U64) -> None:
        """Makes the next update report the pairs of each id that touch then as begun again, without an end. The ids stay.

        Drop the pairs that you have of these boxes: one that no longer touches at the next update, or whose box is removed,
        disabled or filtered out before it, has neither a begin nor an end.

        A stale id is a ``ValueError``, and then nothing is changed.
        """

    def shift_origin(self, offset: _Vector) -> None:
        """Moves the origin to ``offset``, three numbers: all boxes are translated by its negative and rounded outwards.

        Ids and pairs stay. A shift by which a box would reach past ``2**120`` is a ``ValueError`` and changes nothing.
        """

    def update(self) -> tuple[_U64, _F32, _U64]:
        """Finds the pairs that touch in this tick, and compares them with those of the last update.

        Returns the pairs that begin, ``(k, 2)`` ids, with their first times as fractions of the tick, ``(k,)``, and the pairs
        that ended, ``(m, 2)``.
        """

    def touching(self) -> tuple[_U64, _F32]:
        """The pairs of the last update in which a box is dynamic or kinematic, ``(k, 2)`` ids, with their first times as
        fractions of the tick, ``(k,)``. Pairs whose two boxes are fixed or sleeping are left out.
        """

    def pairs(self, id: int | np.uint64 | None = None) -> _U64:
        """The pairs that the last update found or kept, those of two fixed or sleeping boxes too, ``(k, 2)`` ids, in order.

        With an ``id``, only the pairs of this box; a stale id is a ``ValueError``.
        """

    def contact(self, a: int | np.uint64, b: int | np.uint64) -> Contact:
        """How two boxes touch in the tick, whether or not they are a pair. A stale id is a ``ValueError``."""
    def contains(self, ids: _U64) -> _Bool:
        """Whether each of these ids, ``(n,)``, is that of a box that exists, ``(n,)`` bool."""
    def ids(self) -> _U64:
        """The ids of all boxes, ``(n,)``, in order."""
    def boxes(self, ids: _U64) -> tuple[_F32, _F32, _F32]:
        """The boxes of these ids at the start of the tick, without margins: ``min``, ``max`` and ``delta``, ``(n, 3)`` each.

        A stale id is a ``ValueError``.
        """

    def user(self, ids: _U64) -> _U64:
        """The numbers of the caller of these ids, in an array of uint64 with the shape of ``ids``: ``(n,)``, or ``(n, 2)``
        pairs.

        Boxes that were removed before the last update have theirs until the next one. Another stale id is a ``ValueError``.
        """

    def cast(
        self, origin: _F32, direction: _F32, max_fraction: float | None = None, *, categories: int = 4294967295,
        mask: int = 4294967295, without_owner: int = 0, without_kind: Kind | _Kinds = (),
    ) -> tuple[_U64, _F32]:
        """The first box that each ray hits: its id or ``2**64 - 1``, and the fraction of ``direction`` or infinity, ``(n,)``
        each.

        ``origin`` and ``direction`` are ``(n, 3)``. A ray ends at the fraction ``max_fraction`` of its direction; None is no
        end.

        All queries see the true boxes at the start of the tick, without margins, of all enabled boxes, with each change before
        the call. A query with ``categories`` and a ``mask`` finds a box if each of the two has a category that is in the mask
        of the other. It leaves out boxes of the owner ``without_owner``, if that is not 0, and of the kinds ``without_kind``, a
        name or a sequence of names.
        """

    def sweep(
        self, min: _F32, max: _F32, delta: _F32, *, categories: int = 4294967295, mask: int = 4294967295,
        without_owner: int = 0, without_kind: Kind | _Kinds = (),
    ) -> tuple[_U64, _F32]:
        """The first box that each moving box touches: its id or ``2**64 - 1``, and the time as a fraction of its path or
        infinity.

        ``min`` and ``max`` are the corners at the start, ``delta`` the displacement, ``(n, 3)`` each. Returns ``(n,)`` each.
        The boxes of the broadphase stay where they are at the start of the tick. A time is never later than the exact one. The
        other arguments are as in ``cast``.
        """

    def overlaps(
        self, min: _F32, max: _F32, *, categories: int = 4294967295, mask: int = 4294967295, without_owner: int = 0,
        without_kind: Kind | _Kinds = (),
    ) -> tuple[_I64, _U64]:
        """The boxes that each box overlaps: those of row ``i`` are ``ids[starts[i]:starts[i + 1]]``, in order.

        ``min`` and ``max`` are ``(n, 3)``. Returns ``starts`` with ``n + 1`` elements, and ``ids``. Boxes that share a point of
        their surfaces overlap. The other arguments are as in ``cast``.
        """

    def nearest(
        self, points: _F32, max_distance: float | None = None, *, k: int | None = None, categories: int = 4294967295,
        mask: int = 4294967295, without_owner: int = 0, without_kind: Kind | _Kinds = (),
    ) -> tuple[_U64, _F32]:
        """The box nearest to each point, at most at the distance ``max_distance``: its id or ``2**64 - 1``, and the distance or
        infinity.

        ``points`` are ``(n, 3)``. Returns ``(n,)`` each; with ``k``, from 1 to ``2**26``, the ``k`` nearest boxes of
        each point, ``(n, k)``, in the order of distance. Without ``max_distance``, there is no limit. The other
        arguments are as in ``cast``.
        """

    def cast_geometries(
        self, bodies: Bodies, origin: _F32, direction: _F32, max_fraction: float | None = None, *, categories: int =
        4294967295, mask: int = 4294967295, without_owner: int = 0, without_kind: Kind | _Kinds = (),
    ) -> tuple[_U64, _U8, _F32, _F32, _U32]:
        """The first body that each ray enters, of those in the boxes.

        ``bodies`` are ``Bodies`` with ids. ``origin`` and ``direction`` are ``(n, 3)``. A ray ends at the fraction
        ``max_fraction`` of its direction; None is no end. Of bodies that are entered at the same fraction, it is the one with
        the lowest id. The other arguments are as in ``cast``.

        Returns its id or ``2**64 - 1``, ``(n,)``, and what the function ``cast`` returns for this body: the state, the
        fraction, the normal and the part. An unresolved cast counts as a hit at the fraction that is proved to be free.
        """

    def sweep_geometries(
        self, bodies: Bodies, shapes: Iterable[Shape], position: _F32, delta: _F32, *, rotation: _F32 | None = None, accel:
        _F32 | None = None, spin: _F32 | None = None, target_distance: float = 0.0, tolerance: float = 6.103515625e-05,
        touch: _Touch = "if_closing", window: _Window = (0.0, 1.0), rounds_max: int = 2048, categories: int = 4294967295,
        mask: int = 4294967295, without_owner: int = 0, without_kind: Kind | _Kinds = (),
    ) -> tuple[_U64, FirstTimes]:
        """The first body that each moving shape touches, of those in the boxes. All bodies stay where they are at the start of the
        tick.

        ``bodies`` are ``Bodies`` with ids. ``shapes``, ``position``, ``delta``, ``rotation``, ``accel`` and ``spin`` are the
        moving shapes, as in ``first_times``; they do not touch each other. The other arguments are as in ``first_time`` and
        ``cast``, with one window for all. Of bodies that are touched at the same time, it is the one with the lowest id.

        Returns its id or ``2**64 - 1``, ``(n,)``, and ``FirstTimes`` with a row for each moving shape, of which ``a`` is the
        moving shape and ``b`` the body. Its state is 0 if none is touched. A body that overlaps the shape at the start is a
        hit, and so is an unresolved search, at the time that is proved to be free. ``rejected`` lists the moving shapes that
        are invalid, or whose path is too long for a box; they touch nothing.
        """

    def overlap_geometries(
        self, bodies: Bodies, shapes: Iterable[Shape], position: _F32, *, rotation: _F32 | None = None, categories: int =
        4294967295, mask: int = 4294967295, without_owner: int = 0, without_kind: Kind | _Kinds = (),
    ) -> tuple[_I64, _U64]:
        """The bodies that each shape overlaps or touches at rest, of those in the boxes: those of shape ``i`` are
        ``ids[starts[i]:starts[i + 1]]``, in order.

        ``bodies`` are ``Bodies`` with ids. ``shapes``, ``position`` and ``rotation`` are the shapes, as in ``distances``, but
        of any class. The other arguments are as in ``cast``. Returns ``starts`` with ``n + 1`` elements, and ``ids``. Overlaps
        are those of the function ``overlaps``: a place inside of a closed mesh overlaps none if it touches no triangle. A shape
        with an invalid position or rotation, or too far away for a box, overlaps nothing.
        """

    def save(self) -> Snapshot:
        """Returns the state that decides the results of the next updates: boxes, ids and pairs.

        The events of the last update are not part of it, nor the numbers of threads and of pairs.
        """

    def restore(self, snapshot: Snapshot) -> None:
        """Restores a state that ``save`` returned. From now on each update has the results that it would have had then.

        Ids of boxes that were inserted since then are stale, or become those of other boxes.
        """

    @property
    def rejected(self) -> list[tuple[int, str]]:
        """Rows that the last successful call of ``insert``, ``set`` or ``set_margin`` rejected, each with the reason."""
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, int | None]]: ...
    def __getstate__(self) -> Snapshot: ...
    def __setstate__(self, snapshot: Snapshot) -> None: ...

@final
class Snapshot:
    """A state of a ``Broadphase`` that ``save`` returned. It does not change.

    ``bytes(snapshot)`` and ``pickle`` store it, and ``Snapshot(data)`` reads such bytes with the same version of the package.
    Damaged bytes are a ``ValueError``, by their checksum. ``len(snapshot)`` is the number of boxes.
    """
    def __new__(cls, data: bytes) -> Snapshot: ...
    def __len__(self) -> int: ...
    def __bytes__(self) -> bytes: ...
    def __copy__(self) -> Snapshot: ...
    def __deepcopy__(self, _memo: object) -> Snapshot: ...
    def __reduce__(self) -> tuple[type[Snapshot], tuple[bytes]]: ...

@final
class Contact:
    """How two boxes of a ``Broadphase`` touch in the tick, by their true boxes, without margins."""
    state: Literal["separated", "touching", "overlapping"]
    """"separated": no contact in the tick; "touching": from the time ``first`` on; "overlapping": from the start of the tick."""
    first: float | None
    """First time of contact, a fraction of the tick, never late; None without a contact."""
    last: float | None
    """Last time of contact, never early; None without a contact."""
    normal: _Tuple | None
    """Unit normal from ``a`` to ``b``; None without an axis of contact, as for boxes whose interiors overlap at the start."""
    closing: bool
    """Whether the boxes move into each other just after the first time. True for all boxes whose interiors overlap at the
    start, also if they rest or move apart."""
    translation: _Tuple | None
    """The shortest vector to add to ``b`` so that it at most touches ``a``; None if the boxes do not overlap at the start."""

def vertex_face(
    start: _F64, end: _F64, faces: _U32, pairs: _U32, *, minimum_separation: float = 0.0, tolerance: float = 1e-09,
    threads: int | None = None,
) -> tuple[_U8, _F64, _F64, _F64]:
    """When vertices and faces of a moving mesh first come within ``minimum_separation``. Never late, never missed.

    ``start`` and ``end`` are the positions of all vertices at the two ends of the tick, ``(n, 3)`` float64; each vertex moves
    on a straight line. ``faces`` are three vertices each, ``(m, 3)``; ``pairs`` a vertex and a face each, ``(k, 2)``. A vertex
    always touches its own faces, so leave such pairs out. The distance at a contact is at most ``minimum_separation +
    tolerance``, plus ``2**-43`` of the greatest coordinate difference of the four vertices; both are lengths in the units of the
    positions, and the default of ``tolerance`` is 1e-9.

    Returns for each pair:

    * the state, ``(k,)``: 0 no contact or an invalid vertex, 1 contact, 3 unresolved;
    * the first time as a fraction of the tick, ``(k,)``; 1 without a contact, and the time that is proved to be free of contact
      if the search is unresolved;
    * the unit normal at that time from the vertex to the face, ``(k, 3)``, or zeros;
    * the nearest point of the face ``[a, b, c]`` at that time, ``(k, 2)``: the barycentric coordinates of ``b`` and ``c``.
    """

def edge_edge(
    start: _F64, end: _F64, edges: _U32, pairs: _U32, *, minimum_separation: float = 0.0, tolerance: float = 1e-09,
    threads: int | None = None,
) -> tuple[_U8, _F64, _F64, _F64]:
    """When edges of a moving mesh first come within ``minimum_separation``. Never late, never missed.

    As ``vertex_face``, but ``edges`` are two vertices each, ``(m, 2)``, and ``pairs`` two edges each, ``(k, 2)``. The normal is
    that from the first edge to the second, and the coordinates are the fractions along the first and along the second.
    """

def catalogue(objects: int, seed: int = 1) -> _F64:
    """Draws Kepler elements of objects around the Earth, ``(objects, 6)``.

    Columns: semi-major axis in km, eccentricity, inclination, right ascension of the node, argument of the perigee and mean
    anomaly, in radians. ``objects`` is at most 2,000,000.
    """

def screen_conjunctions(
    elements: _F64, seconds: float, *, within_km: float = 5.0, tick_seconds: float = 60.0, progress: Callable[[int, int],
    object] | None = None, threads: int | None = None,
) -> tuple[_U32, _F64, _F64, _F64]:
    """All approaches of objects in orbit within ``within_km``, sorted by time.

    ``elements`` are those of ``catalogue``, ``(n, 6)`` float64. ``seconds`` is rounded up to whole ticks of ``tick_seconds``,
    which is between 0.001 and 600. Of each pair, the closest approach in a tick is found; approaches that continue from one
    tick to the next are one. ``within_km`` is at most 1000.

    Returns pairs ``(k, 2)``, the seconds since the start, the distances in km and the relative speeds in km/s, ``(k,)`` each.

    ``progress`` is called with the number of ticks done and of all ticks, at most about a hundred times. An exception that it
    raises ends the screening. With ``threads``, it is called on one of these threads. Ctrl+C ends the screening when
    ``progress``, a Python function, is called next; with ``threads``, or without ``progress``, it is a ``KeyboardInterrupt``
    only after the screening.
    """
