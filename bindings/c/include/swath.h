/* swath: which of many moving boxes touch in a tick, and when.
 *
 * cbindgen writes this file from bindings/c/src; edit it there.
 *
 * RULES OF ALL FUNCTIONS
 *
 * Results. A function returns SWATH_OK or the code of an error. After an error, swath_last_error() returns a message, for
 * each thread its own. What a function writes by a pointer is written only if it returns SWATH_OK, except where its
 * comment says otherwise.
 *
 * Pointers. A pointer is not NULL unless the comment allows it; the pointer of an array without elements may be NULL.
 * NULL and misaligned pointers are errors. All other pointers must be valid: to an object that a create function wrote
 * and that was not destroyed, or to memory for as many values as the function reads or writes, which no thread writes
 * meanwhile. Memory for results overlaps neither the input nor other memory for results of the same call.
 *
 * Memory. Input is borrowed for the call and not copied, except where a comment says otherwise. Results in memory of an
 * object are valid until the next call that changes the object: that is, one whose pointer to the object is not const. The
 * lists of swath_changes are valid longer; see there.
 *
 * Threads. Functions may be called from any thread. Calls on different objects do not disturb each other, and neither do
 * calls that take const pointers to the same object. If a call on an object has to wait for another one, it returns
 * SWATH_ERROR_BUSY instead. There is no queue: a thread that only repeats a call may wait for ever, so alternate changes and queries by
 * phases or a lock. Destroy an object when no call uses it. The child of a fork() does not have the threads of its
 * parent: a call that would use them returns SWATH_ERROR_FORKED. In the child, use objects that it has created with threads
 * of at least 1, objects of the parent with threads = 1, or an executor whose threads exist there. A child that was
 * created without the handlers of fork(), such as by the system call clone(), is not noticed, and waits for ever.
 *
 * Callbacks must return: they do not throw, do not call longjmp, and do not end the thread. They may call functions on
 * other objects. While such a function runs on several threads, the same thread may call the callback again: hold no lock
 * across the call, or create the other object with threads = 1.
 *
 * Numbers. t and first are fractions of the tick, from 0 to 1. Lengths have any unit. A coordinate is finite and its
 * magnitude is at most 2 to the power of 120. Results have the same bits on every CPU and for any number of threads. */

#ifndef SWATH_H
#define SWATH_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>



#define SWATH_MAJOR 0
#define SWATH_MINOR 1
#define SWATH_PATCH 0


// The call succeeded.
#define SWATH_OK 0

// A pointer is NULL that must not be.
#define SWATH_ERROR_NULL 1

// A pointer is not aligned as its type requires.
#define SWATH_ERROR_MISALIGNED 2

// A length, a stride, a name or the value of an enumeration is wrong.
#define SWATH_ERROR_ARGUMENT 3

// A number is NaN, infinite, too large or out of its range, or a box is inverted.
#define SWATH_ERROR_INVALID 4

// An id is of a proxy that does not exist, or was removed; or a row has no box.
#define SWATH_ERROR_STALE 5

// There are more boxes, proxies, triangles or pairs than allowed.
#define SWATH_ERROR_TOO_MANY 6

// An array for results is too short. The count that the call returns is the length that is needed.
#define SWATH_ERROR_TOO_SHORT 7

// Another call uses the object: one on another thread, or one whose callback made this call.
#define SWATH_ERROR_BUSY 8

// The library has a fault. An object that the call changes accepts no further call but the one that destroys it. After a call that
// only reads an object, the object may be used as before.
#define SWATH_ERROR_PANIC 9

// A proxy has changed since the queries of the broadphase were prepared; see `swath_broadphase_prepare_queries`.
#define SWATH_ERROR_NOT_PREPARED 10

// The call needs threads that were started before this process was forked, and do not exist in it.
#define SWATH_ERROR_FORKED 11

// The bodies touch from `t` on, or touch at the start of the tick in a way that counts.
#define SWATH_IMPACT_TOUCHING 0

// The bodies overlap from the start of the tick on.
#define SWATH_IMPACT_OVERLAPPING 1

// The search reached its limit. The bodies do not touch before `t`, and the rest is unknown.
#define SWATH_IMPACT_UNRESOLVED 2

// The first impact of the two bodies.
#define SWATH_PART_IMPACTS_FIRST 0

// The first impact of each part of one body and each part of the other, as if no other parts were there. Each counts for `impacts_per_body`.
#define SWATH_PART_IMPACTS_EACH 1

// The body moves, even if its displacement in this tick is zero. Two bodies without this flag never pair. For proxies the flag is not used: whether
// they move is decided by their kinds.
#define SWATH_BODY_MOVES 1

// The pairs of the body are never dropped for being slow.
#define SWATH_BODY_CCD 2

// The body stops nothing: its impacts are all reported, in a list of their own, and do not count for the limit. Its pairs are never dropped for being
// slow, and touches at the start count as with `SWATH_TOUCH_HIT`.
#define SWATH_BODY_SENSOR 4

// Moves and reacts to contacts. By default it pairs with every kind.
#define SWATH_KIND_DYNAMIC 0

// Moves on a path that the caller prescribes, such as a door. By default it does not pair with kinematic or fixed proxies.
#define SWATH_KIND_KINEMATIC 1

// A dynamic body at rest. Costs almost nothing while unchanged.
#define SWATH_KIND_SLEEPING 2

// Does not move, such as a wall. Costs almost nothing while unchanged.
#define SWATH_KIND_FIXED 3

// The index of an id that no proxy has. `SWATH_NO_ID` is such an id, whose generation is the same number.
#define SWATH_NO_INDEX 4294967295

// The segment misses the shape.
#define SWATH_CAST_MISSED 0

// The segment enters the shape, or starts on its surface.
#define SWATH_CAST_HIT 1

// The segment starts inside the shape.
#define SWATH_CAST_INSIDE 2

// The search reached its limit: up to `fraction` the segment does not enter; the rest is unknown.
#define SWATH_CAST_UNRESOLVED 3

// A touch whose nearest points close. Bodies that lie on each other, slide or separate are excluded.
#define SWATH_TOUCH_IF_CLOSING 0

// Every touch.
#define SWATH_TOUCH_HIT 1

// No touch.
#define SWATH_TOUCH_IGNORE 2

// They do not touch in the window.
#define SWATH_TOI_SEPARATED 0

// They touch first at `t`.
#define SWATH_TOI_IMPACT 1

// They overlap at the start of the window, or get into each other after a touch that `SWATH_TOUCH_IGNORE` ignores.
#define SWATH_TOI_OVERLAPPING 2

// The search reached its limit: they do not touch before `t`, and the rest is unknown.
#define SWATH_TOI_UNRESOLVED 3

// The order in which they were found, which is the same for any number of threads and any instruction set.
#define SWATH_AS_FOUND 0

// By `a`, then by `b`.
#define SWATH_SORTED 1

// A coordinate is NaN or infinite.
#define SWATH_REASON_NOT_FINITE 1

// The magnitude of a coordinate is greater than 2 to the power of 120.
#define SWATH_REASON_TOO_LARGE 2

// The least corner is greater than the greatest one on an axis, or a half extent is negative.
#define SWATH_REASON_INVERTED 3

// Another number is out of its range, such as a rotation that is not a unit quaternion.
#define SWATH_REASON_RANGE 4

// Boxes with stable ids, and their pairs from tick to tick: which pairs begin, persist and end.
typedef struct swath_broadphase swath_broadphase;

// A bounding volume hierarchy of boxes that do not change, for queries. Box `k` is called row `k`.
typedef struct swath_bvh swath_bvh;

// Boxes that do not move, each in a row that the caller chooses, and their pairs with moving boxes. The time of a tick depends on
// the movers and hardly on the number of fixed boxes.
typedef struct swath_fixed_boxes swath_fixed_boxes;

// Finds the pairs of moving boxes, anew in each tick. Keep it from tick to tick, because it keeps its memory.
typedef struct swath_pair_finder swath_pair_finder;

// Computes the impacts of a tick in the order of time. It keeps only memory from tick to tick.
typedef struct swath_pipeline swath_pipeline;

// A shape, which does not change: a convex one, a compound of convex ones, a mesh, or a height field. Several threads may use it at
// the same time.
typedef struct swath_shape swath_shape;

// A copy of everything that decides the results of a broadphase from some tick on.
typedef struct swath_snapshot swath_snapshot;

// Result of a call: `SWATH_OK`, or the code of an error. `swath_last_error` returns the message.
typedef int32_t swath_status;

// A function of the library that runs the task of this index. An executor calls it with the `context` that it was given.
typedef void (*swath_task)(void *context, size_t index);

// Runs the tasks of parallel loops on threads of the caller, such as the job system of an engine.
//
// `run` calls `task(context, index)` once for each index below `tasks`, on any threads and in any order, and returns when all
// calls have returned. No task waits for another one. Results do not depend on the threads. `run` must not throw.
// A structure of zeros is not valid.
typedef struct swath_executor {
  // Is passed to `run`. It must live as long as each object that was created with the executor.
  void *user;
  // The number of tasks that may run at the same time, at least 1. At most 256 are used.
  size_t threads;
  // Runs the tasks; see above. It is called from any thread that calls the library.
  void (*run)(void *user, size_t tasks, swath_task task, void *context);
} swath_executor;

// How an object runs. A structure of zeros is valid: it is the default, as a NULL pointer is. Results have the same bits for any values.
typedef struct swath_exec {
  // The instruction set: NULL for the widest one of this CPU, or "portable4", "avx2" or "avx512".
  const char *level;
  // The number of threads: 0 for one for each logical core, which all objects share; 1 for the calling thread alone; at
  // most 1024.
  uint32_t threads;
  // The greatest number of pairs of a tick; 0 for no limit. A search that finds more is an error. Pairs that filters or owners exclude do not
  // count.
  uint64_t pairs_max;
  // Threads of the caller, instead of `threads`, or NULL. The structure is copied.
  const struct swath_executor *executor;
} swath_exec;

// The id of a proxy, 64 bits: the index of a slot, which is reused after a removal, and the number of proxies that used the
// slot before. The index may be used as a row of arrays of the caller. No two proxies of a broadphase ever have the same id,
// unless a snapshot is restored: ids that were created after it was saved may then belong to other proxies. An index of
// `SWATH_NO_INDEX` stands for no proxy.
//
// **A structure of zeros is valid: it is the id of the first proxy.** An id in memory of zeros is therefore no sign that there is no proxy: initialise
// it by `SWATH_NO_ID`, which no proxy has.
typedef struct swath_proxy_id {
  // The index of the slot, less than the largest number of proxies that existed at once, plus one for each slot that was used 2^32 - 1 times.
  uint32_t index;
  // How many proxies used the slot before.
  uint32_t generation;
} swath_proxy_id;

// An axis-aligned box. Its surfaces belong to it.
typedef struct swath_aabb {
  // The least corner.
  float min[3];
  // The greatest corner.
  float max[3];
} swath_aabb;

// A box at the start of the tick, and its displacement over the tick. A structure of zeros is valid: a point at the origin, at rest.
typedef struct swath_moving_box {
  // The box at the start of the tick.
  struct swath_aabb aabb;
  // The displacement over the tick.
  float delta[3];
} swath_moving_box;

// The kind of a proxy. A pair needs a dynamic proxy, or a kinematic and a sleeping one, unless `swath_broadphase_set_kind_pairs`
// changes it.
typedef uint32_t swath_kind;

// The categories of a box, and those with which it may form pairs, one bit each. Two boxes may form a pair if each has a
// category that is in the mask of the other. Zeros are valid: the box pairs with none.
typedef struct swath_filter {
  // The categories of the box.
  uint32_t category;
  // The categories with which it may form pairs.
  uint32_t mask;
} swath_filter;

