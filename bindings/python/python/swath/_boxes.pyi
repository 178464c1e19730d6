from collections.abc import Iterable, Sequence
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

from ._shapes import Bodies, FirstTimes, Shape

__all__ = ["Bvh", "FixedBoxes", "Impacts", "PairFinder", "Pipeline", "TickOutput", "tick"]

_F32 = NDArray[np.float32]
_U32 = NDArray[np.uint32]
_I64 = NDArray[np.int64]
_U8 = NDArray[np.uint8]
_Bool = NDArray[np.bool_]
_Window = tuple[float, float] | Sequence[float] | _F32
_Touch = Literal["hit", "if_closing", "ignore"]

@final
class PairFinder:
    """Finds all pairs of boxes that meet in a tick. Keep it between ticks: its memory is used again.

    ``threads`` is the number of threads, by default one for each logical core. ``pairs_max`` limits the number of pairs of a
    call; one with more is a ``ValueError``. By default there is no limit, and a call that needs more memory than there is ends
    the process: the pairs of boxes that are all in one place grow with the square of their number.

    Each method takes boxes as ``min`` and ``max``, the corners at the start of the tick, and ``delta``, the displacement over
    the tick, ``(n, 3)`` each. ``moves``, ``(n,)`` bool, states for each box whether it moves; two that do not never form a
    pair. ``categories`` and ``masks`` are 32 bits each, one value for all boxes or ``(n,)`` uint32: two boxes may form a pair
    if each has a category that is in the mask of the other.

    An object takes one call at a time; a second one from another thread is a ``RuntimeError``.
    """
    def __new__(cls, *, threads: int | None = None, pairs_max: int | None = None) -> PairFinder: ...
    def union_pairs(
        self, min: _F32, max: _F32, delta: _F32 | None = None, *, moves: _Bool | None = None,
        categories: int | _U32 = 4294967295, masks: int | _U32 = 4294967295,
    ) -> _U32:
        """Pairs whose swept bounds share a point, as an array ``(pairs, 2)``, sorted, each ``a < b``."""
    def union_pairs_between(
        self, min_a: _F32, max_a: _F32, min_b: _F32, max_b: _F32, *, categories_a: int | _U32 = 4294967295,
        masks_a: int | _U32 = 4294967295, categories_b: int | _U32 = 4294967295, masks_b: int | _U32 = 4294967295,
    ) -> _U32:
        """Pairs of a box of one list and a box of another that share a point, ``(pairs, 2)``, sorted.

        The first column is a row of ``min_a`` and ``max_a``, ``(n, 3)`` each; the second a row of ``min_b`` and ``max_b``,
        ``(m, 3)`` each. ``rejected`` contains the invalid rows of the first list, then those of the second.

        No box moves. For boxes that do, pass the bounds of their paths, or use ``swept_pairs_between``.
        """

    def swept_pairs(
        self, min: _F32, max: _F32, delta: _F32, *, moves: _Bool | None = None, categories: int | _U32 = 4294967295,
        masks: int | _U32 = 4294967295,
    ) -> tuple[_U32, _F32]:
        """Pairs that touch during the tick, ``(pairs, 2)``, sorted, and the first time of each, ``(pairs,)``.

        A first time is never later than the exact one, and no contact is missed.
        """

    def swept_pairs_between(
        self, min_a: _F32, max_a: _F32, delta_a: _F32, min_b: _F32, max_b: _F32, delta_b: _F32, *, moves_a: _Bool | None =
        None, moves_b: _Bool | None = None, categories_a: int | _U32 = 4294967295, masks_a: int | _U32 = 4294967295,
        categories_b: int | _U32 = 4294967295, masks_b: int | _U32 = 4294967295,
    ) -> tuple[_U32, _F32]:
        """Pairs of a box of one list and a box of another that touch during the tick, ``(pairs, 2)``, sorted, and the first time
        of each, ``(pairs,)``.

        The first column is a row of ``min_a``, ``max_a`` and ``delta_a``, ``(n, 3)`` each; the second a row of ``min_b``,
        ``max_b`` and ``delta_b``, ``(m, 3)`` each. ``rejected`` contains the invalid rows of the first list, then those of the
        second. ``moves_a`` and ``moves_b`` are as ``moves``.
        """

    @property
    def rejected(self) -> list[tuple[int, str]]:
        """Rows that the last call that succeeded rejected, each with the reason."""