// The description of a proxy. `swath_proxy_of_kind` creates one with which nothing is excluded.
//
// A structure of zeros, or one with only `kind`, is valid, but it has no pairs and no query finds it: it is disabled and its filter is empty.
// Begin with `swath_proxy_of_kind`.
typedef struct swath_proxy {
  // Its kind.
  swath_kind kind;
  // Its categories, and those with which it may form pairs. With both zero it has no pairs.
  struct swath_filter filter;
  // Proxies of the same owner do not form pairs, such as the limbs of a body. 0: no owner.
  uint32_t owner;
  // By how much the box that is compared is larger than the bounds of the path, on each side; a length. With a margin, a
  // proxy that moves little costs little.
  float margin;
  // Data of the caller, which the library does not use.
  uint64_t data;
  // 1 if it takes part in pairs and queries, else 0.
  uint8_t enabled;
} swath_proxy;

// One vector for each row, in memory of the caller, in one of two layouts.
//
// Rows: `x` points to the first structure of an array, `y` and `z` are NULL, a structure has `stride` bytes, and the vector is
// three consecutive floats, `offset` bytes after the start of the structure. It need not be aligned. `swath_rows` creates it.
//
// Columns: `x`, `y` and `z` point to an array of floats each, and `stride` and `offset` are zero. `swath_columns` creates it.
//
// A structure of zeros is valid: there are no vectors.
typedef struct swath_vectors {
  // The array of structures, or the first components.
  const void *x;
  // NULL, or the second components.
  const float *y;
  // NULL, or the third components.
  const float *z;
  // Bytes from the start of a structure to the start of the next one, or zero for columns.
  size_t stride;
  // Bytes from the start of a structure to the vector, or zero for columns.
  size_t offset;
} swath_vectors;

// Boxes, at rest or moving. The arrays are borrowed for the call only, and are not copied.
//
// All vectors of a call have the same layout. Fields that are not named in an initialiser are zero, which is the default of
// each. A structure of zeros is valid: there are no boxes.
typedef struct swath_boxes {
  // The number of boxes, and of elements of each array that is not NULL.
  size_t count;
  // The least corner of each box; or its centre, if `centered` is 1.
  struct swath_vectors min;
  // The greatest corner of each box; or its half extents, if `centered` is 1.
  struct swath_vectors max;
  // The displacement of each box over the tick; or its velocity, if `tick_seconds` is not zero. Zero if no box moves.
  struct swath_vectors delta;
  // Zero, or the duration of the tick, which is above 0: then the displacement is the velocity times this, rounded to nearest.
  // Only for rows: with columns that have a displacement it must be zero.
  float tick_seconds;
  // 1 if boxes are given by centre and half extents, which is only possible for rows. The corners are rounded outwards.
  uint8_t centered;
  // For each box 1 if it moves, or 0: two boxes that do not move are not a pair. NULL: all move. Only for pair finders and the
  // movers of fixed boxes.
  const uint8_t *moves;
  // The filter of each box. NULL: each may form pairs with each. Only for pair finders, fixed boxes, their movers, trees and pipelines.
  const struct swath_filter *filters;
  // For each box the number that stands for it in pairs, instead of its row, or NULL. Only for pair finders and the movers of
  // fixed boxes.
  const uint32_t *labels;
} swath_boxes;

// Why a row is invalid.
typedef uint32_t swath_reason;

// A row of the input that was left out because it is invalid.
typedef struct swath_rejected {
  // The row.
  uint32_t row;
  // Why it is invalid.
  swath_reason reason;
  // The axis of the number: 0, 1 or 2; 3 if it is not of an axis.
  uint32_t axis;
} swath_rejected;

// Rows that were left out, in order, in memory of the object of the call.
typedef struct swath_rejected_rows {
  // The first element. Do not read it if `count` is zero.
  const struct swath_rejected *data;
  // The number of elements.
  size_t count;
} swath_rejected_rows;

// What counts as a contact of two elements. `swath_element_defaults` returns the default. A structure of zeros is not valid.
typedef struct swath_element_settings {
  // The distance at which elements count as touching. Default: 0.
  double minimum_separation;
  // How much greater than the minimum separation the distance at an impact may be; a length. Default: 1e-9.
  double tolerance;
  // The greatest number of rounds of a search. Default: 4096.
  uint32_t rounds_max;
} swath_element_settings;

// Two boxes, by their rows. Of one set, `a` is the lower row; of two sets, `a` is a row of the first.
typedef struct swath_pair {
  // The lower row, or that in the first set.
  uint32_t a;
  // The higher row, or that in the second set.
  uint32_t b;
} swath_pair;

// How two bodies meet in the tick.
typedef uint32_t swath_toi_state;

// When two elements of a mesh first touch.
typedef struct swath_element_result {
  // The first time of contact, a fraction of the tick; never late. 1 if they are separated, the time that is proved to be free if it
  // is unresolved.
  double t;
  // The unit normal at that time from the nearest point of the first element to that of the second; zero without a contact.
  double normal[3];
  // The nearest points at that time: of a face `[a, b, c]` the barycentric coordinates of `b` and `c`; of two edges the fractions
  // along the first and along the second. Zero without a contact.
  double coordinates[2];
  // How they meet: `SWATH_TOI_SEPARATED`, `SWATH_TOI_IMPACT` or `SWATH_TOI_UNRESOLVED`.
  swath_toi_state state;
  // Zero.
  uint32_t reserved;
} swath_element_result;

// The order of the pairs of a search.
typedef uint32_t swath_order;

// Pairs in memory of the object that found them.
typedef struct swath_pairs {
  // The first element. Do not read it if `count` is zero.
  const struct swath_pair *data;
  // The number of elements.
  size_t count;
} swath_pairs;

// Two boxes that touch in the tick, as in `swath_pair`, and the first time at which they do.
typedef struct swath_swept_pair {
  // The lower row, or that in the first set.
  uint32_t a;
  // The higher row, or that in the second set.
  uint32_t b;
  // The first time of contact, a fraction of the tick from 0 to 1; never later than the exact time.
  float first;
} swath_swept_pair;

// Pairs with times, in memory of the object that found them.
typedef struct swath_swept_pairs {
  // The first element. Do not read it if `count` is zero.
  const struct swath_swept_pair *data;
  // The number of elements.
  size_t count;
} swath_swept_pairs;

// A segment or a ray: the points `start + f * delta` for `f` from 0 to `max_fraction`, which is infinite for a ray. `swath_segment_to`
// and `swath_ray` create one.
//
// A structure of zeros is valid, but it is one point. So is one with only `start` and `delta`, whose greatest fraction is 0: set
// `max_fraction`.
typedef struct swath_segment {
  // The start point.
  float start[3];
  // The vector from the start to the point at fraction 1.
  float delta[3];
  // The greatest fraction.
  float max_fraction;
} swath_segment;

// A box that a query found. For no box, the row is 4294967295 (`UINT32_MAX`) and the value is infinite.
typedef struct swath_hit {
  // The row of the box.
  uint32_t row;
  // The fraction of a segment, the first time of a sweep, or the distance.
  float value;
} swath_hit;

// Position and rotation of a body. `swath_pose_at` creates one without rotation. A structure of zeros is not valid: its quaternion is zero.
typedef struct swath_pose {
  // The position of the origin of the shape, about which it rotates.
  float position[3];
  // A unit quaternion: x, y, z, w. The sum of its squares is 1, or differs from it by at most 2 to the power of -10.
  float rotation[4];
} swath_pose;

// A pose and how it changes over the tick: at `t` the position is `position + delta * t + accel * t * t / 2`, and the rotation
// is that by `spin * t`, applied after `rotation`. `swath_motion_at` creates one at rest, and `swath_motion_pose_at` returns the pose at a time. A
// structure of zeros is not valid: its quaternion is zero.
//
// A link that rotates about a joint moves on an arc, but a motion is a straight line with a constant spin: put the origin on the axis of the
// joint, or add the deviation to the target distance.
typedef struct swath_motion {
  // The pose at the start of the tick.
  struct swath_pose pose;
  // The displacement over the tick without the acceleration.
  float delta[3];
  // The acceleration, in length per tick squared.
  float accel[3];
  // The rotation over the tick, in the axes of the world: its direction is the axis (right-handed), and its length is the angle in radians, at
  // most 1024.
  float spin[3];
} swath_motion;

// Which touches at the start of the tick are impacts.
typedef uint32_t swath_touch;

// What counts as a contact. `swath_toi_defaults` returns the default. A structure of zeros is not valid.
typedef struct swath_toi_settings {
  // The distance at which shapes count as touching: a length from 0 to 2 to the power of 120. Default: 0.
  float target_distance;
  // Limit of the distance at an impact above the target, relative to the size of the smaller shape. Default: 1 / 16384.
  float tolerance;
  // The part of the tick that is searched, from the first fraction to the second. Times of results are fractions of the whole tick. Default: 0
  // and 1.
  float window[2];
  // Whether a touch at the start is an impact. Default: `SWATH_TOUCH_IF_CLOSING`.
  swath_touch touch;
  // The greatest number of rounds of a search. Default: 2048.
  uint32_t rounds_max;
} swath_toi_settings;

// When two bodies first touch.
typedef struct swath_toi_result {
  // How they meet.
  swath_toi_state state;
  // The first time of contact, never late. 0 if they overlap, 1 if they are separated, the time that is proved to be free if it
  // is unresolved. With a `window`, 1 states that they do not touch in the window, and nothing about the time after it. Of bodies that overlap
  // at the start of the window, 0 stands for that start: `normal`, `on_a`, `on_b`, `closing` and `depth` are those of this time.
  float t;
  // The unit normal from `a` to `b`; zero without a contact.
  float normal[3];
  // The point of `a` that is nearest to `b` then, in world coordinates; the deepest one if they overlap.
  float on_a[3];
  // The point of `b` that is nearest to `a` then.
  float on_b[3];
  // Speed at which these points close along the normal, in length per tick; negative if they separate.
  float closing;
  // If they overlap: the depth beyond the target distance. Else 0. Of bodies with parts, such as two meshes, it is that of the one pair of parts
  // that is reported, the deepest one: other parts may still overlap after a translation by it.
  float depth;
  // The part of `a` that touches: the triangle of a mesh or height field, or the shape of a compound, else 0.
  uint32_t part_a;
  // The part of `b` that touches.
  uint32_t part_b;
  // The number of rounds of the search: planes that were followed, tests that proved a result, and distances that were computed.
  uint32_t rounds;
} swath_toi_result;

// The distance of two bodies, and which of their parts are the nearest.
typedef struct swath_part_distance {
  // A lower bound of the distance, as in `swath_distance_result`; below zero if the bodies overlap, and infinite if the distance is greater than the
  // greatest one.
  float distance;
  // The unit normal, from `a` to `b`; zero if the distance is infinite.
  float normal[3];
  // The point of `a` nearest to `b`, in world coordinates.
  float on_a[3];
  // The point of `b` nearest to `a`, in world coordinates.
  float on_b[3];
  // The nearest part of `a`: the triangle of a mesh or height field, or the shape of a compound, else 0.
  uint32_t part_a;
  // The nearest part of `b`.
  uint32_t part_b;
} swath_part_distance;

// Which impacts of two bodies are reported if one of them has parts.
typedef uint32_t swath_part_impacts;

// What counts as an impact, and which impacts are reported. `swath_pipeline_defaults` returns the default. A structure of zeros is not valid.
typedef struct swath_pipeline_settings {
  // The distance at which bodies count as touching: a length from 0 to 2 to the power of 120. For shapes it is the distance between them; for two
  // plain boxes it is the largest of the gaps on the three axes. Default: 0.
  float target_distance;
  // Limit of the distance of shapes at an impact above the target, relative to the size of the smaller shape. Default: 1 / 16384.
  float tolerance;
  // Whether a touch at the start of the tick is an impact. With a sensor, each touch is. Default: `SWATH_TOUCH_IF_CLOSING`.
  swath_touch touch;
  // A body is fast if its speed is at least this, in length per tick. A pair is dropped unless one of its bodies is fast, or has the flag
  // `SWATH_BODY_CCD` or `SWATH_BODY_SENSOR`. Default: 0, with which no pair is dropped.
  float fast;
  // With a limit of `k`, an impact is reported if it is among the first `k` impacts of at least one of its two bodies. Default: 0, with which all
  // are reported.
  uint32_t impacts_per_body;
  // Which impacts of a pair with a mesh, a height field or a compound are reported. Default: `SWATH_PART_IMPACTS_FIRST`.
  swath_part_impacts part_impacts;
  // The greatest number of rounds of the search for a pair of shapes, at least 1; of bodies with parts, for each pair of parts. Default: 2048.
  uint32_t rounds_max;
} swath_pipeline_settings;

// Properties of a body, as bits.
typedef uint8_t swath_body_flags;

// A row of a scene that has a shape, which is not its box. A structure of zeros is not valid.
typedef struct swath_scene_body {
  // The shape; not NULL.
  const struct swath_shape *shape;
  // How it moves in the tick.
  struct swath_motion motion;
  // The row of the body.
  uint32_t row;
} swath_scene_body;

// The bodies of a tick. The arrays are borrowed for the call only.
//
// Each row is a moving box, unless it has a shape; then its box is not read. A structure of zeros is valid: there are no bodies.
typedef struct swath_scene {
  // The number of bodies, their boxes and filters. Columns are not copied; rows are, to memory of the pipeline. `moves` and `labels` must be
  // NULL. If all rows have shapes, the vectors may be left out: then only `count` and `filters` are set.
  struct swath_boxes boxes;
  // The acceleration of each box, in length per tick squared, in columns or rows; zero if none is accelerated. Rows with a shape have that of their
  // motion.
  struct swath_vectors accel;
  // The flags of each row. NULL: all move, and none has another flag.
  const swath_body_flags *flags;
  // The rows that have shapes, in ascending order. NULL if `body_count` is zero.
  const struct swath_scene_body *bodies;
  // The number of rows that have shapes.
  size_t body_count;
} swath_scene;

// The kind of an impact.
typedef uint32_t swath_impact_kind;

// Two bodies that meet in a tick, by their rows.
typedef struct swath_impact {
  // The time of impact: a fraction of the tick, never late.
  float t;
  // The lower row.
  uint32_t a;
  // The higher row.
  uint32_t b;
  // The last time of contact, a fraction of the tick. For two plain boxes it is the end of this contact if they passed through each other; if one
  // of them is accelerated, they may touch again later. For other bodies it is the last time of contact of their bounds, after which the bodies
  // no longer touch.
  float last;
  // The kind of the impact.
  swath_impact_kind kind;
  // The unit normal at `t`, from `a` to `b`; zero if the kind is `SWATH_IMPACT_UNRESOLVED`.
  float normal[3];
  // The point of `a` nearest to `b` at `t`, or deepest inside it, in world coordinates.
  float on_a[3];
  // The point of `b` nearest to `a` at `t`, or deepest inside it, in world coordinates.
  float on_b[3];
  // The speed at which these points close along the normal, in length per tick; negative if they separate.
  float closing;
  // How far `b` has to be moved along the normal until the distance of the two is the target distance; 0 except if the kind is
  // `SWATH_IMPACT_OVERLAPPING`.
  float depth;
  // The part of `a` that touches: the triangle of a mesh or height field, or the shape of a compound, else 0.
  uint32_t part_a;
  // The part of `b` that touches.
  uint32_t part_b;
} swath_impact;

// Impacts, in memory of the pipeline.
typedef struct swath_impacts {
  // The first element. Do not read it if `count` is zero.
  const struct swath_impact *data;
  // The number of elements.
  size_t count;
} swath_impacts;

// What a tick of columns or rows found, in memory of the pipeline.
typedef struct swath_tick {
  // The impacts, ordered by time, then by pair.
  struct swath_impacts impacts;
  // All impacts with a sensor, ordered by time, then by pair.
  struct swath_impacts sensed;
  // The pairs that were dropped because neither body is fast, in the order in which they were found. Their bounds touch in the tick.
  struct swath_pairs slow;
  // The invalid rows, in order. They have no impacts.
  struct swath_rejected_rows rejected;
} swath_tick;

// The times of the stages of a tick in nanoseconds, and what the stages did with the pairs.
typedef struct swath_tick_stats {
  // Time to compute the bounds of the bodies.
  uint64_t bounds_ns;
  // Time to find the pairs of these bounds, or to update the broadphase.
  uint64_t pairs_ns;
  // Time to sweep the bounds, and to decide about pairs of plain boxes.
  uint64_t windows_ns;
  // Time to find the first times of contact of shapes.
  uint64_t shapes_ns;
  // Time to sort the impacts.
  uint64_t sort_ns;
  // Pairs whose bounds touch in the tick.
  uint64_t candidates;
  // Candidates that were dropped because neither body is fast, marked or a sensor.
  uint64_t slow;
  // Impacts of two plain boxes.
  uint64_t boxes;
  // Pairs that the boxes proved apart, or touching in a way that does not count.
  uint64_t apart;
  // Pairs whose shapes were tested.
  uint64_t shapes;
  // Tested pairs that are apart for the whole tick, or touch in a way that does not count.
  uint64_t separated;
  // Tested pairs whose search reached its limit.
  uint64_t unresolved;
  // Rounds of the searches for the first impact of each tested pair.
  uint64_t rounds;
  // Impacts that are reported.
  uint64_t impacts;
  // Impacts that are left out because both bodies have reached the limit.
  uint64_t limited;
  // Impacts with sensors that are reported.
  uint64_t sensed;
} swath_tick_stats;

// What a program stores about a proxy besides its box.
typedef struct swath_proxy_body {
  // The shape, which lives until the tick returns. NULL: the body is its box, and `motion` is not read.
  const struct swath_shape *shape;
  // How the shape moves in the tick.
  struct swath_motion motion;
  // `SWATH_BODY_CCD`, `SWATH_BODY_SENSOR`, their sum, or 0.
  swath_body_flags flags;
} swath_proxy_body;

// A function of the caller that describes proxies. A structure of zeros is not valid.
//
// `body` is called once for each proxy that is in a pair, in the order of ids, on the thread that called `swath_pipeline_tick_proxies`. It
// writes the description to `body`, which is that of a box without flags before. It must use neither the pipeline nor the broadphase.
typedef struct swath_proxy_bodies {
  // Is passed to `body`.
  void *user;
  // Describes a proxy; not NULL.
  void (*body)(void *user, struct swath_proxy_id id, struct swath_proxy_body *body);
} swath_proxy_bodies;

// Two proxies that meet in a tick. The fields are those of `swath_impact`, with ids instead of rows.
typedef struct swath_proxy_impact {
  // The time of impact: a fraction of the tick, never late.
  float t;
  // The proxy with the lower index.
  struct swath_proxy_id a;
  // The proxy with the higher index.
  struct swath_proxy_id b;
  // The last time of contact, as in `swath_impact`.
  float last;
  // The kind of the impact.
  swath_impact_kind kind;
  // The unit normal at `t`, from `a` to `b`; zero if the kind is `SWATH_IMPACT_UNRESOLVED`.
  float normal[3];
  // The point of `a` nearest to `b` at `t`, or deepest inside it, in world coordinates.
  float on_a[3];
  // The point of `b` nearest to `a` at `t`, or deepest inside it, in world coordinates.
  float on_b[3];
  // The speed at which these points close along the normal, in length per tick; negative if they separate.
  float closing;
  // How far `b` has to be moved along the normal until the distance of the two is the target distance; 0 except if the kind is
  // `SWATH_IMPACT_OVERLAPPING`.
  float depth;
  // The part of `a` that touches.
  uint32_t part_a;
  // The part of `b` that touches.
  uint32_t part_b;
} swath_proxy_impact;

// Impacts of proxies, in memory of the pipeline.
typedef struct swath_proxy_impacts {
  // The first element. Do not read it if `count` is zero.
  const struct swath_proxy_impact *data;
  // The number of elements.
  size_t count;
} swath_proxy_impacts;

// A proxy that a tick left out.
typedef struct swath_rejected_proxy {
  // The id of the proxy.
  struct swath_proxy_id id;
  // Why it is invalid.
  swath_reason reason;
  // The axis of the number: 0, 1 or 2; 3 if it is not of an axis.
  uint32_t axis;
} swath_rejected_proxy;

// Proxies that a tick left out, ordered by id, in memory of the pipeline.
typedef struct swath_rejected_proxies {
  // The first element. Do not read it if `count` is zero.
  const struct swath_rejected_proxy *data;
  // The number of elements.
  size_t count;
} swath_rejected_proxies;

// What a tick over a broadphase found, in memory of the pipeline.
typedef struct swath_proxy_tick {
  // The impacts, ordered by time, then by pair.
  struct swath_proxy_impacts impacts;
  // All impacts with a sensor, ordered by time, then by pair.
  struct swath_proxy_impacts sensed;
  // The proxies with an invalid motion, or whose bounds with half the target distance reach past 2 to the power of 120, although their box is
  // valid. They have no impacts.
  struct swath_rejected_proxies rejected;
} swath_proxy_tick;

// Which proxies a query of a broadphase considers. A structure of zeros is valid: all enabled proxies.
typedef struct swath_query {
  // NULL, or only proxies count that may form pairs with it.
  const struct swath_filter *filter;
  // Proxies of this owner do not count; 0: none are excluded.
  uint32_t without_owner;
  // Bit `k` excludes the proxies of kind `k`, for example `1u << SWATH_KIND_FIXED`.
  uint32_t without_kinds;
} swath_query;

// A proxy that a query found. For none, the index is `SWATH_NO_INDEX` and the value is infinite.
typedef struct swath_proxy_hit {
  // The id of the proxy.
  struct swath_proxy_id id;
  // The fraction of a segment, the first time of a sweep, or the distance.
  float value;
} swath_proxy_hit;

// A shape at a pose. A structure of zeros is not valid: its quaternion is zero.
typedef struct swath_body {
  // The shape, which lives until the query returns. NULL: there is no body, and the query does not find it.
  const struct swath_shape *shape;
  // Where it is. A body whose pose is invalid is not found.
  struct swath_pose pose;
} swath_body;

// Bodies in the boxes of a tree, of fixed boxes or of a broadphase. Fields that are not named in an initialiser are zero. A structure of zeros is not
// valid: there must be one object, and the function.
//
// A query tests the boxes first, and then the bodies in those that it meets. So the box of a body must contain it; what is outside is not
// found. In a broadphase the boxes are those at the start of the tick, and its queries must be prepared.
typedef struct swath_bodies {
  // The tree, or NULL. One of the three objects is not NULL.
  const struct swath_bvh *bvh;
  // The fixed boxes, or NULL.
  const struct swath_fixed_boxes *fixed;
  // The broadphase, or NULL.
  const struct swath_broadphase *broadphase;
  // Which boxes count. Without a broadphase, only the filter is possible.
  struct swath_query query;
  // Is passed to `body`.
  void *user;
  // Writes the body in a box to `body`, which has no shape before; not NULL. `id` is the id of a proxy; in a tree or fixed boxes its index is
  // the row, and its generation is 0. The function may query the object, but not change it. Calls for many rows call it from
  // several threads at the same time.
  void (*body)(void *user, struct swath_proxy_id id, struct swath_body *body);
} swath_bodies;