@final
class FixedBoxes:
    """Boxes that do not move, such as those of a level, and their pairs with moving boxes.

    Each box has a row, a number below ``2**27``. The time of a tick depends on the moving boxes and hardly on the number of
    fixed ones. ``categories`` and ``masks`` are as in ``PairFinder``. ``len(boxes)`` is the number of boxes. ``threads`` and
    ``pairs_max`` are as in ``PairFinder``.

    An object takes one call at a time, queries included; a second one from another thread is a ``RuntimeError``.
    """
    def __new__(cls, *, threads: int | None = None, pairs_max: int | None = None) -> FixedBoxes: ...
    def __len__(self) -> int: ...
    def put(
        self, rows: _U32, min: _F32, max: _F32, *, categories: int | _U32 = 4294967295, masks: int | _U32 = 4294967295,
    ) -> None:
        """Puts a box into each of ``rows``, ``(n,)`` uint32, and replaces the box in that row, if there is one.

        ``min`` and ``max`` are ``(n, 3)``. If a row occurs several times, its last valid box counts. A box does not inherit the
        categories and the mask of the one that it replaces. ``rejected`` then lists the invalid boxes by their index in
        ``min``; they change nothing.
        """

    def extend(
        self, min: _F32, max: _F32, *, categories: int | _U32 = 4294967295, masks: int | _U32 = 4294967295,
    ) -> _U32:
        """Puts a box for each row of ``min`` and ``max``, ``(n, 3)``, into the rows after the highest one that was used since the
        last ``clear``, and returns these rows, ``(n,)``. The rows of invalid boxes stay empty; ``rejected`` then lists them by
        their index in ``min``.
        """

    def set_filters(
        self, rows: _U32, categories: int | _U32 = 4294967295, masks: int | _U32 = 4294967295,
    ) -> None:
        """Changes the categories and masks of these rows, ``(n,)`` uint32: one for all, or ``(n,)`` uint32.

        Without them, all bits are set. A row without a box is a ``ValueError``, and then nothing is changed.
        """

    def remove(self, rows: _U32) -> None:
        """Removes the boxes in these rows, ``(n,)`` uint32. A row may occur several times. A row without a box is a
        ``ValueError``, and then none is removed.
        """

    def clear(self) -> None:
        """Removes all boxes. The next row of ``extend`` is 0."""

    def union_pairs(
        self, min: _F32, max: _F32, delta: _F32 | None = None, *, moves: _Bool | None = None, categories: int | _U32 =
        4294967295, masks: int | _U32 = 4294967295,
    ) -> _U32:
        """Pairs of a moving box and a fixed box in which the bounds of the whole path share a point with the fixed box, ``(pairs,
        2)``, sorted: the row of the moving box, and that of the fixed one.

        ``min``, ``max``, ``delta``, ``moves``, ``categories`` and ``masks`` are those of the moving boxes, as in
        ``PairFinder``; one that does not move has no pair. ``rejected`` then lists the invalid ones. Moving boxes are not
        compared with each other.
        """

    def swept_pairs(
        self, min: _F32, max: _F32, delta: _F32, *, moves: _Bool | None = None, categories: int | _U32 = 4294967295, masks:
        int | _U32 = 4294967295,
    ) -> tuple[_U32, _F32]:
        """Pairs of a moving box and a fixed box that touch during the tick, ``(pairs, 2)``, sorted, and the first time of each,
        ``(pairs,)``.

        A first time is never later than the exact one, and no contact is missed. The arguments are those of ``union_pairs``.
        """

    def cast(
        self, origin: _F32, direction: _F32, max_fraction: float | None = None, *, categories: int = 4294967295, mask: int =
        4294967295,
    ) -> tuple[_I64, _F32]:
        """The first box that each ray hits: its row or -1, and the fraction of ``direction`` or infinity, ``(n,)`` each, as in
        ``Bvh``.
        """

    def sweep(
        self, min: _F32, max: _F32, delta: _F32, *, categories: int = 4294967295, mask: int = 4294967295,
    ) -> tuple[_I64, _F32]:
        """The first box that each moving box touches: its row or -1, and the time as a fraction of its path or infinity, ``(n,)``
        each, as in ``Bvh``.
        """

    def overlaps(
        self, min: _F32, max: _F32, *, categories: int = 4294967295, mask: int = 4294967295,
    ) -> tuple[_I64, _U32]:
        """The fixed boxes that each box overlaps: those of row ``i`` are ``rows[starts[i]:starts[i + 1]]``, in order, as in
        ``Bvh``.
        """

    def nearest(
        self, points: _F32, max_distance: float | None = None, *, k: int | None = None, categories: int = 4294967295, mask:
        int = 4294967295,
    ) -> tuple[_I64, _F32]:
        """The box nearest to each point, at most at the distance ``max_distance``: its row or -1, and the distance or infinity;
        with ``k`` the ``k`` nearest, as in ``Bvh``.
        """

    @property
    def rejected(self) -> list[tuple[int, str]]:
        """Rows that the last call of ``put``, ``extend``, ``union_pairs`` or ``swept_pairs`` that succeeded rejected, each with
        the reason.
        """