// How a segment meets a shape.
typedef uint32_t swath_cast_state;

// Where a segment enters a shape.
typedef struct swath_shape_cast_result {
  // How the segment meets the shape.
  swath_cast_state state;
  // The fraction of the segment at which it enters, never late; zero inside, infinite for a miss.
  float fraction;
  // The point where it enters, in world coordinates; zero without a hit.
  float point[3];
  // The unit normal of the surface there, out of the shape; zero without a hit.
  float normal[3];
  // The part that it enters: the triangle of a mesh or height field, or the shape of a compound.
  uint32_t part;
} swath_shape_cast_result;

// A body that a segment enters. For none, the index of the id is `SWATH_NO_INDEX`, and the state is `SWATH_CAST_MISSED`.
typedef struct swath_body_cast {
  // The id of the proxy; in a tree or fixed boxes its index is the row, and its generation is 0.
  struct swath_proxy_id id;
  // Where the segment enters it.
  struct swath_shape_cast_result cast;
} swath_body_cast;

// A body that a moving shape touches. For none, the index of the id is `SWATH_NO_INDEX`, and the state is `SWATH_TOI_SEPARATED`.
typedef struct swath_body_sweep {
  // The id of the proxy; in a tree or fixed boxes its index is the row, and its generation is 0.
  struct swath_proxy_id id;
  // When and how they meet: the moving shape is `a`, the body is `b`.
  struct swath_toi_result toi;
} swath_body_sweep;

// The distance of two convex shapes.
typedef struct swath_distance_result {
  // A lower bound of the distance. It is too small by at most 2 to the power of -20 of the distance, plus 2 to the power of -26 of the sizes, plus
  // 2 to the power of -43 of the sum of the bounding radii. For shapes that overlap it is minus the depth.
  float distance;
  // The unit normal, from `a` to `b`.
  float normal[3];
  // The point of `a` nearest to `b`, in world coordinates.
  float on_a[3];
  // The point of `b` nearest to `a`, in world coordinates.
  float on_b[3];
} swath_distance_result;

// Two proxies; `a` has the lower index.
typedef struct swath_proxy_pair {
  // The proxy with the lower index.
  struct swath_proxy_id a;
  // The proxy with the higher index.
  struct swath_proxy_id b;
} swath_proxy_pair;

// A function of the caller that decides which pairs count. A structure of zeros is not valid.
//
// `accept` returns 0 for a pair that does not count, and any other number for one that does. It is called from several threads at the same time,
// in any order, and must not use the broadphase. While a function that it calls on another object runs, it may be called again on
// the same thread, which takes other work while it waits: hold no lock across such a call, or create that object with
// `threads` = 1.
typedef struct swath_accept {
  // Is passed to `accept`.
  void *user;
  // Decides about a pair; not NULL.
  int32_t (*accept)(void *user, struct swath_proxy_pair pair);
  // 0: the function is called for each pair in each update. 1: only for new pairs of proxies that changed; a pair that was accepted stays
  // until it ends, and one that was not is decided about again when one of its proxies changes or is renewed, or in an update
  // without `only_new`. This is much faster if few proxies change.
  uint8_t only_new;
} swath_accept;

// Two proxies that touch in the tick, and the first time at which their compared boxes do.
typedef struct swath_swept_proxy_pair {
  // The proxy with the lower index.
  struct swath_proxy_id a;
  // The proxy with the higher index.
  struct swath_proxy_id b;
  // The first time of contact, a fraction of the tick from 0 to 1; never late.
  float first;
} swath_swept_proxy_pair;

// Pairs of proxies with times, in memory of the broadphase.
typedef struct swath_swept_proxy_pairs {
  // The first element. Do not read it if `count` is zero.
  const struct swath_swept_proxy_pair *data;
  // The number of elements.
  size_t count;
} swath_swept_proxy_pairs;

// Pairs of proxies, in memory of the broadphase.
typedef struct swath_proxy_pairs {
  // The first element. Do not read it if `count` is zero.
  const struct swath_proxy_pair *data;
  // The number of elements.
  size_t count;
} swath_proxy_pairs;

// What an update found. All lists are ordered by the indices of the proxies. They are valid until the next update, restore, clear or
// destruction of the broadphase; other calls do not change them, also those whose pointer is not const.
typedef struct swath_changes {
  // The pairs that are new.
  struct swath_swept_proxy_pairs begun;
  // The pairs that have ended. Their proxies may have been removed since.
  struct swath_proxy_pairs ended;
  // The number of pairs that touch and in which a proxy moves: those that `swath_broadphase_touching` returns.
  size_t touching_count;
} swath_changes;

// Pairs that touch, as three arrays with the indices of the proxies, in memory of the broadphase.
typedef struct swath_pair_columns {
  // The lower index of each pair.
  const uint32_t *a;
  // The higher index of each pair.
  const uint32_t *b;
  // The first time of contact of each pair.
  const float *first;
  // The number of pairs.
  size_t count;
} swath_pair_columns;

// How two proxies touch in the tick, by their boxes without margins.
typedef struct swath_contact {
  // The first time of contact; infinite if they do not touch.
  float first;
  // The last time of this contact; infinite if they do not touch.
  float last;
  // The direction from the first proxy to the second, along the axis on which the boxes begin to overlap last; of several such
  // axes the lowest. Zero if their interiors overlap at the start, or they do not touch; if only their surfaces touch at the
  // start, the lowest axis on which they do.
  float normal[3];
  // 1 if they share a point at the start of the tick, else 0.
  uint32_t overlapping;
  // If they overlap at the start: the shortest translation of the second proxy that separates them. Else zero.
  float separation[3];
} swath_contact;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Creates an empty broadphase.
//
// `exec_of`: how it runs, or NULL for the default.
// `broadphase`: its address is written here.
swath_status swath_broadphase_create(const struct swath_exec *exec_of, struct swath_broadphase **broadphase);

// Destroys a broadphase; NULL is ignored. While another call uses it, it is not destroyed.
void swath_broadphase_destroy(struct swath_broadphase *broadphase);

// Writes the number of proxies.
swath_status swath_broadphase_len(const struct swath_broadphase *broadphase, size_t *len);

// Writes 1 if `id` is the id of a proxy of this broadphase, else 0.
swath_status swath_broadphase_contains(const struct swath_broadphase *broadphase,
                                       struct swath_proxy_id id,
                                       int32_t *contains);

// Inserts a box.
//
// `moving`: the box at the start of the tick, and its displacement, which is ignored if the kind does not move.
// `proxy`: its description.
// `id`: its id is written here.
swath_status swath_broadphase_insert(struct swath_broadphase *broadphase,
                                     const struct swath_moving_box *moving,
                                     const struct swath_proxy *proxy,
                                     struct swath_proxy_id *id);

// Inserts a proxy for each row of `boxes`.
//
// `proxies`: one description for each row; or one for all, if `proxies_count` is 1. Any other count is an error, and no description
// is read.
// `ids`: memory for an id for each row, in the same order. Invalid boxes are not inserted and get an id that no proxy has;
// `swath_broadphase_rejected` lists them.
swath_status swath_broadphase_insert_many(struct swath_broadphase *broadphase,
                                          const struct swath_boxes *boxes,
                                          const struct swath_proxy *proxies,
                                          size_t proxies_count,
                                          struct swath_proxy_id *ids);

// Sets the box of a proxy at the start of the tick, and its displacement over the tick.
//
// Both remain until they are set again: a body that has stopped must get the displacement zero. The displacement of a fixed or sleeping
// proxy is ignored, so set the kind first, then the box.
swath_status swath_broadphase_set(struct swath_broadphase *broadphase,
                                  struct swath_proxy_id id,
                                  const struct swath_moving_box *moving);

// Sets the box and the displacement of the proxy `ids[k]` to row `k` of `boxes`. If an id occurs several times, its last valid row counts.
//
// `ids`: as many ids as there are boxes. If one of them is stale, nothing is changed.
//
// The displacement of a fixed or sleeping proxy is ignored, so set the kind first, then the box.
//
// Invalid boxes change nothing; `swath_broadphase_rejected` lists them.
swath_status swath_broadphase_set_many(struct swath_broadphase *broadphase,
                                       const struct swath_proxy_id *ids,
                                       const struct swath_boxes *boxes);

// Sets the displacement of a proxy over the tick, and keeps its box.
//
// It remains until it is set again, also if the box is. That of a fixed or sleeping proxy is checked and then ignored.
//
// `delta`: three floats.
swath_status swath_broadphase_set_delta(struct swath_broadphase *broadphase,
                                        struct swath_proxy_id id,
                                        const float *delta);

// Sets the displacements of `count` proxies, as `swath_broadphase_set_delta` does. If an id occurs several times, its last valid displacement
// counts. If one of them is stale, nothing is changed.
//
// `deltas`: three floats for each id.
//
// Invalid displacements change nothing; `swath_broadphase_rejected` lists them.
swath_status swath_broadphase_set_delta_many(struct swath_broadphase *broadphase,
                                             const struct swath_proxy_id *ids,
                                             const float *deltas,
                                             size_t count);

// Returns the invalid rows of the last call of `swath_broadphase_insert_many`, `swath_broadphase_set_many` or
// `swath_broadphase_set_delta_many` that succeeded.
swath_status swath_broadphase_rejected(const struct swath_broadphase *broadphase, struct swath_rejected_rows *rows);

// Removes a proxy. Its pairs end with the next update; its id is stale from now on.
swath_status swath_broadphase_remove(struct swath_broadphase *broadphase, struct swath_proxy_id id);

// Removes proxies. An id may occur several times. If one of them is stale, none is removed.
swath_status swath_broadphase_remove_many(struct swath_broadphase *broadphase,
                                          const struct swath_proxy_id *ids,
                                          size_t count);

// Removes all proxies and keeps the memory. Their ids are stale from now on, and their pairs end in the next update.
swath_status swath_broadphase_clear(struct swath_broadphase *broadphase);

// Writes the description of a proxy.
swath_status swath_broadphase_proxy(const struct swath_broadphase *broadphase,
                                    struct swath_proxy_id id,
                                    struct swath_proxy *proxy);

// Writes the box of a proxy at the start of the tick, and its displacement.
swath_status swath_broadphase_moving_box(const struct swath_broadphase *broadphase,
                                         struct swath_proxy_id id,
                                         struct swath_moving_box *moving);

// Writes the box of a proxy that is compared with others: with a margin one that contains the path and does not move.
swath_status swath_broadphase_compared_box(const struct swath_broadphase *broadphase,
                                           struct swath_proxy_id id,
                                           struct swath_moving_box *moving);

// Reserves memory for `proxies` proxies, of which `movers` move, and for ticks with `pairs` pairs. Each number is at most 2 to the power of 28.
swath_status swath_broadphase_reserve(struct swath_broadphase *broadphase,
                                      size_t proxies,
                                      size_t movers,
                                      size_t pairs);

// Moves the origin: all boxes are translated by minus `offset`, and rounded outwards. Ids and pairs stay valid. If a coordinate would
// then be greater than 2 to the power of 120, the result is `SWATH_ERROR_INVALID`, and nothing is changed.
//
// `offset`: three floats.
swath_status swath_broadphase_shift_origin(struct swath_broadphase *broadphase,
                                           const float *offset);

// Writes how many bytes of memory the broadphase has allocated.
swath_status swath_broadphase_memory(const struct swath_broadphase *broadphase, size_t *bytes);

// Returns the default settings.
struct swath_element_settings swath_element_defaults(void);

// Computes when the vertex `a` and the face `b` of each pair first touch: `results[k]` is that of `pairs[k]`. Each vertex moves on a
// straight line during the tick. A vertex of its own face always touches it, so leave such pairs out.
//
// `start`, `end`: three doubles for each of `vertex_count` vertices, at the start and at the end of the tick. An invalid position is
// an error.
// `faces`: three vertices for each of `face_count` faces.
// `settings_of`: what counts as a contact, or NULL for the default.
// `exec_of`: the threads, or NULL. If `threads` is more than one, each call starts new threads.
swath_status swath_vertex_face_pairs(const double *start,
                                     const double *end,
                                     size_t vertex_count,
                                     const uint32_t *faces,
                                     size_t face_count,
                                     const struct swath_pair *pairs,
                                     size_t pair_count,
                                     const struct swath_element_settings *settings_of,
                                     const struct swath_exec *exec_of,
                                     struct swath_element_result *results);

// Computes when the edges `a` and `b` of each pair first touch: `results[k]` is that of `pairs[k]`. Edges with a common vertex always
// touch, so leave such pairs out.
//
// `edges`: two vertices for each of `edge_count` edges. The other arguments are those of `swath_vertex_face_pairs`.
swath_status swath_edge_edge_pairs(const double *start,
                                   const double *end,
                                   size_t vertex_count,
                                   const uint32_t *edges,
                                   size_t edge_count,
                                   const struct swath_pair *pairs,
                                   size_t pair_count,
                                   const struct swath_element_settings *settings_of,
                                   const struct swath_exec *exec_of,
                                   struct swath_element_result *results);

// Returns the version of the library, such as "0.1.0": of what is loaded, which may be newer than the header.
const char *swath_version(void);

// Returns the message of the last error of this thread: a string that ends with a zero byte, empty before the first
// error. It is valid until the next call on this thread that returns an error.
const char *swath_last_error(void);

// Returns the name of the widest instruction set of this CPU that the library uses: "portable4", "avx2" or "avx512".
const char *swath_level_name(void);

// Creates an empty set of fixed boxes.
//
// `exec_of`: how it runs, or NULL for the default.
// `fixed`: its address is written here.
swath_status swath_fixed_boxes_create(const struct swath_exec *exec_of, struct swath_fixed_boxes **fixed);

// Destroys a set of fixed boxes; NULL is ignored. While another call uses it, it is not destroyed.
void swath_fixed_boxes_destroy(struct swath_fixed_boxes *fixed);

// Puts box `k` of `boxes`, which may have filters, into row `rows[k]`, in place of the box in that row.
//
// `rows`: as many rows as there are boxes, below 2 to the power of 27. If a row occurs several times, its last valid box counts. Memory is
// proportional to the highest row.
//
// Invalid boxes change nothing; `swath_fixed_boxes_rejected` lists them by their position in `boxes`.
swath_status swath_fixed_boxes_put(struct swath_fixed_boxes *fixed,
                                   const uint32_t *rows,
                                   const struct swath_boxes *boxes);

// Removes the boxes in these rows. A row may occur several times; a row without a box is an error, and then none is removed.
swath_status swath_fixed_boxes_remove(struct swath_fixed_boxes *fixed,
                                      const uint32_t *rows,
                                      size_t count);

// Writes the number of boxes.
swath_status swath_fixed_boxes_len(const struct swath_fixed_boxes *fixed, size_t *len);

// Finds the pairs of a mover and a fixed box in which the bounds of the path share a point with the fixed box. `a` is the row of the
// mover, or its label if there are `labels`; `b` is the row of the fixed box.
//
// `order` and `pairs` are as for `swath_pair_finder_union_pairs`.
swath_status swath_fixed_boxes_union_pairs(struct swath_fixed_boxes *fixed,
                                           const struct swath_boxes *movers,
                                           swath_order order,
                                           struct swath_pairs *pairs);

// Finds the pairs of a mover and a fixed box that touch in the tick, with the first time of each. `a` is the row of the mover, or its
// label if there are `labels`; `b` is the row of the fixed box.
//
// `order` and `pairs` are as for `swath_pair_finder_swept_pairs`.
swath_status swath_fixed_boxes_swept_pairs(struct swath_fixed_boxes *fixed,
                                           const struct swath_boxes *movers,
                                           swath_order order,
                                           struct swath_swept_pairs *pairs);

// Returns the invalid rows of the last call that succeeded: of the boxes that were put, or of the movers.
swath_status swath_fixed_boxes_rejected(const struct swath_fixed_boxes *fixed, struct swath_rejected_rows *rows);

// Finds the first fixed box that a segment enters. `filter` and `hit` are as for `swath_bvh_cast`.
swath_status swath_fixed_boxes_cast(const struct swath_fixed_boxes *fixed,
                                    const struct swath_segment *segment,
                                    const struct swath_filter *filter,
                                    struct swath_hit *hit);

// Finds the first fixed box that each of many segments enters, on all threads of the object: `hits[k]` is that of `segments[k]`. An
// invalid segment is an error.
swath_status swath_fixed_boxes_casts(const struct swath_fixed_boxes *fixed,
                                     const struct swath_segment *segments,
                                     size_t count,
                                     const struct swath_filter *filter,
                                     struct swath_hit *hits);

// Finds the first fixed box that a moving box touches on its path. `filter` and `hit` are as for `swath_bvh_cast`.
swath_status swath_fixed_boxes_sweep(const struct swath_fixed_boxes *fixed,
                                     const struct swath_moving_box *moving,
                                     const struct swath_filter *filter,
                                     struct swath_hit *hit);

// Finds the fixed boxes that share a point with a box, ordered by row. `rows`, `capacity` and `count` are as for
// `swath_bvh_overlap`.
swath_status swath_fixed_boxes_overlap(const struct swath_fixed_boxes *fixed,
                                       const struct swath_aabb *aabb,
                                       const struct swath_filter *filter,
                                       uint32_t *rows,
                                       size_t capacity,
                                       size_t *count);

// Finds the fixed boxes nearest to a box, ordered by distance, then by row. `max_distance`, `hits`, `capacity` and `count` are as for
// `swath_bvh_nearest`.
swath_status swath_fixed_boxes_nearest(const struct swath_fixed_boxes *fixed,
                                       const struct swath_aabb *aabb,
                                       float max_distance,
                                       const struct swath_filter *filter,
                                       struct swath_hit *hits,
                                       size_t capacity,
                                       size_t *count);

// Computes the first and last time at which a moving box touches each of many: element `k` of the results is about row `k`.
//
// `level_name`: the instruction set, as in `swath_exec`, or NULL.
// `many`: the boxes. Columns with displacements are borrowed; other layouts are copied to columns.
// `first`, `last`: the times, fractions of the tick; infinite for rows that do not touch, and for invalid rows. `last` may be NULL if
// it is not needed.
// `contact`: NULL if it is not needed, or for each row a word: bits 0 to 2 are the axes of contact; bits 3 to 5 those on which the
// normal from `one` to the row is negative; bits 6 and 7 are 0 if they are separated, 1 if they touch later in the tick, 2 if they
// overlap at the start; bit 8 is set if they close, and for all whose interiors overlap at the start.
swath_status swath_sweep_one_to_many(const char *level_name,
                                     const struct swath_moving_box *one,
                                     const struct swath_boxes *many,
                                     float *first,
                                     float *last,
                                     uint32_t *contact);

// Computes the first and last time at which the two boxes of each pair touch: element `k` of the results is about `pairs[k]`. The
// other arguments are those of `swath_sweep_one_to_many`; the normal is from box `a` to box `b`.
swath_status swath_sweep_pairs(const char *level_name,
                               const struct swath_boxes *boxes,
                               const struct swath_pair *pairs,
                               size_t pair_count,
                               float *first,
                               float *last,
                               uint32_t *contact);

// Computes where a segment enters and leaves each of many boxes, at the start of the tick: element `k` of the results is about
// row `k`.
//
// `level_name`: the instruction set, as in `swath_exec`, or NULL.
// `many`: the boxes. Columns with displacements are borrowed; other layouts are copied to columns.
// `entry`, `exit`: the fractions of the segment; infinite for rows that it misses, and for invalid rows. The exit of a ray that never
// leaves is infinite. `exit` may be NULL if it is not needed.
swath_status swath_cast_one_to_many(const char *level_name,
                                    const struct swath_segment *segment,
                                    const struct swath_boxes *many,
                                    float *entry,
                                    float *exit);

// Creates a pair finder.
//
// `exec_of`: how it runs, or NULL for the default.
// `finder`: its address is written here.
swath_status swath_pair_finder_create(const struct swath_exec *exec_of, struct swath_pair_finder **finder);

// Destroys a pair finder; NULL is ignored. While another call uses it, it is not destroyed.
void swath_pair_finder_destroy(struct swath_pair_finder *finder);

// Finds the pairs of boxes of which the bounds of the paths share a point.
//
// `a`: the boxes.
// `b`: NULL, or a second set: then the pairs are of a box of `a` with a box of `b`.
// `order`: `SWATH_SORTED` or `SWATH_AS_FOUND`, which is faster.
// `pairs`: the pairs, valid until the next call that changes the finder.
//
// Invalid boxes have no pairs; `swath_pair_finder_rejected` lists them.
swath_status swath_pair_finder_union_pairs(struct swath_pair_finder *finder,
                                           const struct swath_boxes *a,
                                           const struct swath_boxes *b,
                                           swath_order order,
                                           struct swath_pairs *pairs);

// Finds the pairs of boxes that touch in the tick, with the first time of each.
//
// `a`: the boxes.
// `b`: NULL, or a second set: then the pairs are of a box of `a` with a box of `b`.
// `order`: `SWATH_SORTED` or `SWATH_AS_FOUND`, which is faster.
// `pairs`: the pairs, valid until the next call that changes the finder.
//
// Invalid boxes have no pairs; `swath_pair_finder_rejected` lists them.
swath_status swath_pair_finder_swept_pairs(struct swath_pair_finder *finder,
                                           const struct swath_boxes *a,
                                           const struct swath_boxes *b,
                                           swath_order order,
                                           struct swath_swept_pairs *pairs);

// Returns the invalid rows of the last search that succeeded.
//
// `of_a`: the rows of the first set. `of_b`: those of the second set, or NULL if they are not needed. Both are valid until the next
// call that changes the finder.
swath_status swath_pair_finder_rejected(const struct swath_pair_finder *finder,
                                        struct swath_rejected_rows *of_a,
                                        struct swath_rejected_rows *of_b);

// Writes how many bytes of memory the finder has allocated.
swath_status swath_pair_finder_memory(const struct swath_pair_finder *finder, size_t *bytes);

// Computes when each part of `a` first touches each part of `b`: `results` are the pairs of parts that touch, overlap at the start or are unresolved,
// ordered by time, then by parts. An overlap counts as time 0. The parts of a mesh are its triangles; a convex shape is one part.
//
// Each contact on an edge between two triangles has the normal of its own triangle's face, also where the bodies do not close along it and `swath_toi`
// reports no impact.
//
// `settings_of`: what counts as a contact, or NULL for the default.
// `results`: memory for `capacity` results. `count`: how many there are. If there are more than `capacity`, the result is
// `SWATH_ERROR_TOO_SHORT`, and `count` is written but `results` is not.
swath_status swath_toi_each_part(const struct swath_shape *a,
                                 const struct swath_motion *motion_a,
                                 const struct swath_shape *b,
                                 const struct swath_motion *motion_b,
                                 const struct swath_toi_settings *settings_of,
                                 struct swath_toi_result *results,
                                 size_t capacity,
                                 size_t *count);