@final
class Bvh:
    """A bounding volume hierarchy over boxes that do not move, ``(n, 3)`` corners each.

    ``categories`` and ``masks`` are 32 bits each, one value for all boxes or ``(n,)`` uint32. A query with categories and a
    mask finds a box if each of the two has a category that is in the mask of the other. ``len(bvh)`` is the number of valid
    boxes. Several threads may use one object at once.
    """
    def __new__(
        cls, min: _F32, max: _F32, *, categories: int | _U32 = 4294967295, masks: int | _U32 = 4294967295,
        threads: int | None = None,
    ) -> Bvh: ...
    def __len__(self) -> int: ...
    def cast(
        self, origin: _F32, direction: _F32, max_fraction: float | None = None, *, categories: int = 4294967295,
        mask: int = 4294967295,
    ) -> tuple[_I64, _F32]:
        """The first box that each ray hits: its row or -1, and the fraction of ``direction`` or infinity, ``(n,)`` each.

        ``origin`` and ``direction`` are ``(n, 3)``. A ray ends at the fraction ``max_fraction`` of its direction; None is no
        end.
        """

    def cast_all(
        self, origin: _F32, direction: _F32, max_fraction: float | None = None, *, categories: int = 4294967295,
        mask: int = 4294967295,
    ) -> tuple[_I64, _U32, _F32]:
        """All boxes that each ray hits, in the order of their fractions: those of ray ``i`` are ``rows[starts[i]:starts[i +
        1]]``.

        Returns ``starts`` with ``n + 1`` elements, ``rows``, and the fraction of ``direction`` of each. Otherwise as ``cast``.
        It uses the calling thread only.
        """

    def sweep(
        self, min: _F32, max: _F32, delta: _F32, *, categories: int = 4294967295, mask: int = 4294967295
    ) -> tuple[_I64, _F32]:
        """The first box that each moving box touches: its row or -1, and the time as a fraction of its path or infinity.

        ``min`` and ``max`` are the corners at the start, ``delta`` the displacement, ``(n, 3)`` each. Returns ``(n,)`` each. A
        time is never later than the exact one.
        """

    def overlaps(
        self, min: _F32, max: _F32, *, categories: int = 4294967295, mask: int = 4294967295
    ) -> tuple[_I64, _U32]:
        """The stored boxes that each box overlaps: those of row ``i`` are ``rows[starts[i]:starts[i + 1]]``, in order.

        ``min`` and ``max`` are ``(n, 3)``. Returns ``starts`` with ``n + 1`` elements, and ``rows``. Boxes that share a point
        of their surfaces overlap.
        """

    def nearest(
        self, points: _F32, max_distance: float | None = None, *, k: int | None = None, categories: int = 4294967295,
        mask: int = 4294967295,
    ) -> tuple[_I64, _F32]:
        """The box nearest to each point, at most at the distance ``max_distance``: its row or -1, and the distance or infinity.

        ``points`` are ``(n, 3)``. Returns ``(n,)`` each; with ``k``, from 1 to ``2**26``, the ``k`` nearest boxes of
        each point, ``(n, k)``, in the order of distance. Without ``max_distance``, there is no limit.
        """

    def cast_geometries(
        self, bodies: Bodies, origin: _F32, direction: _F32, max_fraction: float | None = None, *, categories: int =
        4294967295, mask: int = 4294967295,
    ) -> tuple[_I64, _U8, _F32, _F32, _U32]:
        """The first body that each ray enters, of those in the boxes.

        ``bodies`` are ``Bodies`` for all boxes. ``origin`` and ``direction`` are ``(n, 3)``. A ray ends at the fraction
        ``max_fraction`` of its direction; None is no end. Of bodies that are entered at the same fraction, it is the one with
        the lowest row.

        Returns its row or -1, ``(n,)``, and what the function ``cast`` returns for this body: the state, the fraction, the
        normal and the part. An unresolved cast counts as a hit at the fraction that is proved to be free.
        """

    def sweep_geometries(
        self, bodies: Bodies, shapes: Iterable[Shape], position: _F32, delta: _F32, *, rotation: _F32 | None = None, accel:
        _F32 | None = None, spin: _F32 | None = None, target_distance: float = 0.0, tolerance: float = 6.103515625e-05,
        touch: _Touch = "if_closing", window: _Window = (0.0, 1.0), rounds_max: int = 2048, categories: int = 4294967295,
        mask: int = 4294967295,
    ) -> tuple[_I64, FirstTimes]:
        """The first body that each moving shape touches, of those in the boxes.

        ``bodies`` are ``Bodies`` for all boxes. ``shapes``, ``position``, ``delta``, ``rotation``, ``accel`` and ``spin`` are
        the moving shapes, as in ``first_times``; they do not touch each other. The other arguments are as in ``first_time``,
        with one window for all. Of bodies that are touched at the same time, it is the one with the lowest row.

        Returns its row or -1, ``(n,)``, and ``FirstTimes`` with a row for each moving shape, of which ``a`` is the moving shape
        and ``b`` the body. Its state is 0 if none is touched. A body that overlaps the shape at the start is a hit, and so is
        an unresolved search, at the time that is proved to be free. ``rejected`` lists the moving shapes that are invalid, or
        whose path is too long for a box; they touch nothing.
        """

    def overlap_geometries(
        self, bodies: Bodies, shapes: Iterable[Shape], position: _F32, *, rotation: _F32 | None = None, categories: int =
        4294967295, mask: int = 4294967295,
    ) -> tuple[_I64, _U32]:
        """The bodies that each shape overlaps or touches at rest, of those in the boxes: those of shape ``i`` are
        ``rows[starts[i]:starts[i + 1]]``, in order.

        ``bodies`` are ``Bodies`` for all boxes. ``shapes``, ``position`` and ``rotation`` are the shapes, as in ``distances``,
        but of any class. Returns ``starts`` with ``n + 1`` elements, and ``rows``. Overlaps are those of the function
        ``overlaps``: a place inside of a closed mesh overlaps none if it touches no triangle. A shape with an invalid position
        or rotation, or too far away for a box, overlaps nothing.
        """

    @property
    def rejected(self) -> list[tuple[int, str]]:
        """Rows that were rejected, each with the reason."""