// Computes the distance of two bodies of any kind, each at a pose, as `swath_distance` does, with the nearest parts. It searches only as far as `max_distance`,
// which takes less time for bodies that are farther apart.
//
// `max_distance`: the greatest distance, at least 0; it may be infinite.
swath_status swath_distance_within(const struct swath_shape *a,
                                   const struct swath_pose *pose_a,
                                   const struct swath_shape *b,
                                   const struct swath_pose *pose_b,
                                   float max_distance,
                                   struct swath_part_distance *result);

// Computes the distance of the two bodies of each pair, as `swath_distance_within` does: `results[k]` is that of `pairs[k]`. The other arguments are those
// of `swath_toi_pairs`, with a pose for each body.
swath_status swath_distance_within_pairs(const struct swath_shape *const *bodies,
                                         const struct swath_pose *poses,
                                         size_t count,
                                         const struct swath_pair *pairs,
                                         size_t pair_count,
                                         float max_distance,
                                         const struct swath_exec *exec_of,
                                         struct swath_part_distance *results);

// Returns the default settings.
struct swath_pipeline_settings swath_pipeline_defaults(void);

// Creates a pipeline.
//
// `settings`: what counts as an impact, or NULL for the default.
// `exec_of`: how it runs, or NULL for the default.
// `pipeline`: its address is written here.
swath_status swath_pipeline_create(const struct swath_pipeline_settings *settings,
                                   const struct swath_exec *exec_of,
                                   struct swath_pipeline **pipeline);

// Destroys a pipeline; NULL is ignored. While another call uses it, it is not destroyed.
void swath_pipeline_destroy(struct swath_pipeline *pipeline);

// Sets the settings of later ticks: `settings`, or the default if it is NULL. If they are invalid, nothing is changed.
swath_status swath_pipeline_configure(struct swath_pipeline *pipeline, const struct swath_pipeline_settings *settings);

// Finds the impacts of a tick.
//
// With the default settings, bodies that touch at the start of the tick are an impact only if they close there. Bodies that overlap are an impact in each
// tick, also if they separate.
//
// `tick`: what was found, valid until the next call that changes the pipeline. Invalid rows are listed and change nothing else.
//
// After a few ticks of similar size a tick allocates nothing.
swath_status swath_pipeline_tick(struct swath_pipeline *pipeline,
                                 const struct swath_scene *scene,
                                 struct swath_tick *tick);

// Writes the times of the stages of the last tick that succeeded, and what they did with the pairs; zeros before the first tick.
swath_status swath_pipeline_stats(const struct swath_pipeline *pipeline,
                                  struct swath_tick_stats *stats);

// Writes how many bytes of memory the pipeline has allocated, besides copies of boxes that are rows.
swath_status swath_pipeline_memory(const struct swath_pipeline *pipeline, size_t *bytes);

// Finds the impacts of the proxies of a broadphase: updates it, which finds the pairs, and tests those that touch.
//
// `bodies`: the function that describes the proxies, or NULL: all are their boxes.
// `tick`: what was found, valid until the next call that changes the pipeline. The broadphase may be changed meanwhile.
//
// This is the update of the broadphase of a tick: the pairs that began and ended are those of `swath_broadphase_changes`. The box and the displacement of a
// proxy with a shape must contain it during the whole tick, as those of `swath_shape_bounds_over` do. With a target distance each box must
// be larger by half of it, which is the `margin` of that function. Which proxies move, and their filters, are those of the broadphase.
//
// If a description is wrong, the call is an error, and the broadphase has been updated already: its changes are those of this tick, and a second call
// does not report them again. So it is if there are more pairs than the broadphase allows, but then the lists of the update are empty.
swath_status swath_pipeline_tick_proxies(struct swath_pipeline *pipeline,
                                         struct swath_broadphase *broadphase,
                                         const struct swath_proxy_bodies *bodies,
                                         struct swath_proxy_tick *tick);

// Sets the kind of a proxy. One that becomes fixed or sleeping stays where it was at the start of the tick, and loses its displacement;
// a fixed or sleeping one that becomes dynamic or kinematic has none until it is set, and one that was
// dynamic or kinematic before keeps its own.
swath_status swath_broadphase_set_kind(struct swath_broadphase *broadphase,
                                       struct swath_proxy_id id,
                                       swath_kind kind_of_proxy);

// Sets the categories of a proxy, and those with which it may form pairs.
swath_status swath_broadphase_set_filter(struct swath_broadphase *broadphase,
                                         struct swath_proxy_id id,
                                         struct swath_filter filter);

// Sets the owner of a proxy; 0: no owner.
swath_status swath_broadphase_set_owner(struct swath_broadphase *broadphase, struct swath_proxy_id id, uint32_t owner);

// Sets the margin of a proxy: a length from 0 to 2 to the power of 120, by which the box that is compared is larger than the bounds of the path, on
// each side. Any other value, also NaN, is an error, and so is one with which that box would reach past 2 to the power of 120; then nothing is
// changed.
swath_status swath_broadphase_set_margin(struct swath_broadphase *broadphase,
                                         struct swath_proxy_id id,
                                         float margin);

// Sets the data of a proxy. This changes no pair.
swath_status swath_broadphase_set_data(struct swath_broadphase *broadphase, struct swath_proxy_id id, uint64_t data);

// Sets the kind of many proxies to the same one, as `swath_broadphase_set_kind` does. An id may occur several times. If one of them is
// stale, nothing is changed.
swath_status swath_broadphase_set_kind_many(struct swath_broadphase *broadphase,
                                            const struct swath_proxy_id *ids,
                                            size_t count,
                                            swath_kind kind_of_proxies);

// Enables a proxy (1) or disables it (0): then it has no pairs and is not found by queries.
swath_status swath_broadphase_set_enabled(struct swath_broadphase *broadphase,
                                          struct swath_proxy_id id,
                                          int32_t enabled);

// Enables (1) or disables (0) many proxies, as `swath_broadphase_set_enabled` does. An id may occur several times. If one of them is stale,
// nothing is changed.
swath_status swath_broadphase_set_enabled_many(struct swath_broadphase *broadphase,
                                               const struct swath_proxy_id *ids,
                                               size_t count,
                                               int32_t enabled);

// Sets whether proxies of two kinds form pairs: `pairs` is 1 if they do, else 0. The next update finds all pairs of moving proxies anew, and ends
// those whose kinds no longer pair. A resting pair stays as long as both proxies rest and touch.
swath_status swath_broadphase_set_kind_pairs(struct swath_broadphase *broadphase,
                                             swath_kind a,
                                             swath_kind b,
                                             int32_t pairs);

// Makes the next update report the pairs of a proxy that touch then as begun once more, without an end.
//
// Drop the pairs that you have of this proxy: one that no longer touches at the next update, or whose proxy is removed, disabled or
// filtered out before it, has neither a begin nor an end. A pair of two resting proxies begins when one of them moves.
swath_status swath_broadphase_renew(struct swath_broadphase *broadphase,
                                    struct swath_proxy_id id);

// Applies what was changed to the trees of a broadphase, so that it can be queried until the next call that changes a proxy, restores a
// snapshot, shifts the origin or clears the broadphase.
//
// All queries need it; without it they return `SWATH_ERROR_NOT_PREPARED`. They take a pointer to const, so several threads may query
// the broadphase at the same time. If nothing has changed, the call does nothing. If a proxy that moves has changed, the tree of these
// proxies is built anew, which takes about 40 ns for each on one thread: set all boxes of a tick first. An update does not change proxies.
swath_status swath_broadphase_prepare_queries(struct swath_broadphase *broadphase);

// Finds the first proxy that a segment enters, by the boxes at the start of the tick. Of proxies at the same fraction, the one
// with the lowest id.
//
// `query`: NULL, or which proxies count.
swath_status swath_broadphase_cast(const struct swath_broadphase *broadphase,
                                   const struct swath_segment *segment,
                                   const struct swath_query *query,
                                   struct swath_proxy_hit *hit);

// Finds any proxy that a segment enters, which is faster than the first one: for example whether anything is in a line of sight. Which
// one it is depends on what was called before.
swath_status swath_broadphase_cast_any(const struct swath_broadphase *broadphase,
                                       const struct swath_segment *segment,
                                       const struct swath_query *query,
                                       struct swath_proxy_hit *hit);

// Finds all proxies that a segment enters, ordered by fraction, then by id. `hits`, `capacity` and `count` are as for
// `swath_bvh_cast_all`.
swath_status swath_broadphase_cast_all(const struct swath_broadphase *broadphase,
                                       const struct swath_segment *segment,
                                       const struct swath_query *query,
                                       struct swath_proxy_hit *hits,
                                       size_t capacity,
                                       size_t *count);

// Finds the first proxy that each of many segments enters, on all threads of the broadphase. An invalid segment is an error.
swath_status swath_broadphase_casts(const struct swath_broadphase *broadphase,
                                    const struct swath_segment *segments,
                                    size_t count,
                                    const struct swath_query *query,
                                    struct swath_proxy_hit *hits);

// Finds the first proxy that a moving box touches on its path, while all proxies stay where they are.
swath_status swath_broadphase_sweep(const struct swath_broadphase *broadphase,
                                    const struct swath_moving_box *moving,
                                    const struct swath_query *query,
                                    struct swath_proxy_hit *hit);

// Finds the proxies whose boxes share a point with a box, ordered by id. `ids`, `capacity` and `count` are as for
// `swath_bvh_overlap`.
swath_status swath_broadphase_overlap(const struct swath_broadphase *broadphase,
                                      const struct swath_aabb *aabb,
                                      const struct swath_query *query,
                                      struct swath_proxy_id *ids,
                                      size_t capacity,
                                      size_t *count);

// Finds the proxies whose boxes share a point with a ball, ordered by id. `ids`, `capacity` and `count` are as for
// `swath_bvh_overlap`.
//
// `center`: three floats.
swath_status swath_broadphase_overlap_sphere(const struct swath_broadphase *broadphase,
                                             const float *center,
                                             float radius,
                                             const struct swath_query *query,
                                             struct swath_proxy_id *ids,
                                             size_t capacity,
                                             size_t *count);

// Finds the proxies nearest to a box, ordered by distance, then by id. `max_distance`, `hits`, `capacity` and `count` are as for
// `swath_bvh_nearest`.
swath_status swath_broadphase_nearest(const struct swath_broadphase *broadphase,
                                      const struct swath_aabb *aabb,
                                      float max_distance,
                                      const struct swath_query *query,
                                      struct swath_proxy_hit *hits,
                                      size_t capacity,
                                      size_t *count);

// Creates an empty tree.
//
// `exec_of`: how it runs, or NULL for the default.
// `bvh`: its address is written here.
swath_status swath_bvh_create(const struct swath_exec *exec_of, struct swath_bvh **bvh);

// Destroys a tree; NULL is ignored. While another call uses it, it is not destroyed.
void swath_bvh_destroy(struct swath_bvh *bvh);

// Replaces the contents of a tree by boxes at rest, which may have filters.
//
// Invalid boxes are left out; `swath_bvh_rejected` lists them.
swath_status swath_bvh_build(struct swath_bvh *bvh, const struct swath_boxes *boxes);

// Returns the invalid rows of the last build that succeeded.
swath_status swath_bvh_rejected(const struct swath_bvh *bvh, struct swath_rejected_rows *rows);

// Writes the number of boxes.
swath_status swath_bvh_len(const struct swath_bvh *bvh, size_t *len);

// Writes how many bytes of memory the tree has allocated.
swath_status swath_bvh_memory(const struct swath_bvh *bvh, size_t *bytes);

// Finds the first box that a segment enters.
//
// `filter`: NULL, or only boxes count that may form pairs with it.
// `hit`: the box and the fraction at which it is entered; of boxes at the same fraction the lowest row. Without a hit, the row is
// 4294967295.
swath_status swath_bvh_cast(const struct swath_bvh *bvh,
                            const struct swath_segment *segment,
                            const struct swath_filter *filter,
                            struct swath_hit *hit);

// Finds the first box that each of many segments enters, on all threads of the tree: `hits[k]` is that of `segments[k]`, as
// `swath_bvh_cast` returns it. An invalid segment is an error.
swath_status swath_bvh_casts(const struct swath_bvh *bvh,
                             const struct swath_segment *segments,
                             size_t count,
                             const struct swath_filter *filter,
                             struct swath_hit *hits);

// Finds all boxes that a segment enters, ordered by fraction, then by row.
//
// `hits`: memory for `capacity` hits. `count`: how many there are. If there are more than `capacity`, the result is
// `SWATH_ERROR_TOO_SHORT`, and `count` is written but `hits` is not.
swath_status swath_bvh_cast_all(const struct swath_bvh *bvh,
                                const struct swath_segment *segment,
                                const struct swath_filter *filter,
                                struct swath_hit *hits,
                                size_t capacity,
                                size_t *count);

// Finds the first box that a moving box touches on its path. `filter` and `hit` are as for `swath_bvh_cast`.
swath_status swath_bvh_sweep(const struct swath_bvh *bvh,
                             const struct swath_moving_box *moving,
                             const struct swath_filter *filter,
                             struct swath_hit *hit);

// Finds the boxes that share a point with a box, in order.
//
// `rows`: memory for `capacity` rows. `count`: how many there are. If there are more than `capacity`, the result is
// `SWATH_ERROR_TOO_SHORT`, and `count` is written but `rows` is not.
swath_status swath_bvh_overlap(const struct swath_bvh *bvh,
                               const struct swath_aabb *aabb,
                               const struct swath_filter *filter,
                               uint32_t *rows,
                               size_t capacity,
                               size_t *count);

// Finds the boxes that share a point with a ball, in order. `rows`, `capacity` and `count` are as for `swath_bvh_overlap`.
//
// `center`: three floats.
swath_status swath_bvh_overlap_sphere(const struct swath_bvh *bvh,
                                      const float *center,
                                      float radius,
                                      const struct swath_filter *filter,
                                      uint32_t *rows,
                                      size_t capacity,
                                      size_t *count);

// Finds the boxes nearest to a box, ordered by distance, then by row.
//
// `max_distance`: only boxes that are not farther count; it may be infinite.
// `hits`: memory for `capacity` hits, of which the value is the distance. `count`: how many were written.
swath_status swath_bvh_nearest(const struct swath_bvh *bvh,
                               const struct swath_aabb *aabb,
                               float max_distance,
                               const struct swath_filter *filter,
                               struct swath_hit *hits,
                               size_t capacity,
                               size_t *count);

// Finds the box nearest to each of many boxes at rest, on all threads of the tree: `hits[k]` is that of row `k`, or has the row
// 4294967295. For points, pass the same vectors as minimum and maximum. An invalid box is an error. Only columns are possible.
swath_status swath_bvh_nearest_each(const struct swath_bvh *bvh,
                                    const struct swath_boxes *boxes,
                                    float max_distance,
                                    const struct swath_filter *filter,
                                    struct swath_hit *hits);

// Finds the first body that a segment enters. Of bodies that are entered at the same fraction, the one with the lowest row or id. A
// search that reaches its limit is a hit at the fraction until which the segment is free.
swath_status swath_bodies_cast(const struct swath_bodies *bodies,
                               const struct swath_segment *segment,
                               struct swath_body_cast *hit);

// Finds any body that a segment enters, which is faster than the first one: for example whether anything is in a line of sight.
swath_status swath_bodies_cast_any(const struct swath_bodies *bodies,
                                   const struct swath_segment *segment,
                                   struct swath_body_cast *hit);

// Finds all bodies that a segment enters, each once, ordered by where it enters them, or their box if that is later, then by row or
// id. `hits`, `capacity` and `count` are as for `swath_bvh_cast_all`.
swath_status swath_bodies_cast_all(const struct swath_bodies *bodies,
                                   const struct swath_segment *segment,
                                   struct swath_body_cast *hits,
                                   size_t capacity,
                                   size_t *count);

// Finds the first body that each of many segments enters, on all threads of the object: `hits[k]` is that of `segments[k]`, as
// `swath_bodies_cast` returns it. An invalid segment is an error.
swath_status swath_bodies_casts(const struct swath_bodies *bodies,
                                const struct swath_segment *segments,
                                size_t count,
                                struct swath_body_cast *hits);

// Finds the first body that a shape touches on its path, while all bodies stay where they are: the result is that of `swath_toi`. Of bodies that are
// touched at the same time, the one with the lowest row or id. A body that overlaps the shape at the start is a hit, and so is a search that
// reaches its limit, at the time until which the two are apart.
//
// `shape`: a shape of any kind. `motion`: how it moves; it may accelerate and rotate.
// `settings_of`: what counts as a contact, or NULL for the default, with which a touch at the start is a hit only if the two close.
swath_status swath_bodies_sweep(const struct swath_bodies *bodies,
                                const struct swath_shape *shape,
                                const struct swath_motion *motion,
                                const struct swath_toi_settings *settings_of,
                                struct swath_body_sweep *hit);

// Finds any body that a shape touches on its path, which is faster than the first one: for example whether a path is free. The arguments are
// those of `swath_bodies_sweep`.
swath_status swath_bodies_sweep_any(const struct swath_bodies *bodies,
                                    const struct swath_shape *shape,
                                    const struct swath_motion *motion,
                                    const struct swath_toi_settings *settings_of,
                                    struct swath_body_sweep *hit);

// Finds all bodies that a shape touches on its path, each once as if the others were not there, ordered by time, or that of their box if it
// is later, then by row or id. The arguments are those of `swath_bodies_sweep` and `swath_bodies_cast_all`.
swath_status swath_bodies_sweep_all(const struct swath_bodies *bodies,
                                    const struct swath_shape *shape,
                                    const struct swath_motion *motion,
                                    const struct swath_toi_settings *settings_of,
                                    struct swath_body_sweep *hits,
                                    size_t capacity,
                                    size_t *count);

// Finds the first body that each of many shapes touches on its path, on all threads of the object: `hits[k]` is that of `shapes_of[k]` with
// `motions[k]`, as `swath_bodies_sweep` returns it. A motion that is invalid, or too long for a box, is an error.
//
// `shapes_of`, `motions`: `count` shapes, and as many motions. They move by themselves: none touches another.
swath_status swath_bodies_sweeps(const struct swath_bodies *bodies,
                                 const struct swath_shape *const *shapes_of,
                                 const struct swath_motion *motions,
                                 size_t count,
                                 const struct swath_toi_settings *settings_of,
                                 struct swath_body_sweep *hits);

// Finds the bodies that overlap or touch a shape, all at rest, ordered by row or id: what a sensor contains. Overlaps are those of
// `swath_overlaps`. In a broadphase the bodies are those at the start of the tick. `ids`, `capacity` and `count` are as for `swath_bvh_overlap`.
//
// Meshes and height fields are surfaces: a place inside of a closed mesh or below a terrain overlaps none if it touches no triangle.
swath_status swath_bodies_overlap(const struct swath_bodies *bodies,
                                  const struct swath_shape *shape,
                                  const struct swath_pose *pose,
                                  struct swath_proxy_id *ids,
                                  size_t capacity,
                                  size_t *count);

// Finds any body that overlaps or touches a shape, all at rest: whether a place is free. Without one, the index of the id is `SWATH_NO_INDEX`.
swath_status swath_bodies_overlap_any(const struct swath_bodies *bodies,
                                      const struct swath_shape *shape,
                                      const struct swath_pose *pose,
                                      struct swath_proxy_id *id);

// Finds any body that overlaps or touches each of many shapes at rest, on all threads of the object: `ids[k]` is that of `shapes_of[k]` at
// `poses[k]`. A pose that is invalid, or too far away for a box, is an error.
//
// `shapes_of`, `poses`: `count` shapes, and as many poses.
swath_status swath_bodies_overlaps_any(const struct swath_bodies *bodies,
                                       const struct swath_shape *const *shapes_of,
                                       const struct swath_pose *poses,
                                       size_t count,
                                       struct swath_proxy_id *ids);

// Writes the pose of a motion at `t`, a fraction of the tick, which is clamped to 0 to 1. An invalid motion is an error.
swath_status swath_motion_pose_at(const struct swath_motion *motion,
                                  float t,
                                  struct swath_pose *pose);

// Destroys a shape; NULL is ignored. Compounds keep copies of their parts.
void swath_shape_destroy(struct swath_shape *shape);

// Creates a point at the origin.
swath_status swath_shape_point(struct swath_shape **shape);

// Creates a ball.
swath_status swath_shape_sphere(float radius, struct swath_shape **shape);

// Creates a box with these half extents: three floats, of which any may be zero.
swath_status swath_shape_cuboid(const float *half_extents, struct swath_shape **shape);

// Creates a segment along y from `-half_height` to `half_height`, rounded by `radius`.
swath_status swath_shape_capsule(float half_height, float radius, struct swath_shape **shape);

// Creates a cylinder along y from `-half_height` to `half_height`.
swath_status swath_shape_cylinder(float half_height, float radius, struct swath_shape **shape);

// Creates a cone along y, with its disc at `-half_height` and its tip at `half_height`.
swath_status swath_shape_cone(float half_height, float radius, struct swath_shape **shape);

// Creates the segment between two points, of three floats each.
swath_status swath_shape_segment(const float *a, const float *b, struct swath_shape **shape);

// Creates a triangle, of which the corners are three floats each.
swath_status swath_shape_triangle(const float *a, const float *b, const float *c, struct swath_shape **shape);

// Creates the convex hull of points, which are copied.
//
// `points`: rows of `count` points; columns are not possible.
swath_status swath_shape_hull(struct swath_vectors points, size_t count, struct swath_shape **shape);

// Creates the shape of all points that are at most `radius` from a convex shape.
swath_status swath_shape_rounded(const struct swath_shape *of, float radius, struct swath_shape **shape);

// Creates a convex shape scaled on each of its axes by `factors`: three floats, which are equal if the shape is rounded.
swath_status swath_shape_scaled(const struct swath_shape *of,
                                const float *factors,
                                struct swath_shape **shape);

// Creates a compound of convex shapes, each at a pose in the axes of the body.
//
// `parts`, `poses`: `count` shapes, and as many poses. With none, the shape touches nothing.
swath_status swath_shape_compound(const struct swath_shape *const *parts,
                                  const struct swath_pose *poses,
                                  size_t count,
                                  struct swath_shape **shape);