@final
class Pipeline:
    """Finds the impacts of bodies of all shapes in a tick, in the order of time. Keep it between ticks: its memory is used again.

    * ``target_distance``, ``tolerance`` and ``rounds_max`` are as in ``first_time``; a shape that comes within the tolerance,
      but whose bounds do not come within the target distance, has no impact.
    * ``touch`` states which touches at the start of the tick are impacts, as in ``first_time``; each touch of a sensor is one.
    * ``fast``, a length per tick: a pair is dropped if both bodies are slower and neither has ``ccd`` or is a sensor. With 0,
      no pair is dropped.
    * ``impacts_per_body``: an impact is returned if it is among the first ``impacts_per_body`` of at least one of its bodies; 0
      is no limit.
    * ``part_impacts``: of two bodies with parts, the first impact (``"first"``), or the first one of each two parts, as
      ``each_part`` (``"each"``).
    * ``pairs_max`` limits the number of pairs whose bounds touch; a tick with more is a ``ValueError``. By default there is no
      limit, and a tick that needs more memory than there is ends the process.
    * ``threads`` is the number of threads, by default one for each logical core.

    An object takes one call at a time; a second one from another thread is a ``RuntimeError``.
    """
    def __new__(
        cls, *, target_distance: float = 0.0, tolerance: float = 6.103515625e-05, touch: _Touch = "if_closing", fast: float = 0.0,
        impacts_per_body: int = 0, part_impacts: Literal["first", "each"] = "first", rounds_max: int = 2048,
        pairs_max: int | None = None, threads: int | None = None,
    ) -> Pipeline: ...
    def tick(
        self, shapes: Iterable[Shape], position: _F32, delta: _F32, *, rotation: _F32 | None = None, accel: _F32 | None =
        None, spin: _F32 | None = None, moves: bool | _Bool = True, ccd: bool | _Bool = False, sensor: bool | _Bool = False,
        categories: int | _U32 = 4294967295, masks: int | _U32 = 4294967295,
    ) -> TickOutput:
        """Finds the impacts of a tick.

        ``shapes`` are those of the bodies, of any class; ``position``, ``delta``, ``accel`` and ``spin``, ``(n, 3)``, and the
        quaternions ``rotation``, ``(n, 4)`` of any length, have a row for each. Each of the other arguments is one value for
        all bodies, or has one for each, ``(n,)``:

        * ``moves``: bool; two bodies that do not move never form a pair, but each of the two has its motion.
        * ``ccd``: bool; pairs of this body are never dropped for being slow.
        * ``sensor``: bool; the body stops nothing. Its impacts are all returned, in a list of their own, and each touch at the
          start counts.
        * ``categories`` and ``masks``: uint32; two bodies may form a pair if each has a category that is in the mask of the
          other.
        """