// Creates a mesh of triangles. The arrays are copied. A mesh has no inside: a body within a closed mesh does not touch it.
//
// `vertices`: rows of `vertex_count` points; columns are not possible.
// `triangles`: three indices of vertices for each of `triangle_count` triangles, counter-clockwise if seen from the front.
// `one_sided`: 1 if only the front of a triangle counts, else 0.
// `exec_of`: the threads of the build, or NULL. If `threads` is more than one, new threads are started, and end with the build.
//
// Triangles with an invalid index or number are left out; `swath_shape_rejected` counts them. A mesh without triangles touches nothing.
swath_status swath_shape_mesh(struct swath_vectors vertices,
                              size_t vertex_count,
                              const uint32_t *triangles,
                              size_t triangle_count,
                              int32_t one_sided,
                              const struct swath_exec *exec_of,
                              struct swath_shape **shape);

// Writes the number of triangles of a mesh that were left out because they are invalid; zero for other shapes.
swath_status swath_shape_rejected(const struct swath_shape *shape, size_t *count);

// Creates a terrain: heights along y over a regular grid in x and z. The heights are copied.
//
// `heights`: `samples_x * samples_z` floats; sample `i + j * samples_x` is at x = `i * spacing_x`, z = `j * spacing_z`. A height
// that is not finite, or of which the magnitude is greater than 2 to the power of 120, is a hole: triangles with this corner are left out.
// `one_sided`: 1 if only the front of a triangle counts, which is above, else 0.
//
// A cell is two triangles, divided by the line from its least corner to its greatest. Cell `c = i + j * (samples_x - 1)`, which is between the
// samples `i + j * samples_x` and `i + 1 + (j + 1) * samples_x`, has the triangles `2 * c`, on the side of greater x, and `2 * c + 1`. These are
// the numbers of its parts.
swath_status swath_shape_height_field(const float *heights,
                                      uint32_t samples_x,
                                      uint32_t samples_z,
                                      float spacing_x,
                                      float spacing_z,
                                      int32_t one_sided,
                                      struct swath_shape **shape);

// Writes the box around a shape at a pose. A shape without a part has the box of its position.
swath_status swath_shape_bounds(const struct swath_shape *shape,
                                const struct swath_pose *pose,
                                struct swath_aabb *aabb);

// Writes a moving box that contains a shape during the whole tick, for a pair finder or a proxy.
//
// `margin`: by how much the box is enlarged on each side.
swath_status swath_shape_bounds_over(const struct swath_shape *shape,
                                     const struct swath_motion *motion,
                                     float margin,
                                     struct swath_moving_box *moving);

// Computes where a segment first enters a shape at a pose.
swath_status swath_shape_cast(const struct swath_shape *shape,
                              const struct swath_pose *pose,
                              const struct swath_segment *segment,
                              struct swath_shape_cast_result *result);

// Returns the default settings.
struct swath_toi_settings swath_toi_defaults(void);

// Computes when two bodies first touch.
//
// `settings_of`: what counts as a contact, or NULL for the default.
swath_status swath_toi(const struct swath_shape *a,
                       const struct swath_motion *motion_a,
                       const struct swath_shape *b,
                       const struct swath_motion *motion_b,
                       const struct swath_toi_settings *settings_of,
                       struct swath_toi_result *result);

// Computes when the two bodies of each pair first touch: `results[k]` is that of `pairs[k]`.
//
// `bodies`, `motions`: `count` shapes, and as many motions. An invalid motion is an error.
// `pairs`: rows of two bodies each.
// `settings_of`: what counts as a contact, or NULL for the default.
// `exec_of`: the threads, or NULL. If `threads` is more than one, each call starts new threads.
swath_status swath_toi_pairs(const struct swath_shape *const *bodies,
                             const struct swath_motion *motions,
                             size_t count,
                             const struct swath_pair *pairs,
                             size_t pair_count,
                             const struct swath_toi_settings *settings_of,
                             const struct swath_exec *exec_of,
                             struct swath_toi_result *results);

// Computes the distance of two bodies of any kind, each at a pose, with the nearest points: the least of all their parts. Triangles are surfaces, and count
// from both sides. Bodies with parts that overlap have a distance below zero, which is that of the first parts that were found to overlap, and not the depth
// of the bodies. A body without parts is infinitely far from all others. An invalid pose is an error.
swath_status swath_distance(const struct swath_shape *a,
                            const struct swath_pose *pose_a,
                            const struct swath_shape *b,
                            const struct swath_pose *pose_b,
                            struct swath_distance_result *result);

// Tests whether two bodies at rest overlap or touch: `result` becomes 1, or 0. It computes no distance and no depth.
//
// The bodies are of any kind. Triangles are surfaces: a body inside of a closed mesh that touches none of its triangles does not overlap it. A
// triangle of a one-sided mesh or height field counts if the position of the other body is in front of it, or is on the surface of that body and so
// behind it by no more than the depth of a touch; against another mesh or height field it counts from both sides.
swath_status swath_overlaps(const struct swath_shape *a,
                            const struct swath_pose *pose_a,
                            const struct swath_shape *b,
                            const struct swath_pose *pose_b,
                            int32_t *result);

// Tests whether the two bodies of each pair overlap or touch, as `swath_overlaps` does: `results[k]` becomes 1 or 0 for `pairs[k]`. The
// arguments are those of `swath_toi_pairs`, with a pose for each body.
swath_status swath_overlaps_pairs(const struct swath_shape *const *bodies,
                                  const struct swath_pose *poses,
                                  size_t count,
                                  const struct swath_pair *pairs,
                                  size_t pair_count,
                                  const struct swath_exec *exec_of,
                                  int32_t *results);

// Computes the distance of the two convex shapes of each pair: `results[k]` is that of `pairs[k]`. The arguments are those of
// `swath_toi_pairs`, with a pose for each body.
swath_status swath_distance_pairs(const struct swath_shape *const *bodies,
                                  const struct swath_pose *poses,
                                  size_t count,
                                  const struct swath_pair *pairs,
                                  size_t pair_count,
                                  const struct swath_exec *exec_of,
                                  struct swath_distance_result *results);

// Finds the pairs of this tick, and what changed since the last update.
//
// `accept`: NULL, or a function that decides which pairs count.
// `changes`: NULL, or memory for what was found, which `swath_broadphase_changes` returns too.
//
// If there are more pairs than allowed, nothing is changed but the lists of this update, which are empty: also those of
// `swath_broadphase_changes`, `swath_broadphase_touching` and the like. `swath_broadphase_pairs` still returns the pairs of the
// update before.
swath_status swath_broadphase_update(struct swath_broadphase *broadphase,
                                     const struct swath_accept *accept,
                                     struct swath_changes *changes);

// Returns what the last update found once more. The lists are empty after a snapshot was restored, after
// `swath_broadphase_clear`, and after an update that failed.
swath_status swath_broadphase_changes(const struct swath_broadphase *broadphase, struct swath_changes *changes);

// Returns all pairs that touch and in which a proxy moves: those that begin and those that persist. They are copied to memory of
// the broadphase, which `swath_broadphase_persisted` overwrites too.
swath_status swath_broadphase_touching(struct swath_broadphase *broadphase,
                                       struct swath_swept_proxy_pairs *pairs);

// Returns the pairs that touch and that the update before had found too. They are copied to memory of the broadphase, which
// `swath_broadphase_touching` overwrites too.
swath_status swath_broadphase_persisted(struct swath_broadphase *broadphase,
                                        struct swath_swept_proxy_pairs *pairs);

// Returns the pairs of `swath_broadphase_touching` as arrays of indices, which is faster: after an update in which most proxies
// moved, nothing is copied.
swath_status swath_broadphase_touching_columns(struct swath_broadphase *broadphase,
                                               struct swath_pair_columns *columns);

// Returns all pairs of the last update, including those of proxies that rest, which are not reported in each update.
swath_status swath_broadphase_pairs(struct swath_broadphase *broadphase, struct swath_proxy_pairs *pairs);

// Returns the pairs of one proxy, including resting ones; none if the id is stale.
swath_status swath_broadphase_pairs_of(struct swath_broadphase *broadphase,
                                       struct swath_proxy_id id,
                                       struct swath_proxy_pairs *pairs);

// Writes 1 if the last update found a pair of these proxies, given in any order, else 0. Resting pairs count.
swath_status swath_broadphase_contains_pair(const struct swath_broadphase *broadphase,
                                            struct swath_proxy_id a,
                                            struct swath_proxy_id b,
                                            int32_t *contains);

// Writes the data of a proxy, also of one that was removed before the last update, as a pair that has ended may have.
swath_status swath_broadphase_data(const struct swath_broadphase *broadphase, struct swath_proxy_id id, uint64_t *data);

// Computes how two proxies touch in the tick, whether or not they form a pair.
swath_status swath_broadphase_contact(const struct swath_broadphase *broadphase,
                                      struct swath_proxy_id a,
                                      struct swath_proxy_id b,
                                      struct swath_contact *contact);

// Creates an empty snapshot, for `swath_broadphase_save`.
swath_status swath_snapshot_create(struct swath_snapshot **snapshot);

// Destroys a snapshot; NULL is ignored.
void swath_snapshot_destroy(struct swath_snapshot *snapshot);

// Replaces the contents of a snapshot by a copy of the broadphase.
swath_status swath_broadphase_save(const struct swath_broadphase *broadphase, struct swath_snapshot *snapshot);

// Restores the state of which the snapshot is a copy. From then on each update returns what it did then. Ids that were created
// since are stale, or belong to other proxies.
swath_status swath_broadphase_restore(struct swath_broadphase *broadphase,
                                      const struct swath_snapshot *snapshot);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

/* Vectors in an array of structures: `offset` bytes after the start of each. Use offsetof(struct body, position). */
static inline struct swath_vectors swath_rows(const void *array, size_t stride, size_t offset) {
    struct swath_vectors vectors = {array, NULL, NULL, stride, offset};
    return vectors;
}

/* Vectors in three arrays, one for each component. */
static inline struct swath_vectors swath_columns(const float *x, const float *y, const float *z) {
    struct swath_vectors vectors = {x, y, z, 0, 0};
    return vectors;
}

/* The description of an enabled proxy of a kind that may form pairs with all, without a margin. */
static inline struct swath_proxy swath_proxy_of_kind(swath_kind kind) {
    struct swath_proxy proxy = {kind, {UINT32_MAX, UINT32_MAX}, 0, 0.0f, 0, 1};
    return proxy;
}

/* A pose at a position, without rotation. */
static inline struct swath_pose swath_pose_at(float x, float y, float z) {
    struct swath_pose pose = {{x, y, z}, {0.0f, 0.0f, 0.0f, 1.0f}};
    return pose;
}

/* The motion of a body that stays at a position, without rotation. */
static inline struct swath_motion swath_motion_at(float x, float y, float z) {
    struct swath_motion motion = {
        {{x, y, z}, {0.0f, 0.0f, 0.0f, 1.0f}}, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    return motion;
}

/* The segment from a point to another one, of three floats each. */
static inline struct swath_segment swath_segment_to(const float *start, const float *end) {
    struct swath_segment segment = {
        {start[0], start[1], start[2]}, {end[0] - start[0], end[1] - start[1], end[2] - start[2]}, 1.0f};
    return segment;
}

/* The ray from a point along a direction, of three floats each, without an end. The direction may have any length. */
static inline struct swath_segment swath_ray(const float *origin, const float *direction) {
    struct swath_segment segment = {
        {origin[0], origin[1], origin[2]}, {direction[0], direction[1], direction[2]}, INFINITY};
    return segment;
}

/* An id that no proxy has. Zeros are the id of the first proxy. */
static const struct swath_proxy_id SWATH_NO_ID = {SWATH_NO_INDEX, SWATH_NO_INDEX};

/* Whether two ids are the same. */
static inline int swath_same_id(struct swath_proxy_id a, struct swath_proxy_id b) {
    return a.index == b.index && a.generation == b.generation;
}

#endif /* SWATH_H */