@final
class Impacts:
    """Impacts of pairs of bodies, in the order of time: arrays with a row for each impact."""
    pairs: _U32
    """``(k, 2)`` uint32: the rows of the two bodies, the lower one first."""
    state: _U8
    """``(k,)`` uint8: 1 the bodies touch from ``t`` on; 2 they overlap at the start, or move into each other after a touch that
    ``"ignore"`` ignores; 3 unresolved: they do not touch before ``t``.
    """
    t: _F32
    """``(k,)``: the time as a fraction of the tick, never late; 0 for an overlap."""
    last: _F32
    """``(k,)``: the last time at which the bounds of the two bodies touch."""
    normal: _F32
    """``(k, 3)``: the unit normal at that time from the first body to the second; zeros if unresolved."""
    on_a: _F32
    """``(k, 3)``: the point of the first body nearest to the second at that time, or deepest inside it, in world coordinates;
    zeros if unresolved.
    """
    on_b: _F32
    """``(k, 3)``: the point of the second body nearest to the first at that time, or deepest inside it, in world coordinates;
    zeros if unresolved.
    """
    closing: _F32
    """``(k,)``: the closing speed of these points along the normal, in length per tick, negative if they separate."""
    depth: _F32
    """``(k,)``: the depth beyond the target distance along the normal of bodies that overlap at the start, else 0."""
    parts: _U32
    """``(k, 2)`` uint32: the number of the part of each body that touches, such as a triangle; 0 for a ``Convex``."""
    def __len__(self) -> int: ...

@final
class TickOutput:
    """What a tick of a ``Pipeline`` found."""
    impacts: Impacts
    """The impacts of bodies that are no sensors."""
    sensed: Impacts
    """All impacts with a sensor. They do not count for ``impacts_per_body``."""
    slow: _U32
    """``(k, 2)`` uint32: the pairs that were dropped because both bodies are slow. Their bounds touch in the tick."""
    rejected: list[tuple[int, str]]
    """The invalid bodies, as a list of their rows, each with the reason. They have no impacts."""

def tick(
    min: _F32, max: _F32, delta: _F32, *, accel: _F32 | None = None, touch: _Touch = "if_closing", impacts_per_body: int = 0,
    pairs_max: int | None = None, threads: int | None = None,
) -> tuple[_U32, _F32, _F32, _U8]:
    """Impacts of moving boxes in a tick, in the order of time.

    ``min`` and ``max`` are the corners at the start of the tick, ``delta`` the displacement, ``accel`` the acceleration in
    length per tick squared, ``(n, 3)`` each. Returns pairs ``(k, 2)``, times ``(k,)``, unit normals from the first box to the
    second ``(k, 3)``, and states ``(k,)``: 1 the boxes touch from that time on, 2 they overlap at the start of the
    tick, so that the time is 0, or move into each other after a touch that ``"ignore"`` ignores; 3 unresolved: they do
    not touch before that time, and the normal is zero.

    ``touch`` states which boxes whose surfaces touch at the start of the tick have an impact: those that move into each other
    (``"if_closing"``), so that boxes that slide along each other or rest on each other have none, although
    ``PairFinder.swept_pairs`` reports them; all (``"hit"``); or none (``"ignore"``; those that then move into each
    other have the state of an overlap).

    ``impacts_per_body`` limits the impacts: one is returned if it is among the first ``impacts_per_body`` of at least one of
    its bodies; 0 is no limit. ``pairs_max`` limits the number of pairs that touch; a tick with more is a ``ValueError``. By
    default there is no limit, and a tick that needs more memory than there is ends the process.
    """
