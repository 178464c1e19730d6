/* Calls the functions of the interface on one world, and compares their results with loops over all boxes. */

#include "check.h"

#include <math.h>
#include <stdatomic.h>

enum { COUNT = 600, MANY = 4096 };

/* A body of the program, and the same boxes as columns. */
struct body {
    uint64_t name;
    float min[3], max[3], delta[3];
    char comment[5];
};

static struct body bodies[COUNT];
static float columns[9][COUNT];
static swath_moving_box boxes_of_bodies[COUNT];

static void make_world(void) {
    uint32_t state = 7;
    for (size_t k = 0; k < COUNT; k++) {
        struct body *body = &bodies[k];
        body->name = 1000 + k;
        for (int axis = 0; axis < 3; axis++) {
            body->min[axis] = positive(&state, 4096.0f);
            body->max[axis] = body->min[axis] + (float)(whole(&state) % 4096u) / 4096.0f;
            body->delta[axis] = centered(&state, 32768.0f);
            columns[axis][k] = boxes_of_bodies[k].aabb.min[axis] = body->min[axis];
            columns[3 + axis][k] = boxes_of_bodies[k].aabb.max[axis] = body->max[axis];
            columns[6 + axis][k] = boxes_of_bodies[k].delta[axis] = body->delta[axis];
        }
    }
}

static swath_boxes as_rows(void) {
    swath_boxes boxes = {.count = COUNT};
    boxes.min = swath_rows(bodies, sizeof *bodies, offsetof(struct body, min));
    boxes.max = swath_rows(bodies, sizeof *bodies, offsetof(struct body, max));
    boxes.delta = swath_rows(bodies, sizeof *bodies, offsetof(struct body, delta));
    return boxes;
}

static swath_boxes as_columns(void) {
    swath_boxes boxes = {.count = COUNT};
    boxes.min = swath_columns(columns[0], columns[1], columns[2]);
    boxes.max = swath_columns(columns[3], columns[4], columns[5]);
    boxes.delta = swath_columns(columns[6], columns[7], columns[8]);
    return boxes;
}

static swath_boxes at_rest(swath_boxes boxes) {
    memset(&boxes.delta, 0, sizeof boxes.delta);
    return boxes;
}

static float lesser(float a, float b) {
    return a < b ? a : b;
}

static float greater(float a, float b) {
    return a > b ? a : b;
}

static int overlap(const float *min_a, const float *max_a, const float *min_b, const float *max_b) {
    for (int axis = 0; axis < 3; axis++) {
        if (max_a[axis] < min_b[axis] || max_b[axis] < min_a[axis]) {
            return 0;
        }
    }
    return 1;
}

/* The bounds of the path; all numbers are exact. */
static swath_aabb bounds(const struct body *body) {
    swath_aabb around;
    for (int axis = 0; axis < 3; axis++) {
        around.min[axis] = lesser(body->min[axis], body->min[axis] + body->delta[axis]);
        around.max[axis] = greater(body->max[axis], body->max[axis] + body->delta[axis]);
    }
    return around;
}

static int paths_overlap(size_t a, size_t b) {
    swath_aabb of_a = bounds(&bodies[a]), of_b = bounds(&bodies[b]);
    return overlap(of_a.min, of_a.max, of_b.min, of_b.max);
}

/* A segment through the centre of a body, and as far behind it. */
static swath_segment through(const struct body *body) {
    swath_segment segment = {{-1, -1, -1}, {0, 0, 0}, 1};
    for (int axis = 0; axis < 3; axis++) {
        segment.delta[axis] = body->min[axis] + body->max[axis] + 2;
    }
    return segment;
}

static void pairs_are_those_of_a_loop(const swath_exec *exec) {
    swath_pair_finder *finder;
    swath_pairs pairs;
    swath_swept_pairs swept, again;
    swath_rejected_rows rejected;
    swath_boxes rows = as_rows(), in_columns = as_columns(), first = rows, second = rows;
    size_t next = 0, bytes = 0;
    OK(swath_pair_finder_create(exec, &finder));
    OK(swath_pair_finder_union_pairs(finder, &rows, NULL, SWATH_SORTED, &pairs));
    for (uint32_t a = 0; a < COUNT; a++) {
        for (uint32_t b = a + 1; b < COUNT; b++) {
            if (paths_overlap(a, b)) {
                CHECK(next < pairs.count && pairs.data[next].a == a && pairs.data[next].b == b);
                next++;
            }
        }
    }
    CHECK(next == pairs.count && next > 100);

    /* Times are those of the kernel, whatever the layout of the boxes. */
    OK(swath_pair_finder_swept_pairs(finder, &in_columns, NULL, SWATH_SORTED, &swept));
    CHECK(swept.count > 50 && swept.count < next);
    static swath_pair found[MANY];
    static float first_times[MANY], last_times[MANY];
    static uint32_t contacts[MANY];
    CHECK(swept.count <= MANY);
    for (size_t k = 0; k < swept.count; k++) {
        found[k].a = swept.data[k].a;
        found[k].b = swept.data[k].b;
    }
    OK(swath_sweep_pairs(exec->level, &rows, found, swept.count, first_times, last_times, contacts));
    for (size_t k = 0; k < swept.count; k++) {
        CHECK(first_times[k] == swept.data[k].first && last_times[k] >= first_times[k] && (contacts[k] >> 6 & 3) != 0);
    }
    static swath_swept_pair sorted[MANY];
    memcpy(sorted, swept.data, swept.count * sizeof *sorted);
    next = swept.count;
    OK(swath_pair_finder_swept_pairs(finder, &rows, NULL, SWATH_SORTED, &again));
    CHECK(again.count == next && memcmp(again.data, sorted, next * sizeof *sorted) == 0);
    OK(swath_pair_finder_swept_pairs(finder, &rows, NULL, SWATH_AS_FOUND, &again));
    CHECK(again.count == next);

    /* The pairs of the first 100 with the others are the pairs of one set with a row on each side. */
    first.count = 100;
    second.count = COUNT - 100;
    second.min.x = second.max.x = second.delta.x = bodies + 100;
    OK(swath_pair_finder_swept_pairs(finder, &first, &second, SWATH_SORTED, &again));
    size_t between = 0;
    for (size_t k = 0; k < next; k++) {
        if (sorted[k].a < 100 && sorted[k].b >= 100) {
            CHECK(between < again.count && again.data[between].a == sorted[k].a);
            CHECK(again.data[between].b == sorted[k].b - 100 && again.data[between].first == sorted[k].first);
            between++;
        }
    }
    CHECK(between == again.count && between > 0);
    OK(swath_pair_finder_union_pairs(finder, &first, &second, SWATH_AS_FOUND, &pairs));
    CHECK(pairs.count >= between);

    /* Flags, filters and labels. */
    static uint8_t moves[COUNT];
    static swath_filter filters[COUNT];
    static uint32_t labels[COUNT];
    for (uint32_t k = 0; k < COUNT; k++) {
        moves[k] = k % 2 == 0;
        filters[k].category = 1u << (29 + k % 3);
        filters[k].mask = ~(1u << (29 + k % 3));
        labels[k] = 4000000000u + k;
    }
    rows.moves = moves;
    rows.filters = filters;
    rows.labels = labels;
    OK(swath_pair_finder_swept_pairs(finder, &rows, NULL, SWATH_SORTED, &again));
    size_t allowed = 0;
    for (size_t k = 0; k < next; k++) {
        uint32_t a = sorted[k].a, b = sorted[k].b;
        if ((moves[a] || moves[b]) && a % 3 != b % 3) {
            CHECK(allowed < again.count && again.data[allowed].a == labels[a] && again.data[allowed].b == labels[b]);
            allowed++;
        }
    }
    CHECK(allowed == again.count && allowed > 0);

    /* Invalid rows are left out and listed. */
    rows = as_rows();
    float kept = bodies[5].max[1];
    bodies[5].max[1] = NAN;
    OK(swath_pair_finder_union_pairs(finder, &rows, NULL, SWATH_SORTED, &pairs));
    OK(swath_pair_finder_rejected(finder, &rejected, NULL));
    CHECK(rejected.count == 1 && rejected.data[0].row == 5 && rejected.data[0].axis == 1);
    CHECK(rejected.data[0].reason == SWATH_REASON_NOT_FINITE);
    for (size_t k = 0; k < pairs.count; k++) {
        CHECK(pairs.data[k].a != 5 && pairs.data[k].b != 5);
    }
    bodies[5].max[1] = kept;

    /* Centre, half extents and velocity. */
    struct mover {
        float position[3], half_extents[3], velocity[3];
    } movers[2] = {{{0, 0, 0}, {.5f, .5f, .5f}, {4, 0, 0}}, {{3, 0, 0}, {.5f, .5f, .5f}, {0, 0, 0}}};
    swath_boxes centred = {.count = 2, .centered = 1, .tick_seconds = 1.0f};
    centred.min = swath_rows(movers, sizeof *movers, offsetof(struct mover, position));
    centred.max = swath_rows(movers, sizeof *movers, offsetof(struct mover, half_extents));
    centred.delta = swath_rows(movers, sizeof *movers, offsetof(struct mover, velocity));
    OK(swath_pair_finder_swept_pairs(finder, &centred, NULL, SWATH_SORTED, &again));
    CHECK(again.count == 1 && again.data[0].first <= 0.5f && again.data[0].first > 0.49999f);
    OK(swath_pair_finder_memory(finder, &bytes));
    CHECK(bytes > 1000);

    swath_exec limited = *exec;
    limited.pairs_max = 3;
    swath_pair_finder_destroy(finder);
    OK(swath_pair_finder_create(&limited, &finder));
    FAILS(swath_pair_finder_union_pairs(finder, &in_columns, NULL, SWATH_SORTED, &pairs), SWATH_ERROR_TOO_MANY, "pairs");
    swath_pair_finder_destroy(finder);
}

static void fixed_boxes_have_the_pairs_of_two_sets(const swath_exec *exec) {
    swath_fixed_boxes *fixed;
    swath_pair_finder *finder;
    swath_pairs pairs, of_finder;
    swath_swept_pairs swept;
    swath_rejected_rows rejected;
    swath_boxes movers = as_rows(), walls = at_rest(as_rows());
    uint32_t rows[100];
    size_t len;
    movers.count = 300;
    walls.count = 100;
    walls.min.x = walls.max.x = bodies + 400;
    for (uint32_t k = 0; k < 100; k++) {
        rows[k] = k;
    }
    OK(swath_fixed_boxes_create(exec, &fixed));
    OK(swath_pair_finder_create(exec, &finder));
    OK(swath_fixed_boxes_put(fixed, rows, &walls));
    OK(swath_fixed_boxes_rejected(fixed, &rejected));
    OK(swath_fixed_boxes_len(fixed, &len));
    CHECK(len == 100 && rejected.count == 0);
    OK(swath_fixed_boxes_union_pairs(fixed, &movers, SWATH_SORTED, &pairs));
    OK(swath_pair_finder_union_pairs(finder, &movers, &walls, SWATH_SORTED, &of_finder));
    CHECK(pairs.count == of_finder.count && pairs.count > 10);
    CHECK(memcmp(pairs.data, of_finder.data, pairs.count * sizeof *pairs.data) == 0);
    OK(swath_fixed_boxes_swept_pairs(fixed, &movers, SWATH_AS_FOUND, &swept));
    CHECK(swept.count > 0 && swept.count <= pairs.count);

    /* Queries are those of a tree of the same boxes. */
    swath_bvh *bvh;
    swath_segment segments[2] = {through(&bodies[400]), through(&bodies[450])};
    swath_hit hit, of_bvh, each[2], nearest[2], nearest_of_bvh[2];
    swath_aabb place = {{2, 2, 2}, {9, 9, 9}};
    uint32_t inside[100], inside_bvh[100];
    size_t count, count_of_bvh;
    OK(swath_bvh_create(exec, &bvh));
    OK(swath_bvh_build(bvh, &walls));
    OK(swath_fixed_boxes_casts(fixed, segments, 2, NULL, each));
    for (size_t k = 0; k < 2; k++) {
        OK(swath_fixed_boxes_cast(fixed, &segments[k], NULL, &hit));
        OK(swath_bvh_cast(bvh, &segments[k], NULL, &of_bvh));
        CHECK(memcmp(&hit, &of_bvh, sizeof hit) == 0 && memcmp(&hit, &each[k], sizeof hit) == 0 && hit.row < 100);
    }
    OK(swath_fixed_boxes_sweep(fixed, &boxes_of_bodies[7], NULL, &hit));
    OK(swath_bvh_sweep(bvh, &boxes_of_bodies[7], NULL, &of_bvh));
    CHECK(memcmp(&hit, &of_bvh, sizeof hit) == 0);
    OK(swath_fixed_boxes_overlap(fixed, &place, NULL, inside, 100, &count));
    OK(swath_bvh_overlap(bvh, &place, NULL, inside_bvh, 100, &count_of_bvh));
    CHECK(count == count_of_bvh && count > 3 && memcmp(inside, inside_bvh, count * sizeof *inside) == 0);
    OK(swath_fixed_boxes_nearest(fixed, &place, INFINITY, NULL, nearest, 2, &count));
    OK(swath_bvh_nearest(bvh, &place, INFINITY, NULL, nearest_of_bvh, 2, &count_of_bvh));
    CHECK(count == 2 && count_of_bvh == 2 && memcmp(nearest, nearest_of_bvh, sizeof nearest) == 0);
    swath_bvh_destroy(bvh);
    OK(swath_fixed_boxes_remove(fixed, rows, 100));
    OK(swath_fixed_boxes_swept_pairs(fixed, &movers, SWATH_AS_FOUND, &swept));
    CHECK(swept.count == 0);
    FAILS(swath_fixed_boxes_remove(fixed, rows, 1), SWATH_ERROR_STALE, "row 0");
    swath_fixed_boxes_destroy(fixed);
    swath_pair_finder_destroy(finder);
}

static void queries_are_those_of_a_loop(const swath_exec *exec) {
    swath_bvh *bvh;
    swath_boxes boxes = at_rest(as_rows());
    swath_rejected_rows rejected;
    size_t len, count, bytes;
    OK(swath_bvh_create(exec, &bvh));
    OK(swath_bvh_build(bvh, &boxes));
    OK(swath_bvh_rejected(bvh, &rejected));
    OK(swath_bvh_len(bvh, &len));
    OK(swath_bvh_memory(bvh, &bytes));
    CHECK(len == COUNT && rejected.count == 0 && bytes > 1000);

    swath_aabb place = {{2, 2, 2}, {6, 7, 5}};
    uint32_t rows[COUNT];
    size_t next = 0;
    OK(swath_bvh_overlap(bvh, &place, NULL, rows, COUNT, &count));
    for (uint32_t k = 0; k < COUNT; k++) {
        if (overlap(bodies[k].min, bodies[k].max, place.min, place.max)) {
            CHECK(next < count && rows[next] == k);
            next++;
        }
    }
    CHECK(next == count && count > 3);
    FAILS(swath_bvh_overlap(bvh, &place, NULL, rows, 1, &count), SWATH_ERROR_TOO_SHORT, "capacity of 1");
    CHECK(count == next);
    const float center[3] = {8, 8, 8};
    OK(swath_bvh_overlap_sphere(bvh, center, 3.0f, NULL, rows, COUNT, &count));
    CHECK(count > 0);

    /* A segment, each way in which it can be cast. */
    swath_segment segment = through(&bodies[0]);
    swath_hit hit, all[COUNT], each[2];
    float entry[COUNT], leave[COUNT];
    OK(swath_bvh_cast(bvh, &segment, NULL, &hit));
    OK(swath_bvh_cast_all(bvh, &segment, NULL, all, COUNT, &count));
    CHECK(count > 0 && all[0].row == hit.row && all[0].value == hit.value);
    OK(swath_cast_one_to_many(exec->level, &segment, &boxes, entry, leave));
    next = 0;
    for (uint32_t k = 0; k < COUNT; k++) {
        next += entry[k] <= 1.0f;
        CHECK(entry[k] >= hit.value && leave[k] >= entry[k]);
    }
    CHECK(next == count && entry[hit.row] == hit.value);
    swath_segment two[2] = {segment, {{-5, -5, -5}, {0, 0, -1}, INFINITY}};
    OK(swath_bvh_casts(bvh, two, 2, NULL, each));
    CHECK(each[0].row == hit.row && each[0].value == hit.value);
    CHECK(each[1].row == SWATH_NO_INDEX && isinf(each[1].value));

    swath_moving_box flying = {{{-1, -1, -1}, {1, 1, 1}}, {18, 18, 18}};
    float first[COUNT], last[COUNT];
    uint32_t contacts[COUNT];
    OK(swath_bvh_sweep(bvh, &flying, NULL, &hit));
    OK(swath_sweep_one_to_many(exec->level, &flying, &boxes, first, last, contacts));
    for (uint32_t k = 0; k < COUNT; k++) {
        CHECK(first[k] >= hit.value && (first[k] > hit.value || k >= hit.row));
    }
    CHECK(first[hit.row] == hit.value);

    swath_aabb point = {{3, 4, 5}, {3, 4, 5}};
    swath_hit nearest[3], of_points[COUNT];
    swath_boxes points = at_rest(as_columns());
    OK(swath_bvh_nearest(bvh, &point, INFINITY, NULL, nearest, 3, &count));
    CHECK(count == 3 && nearest[0].value <= nearest[1].value && nearest[1].value <= nearest[2].value);
    points.max = points.min;
    OK(swath_bvh_nearest_each(bvh, &points, INFINITY, NULL, of_points));
    for (uint32_t k = 0; k < COUNT; k++) {
        CHECK(of_points[k].value == 0.0f && of_points[k].row <= k);
    }
    swath_filter none = {0, 0};
    OK(swath_bvh_cast(bvh, &segment, &none, &hit));
    CHECK(hit.row == SWATH_NO_INDEX);
    swath_bvh_destroy(bvh);
}

static int32_t accept_even(void *user, swath_proxy_pair pair) {
    atomic_fetch_add((atomic_int *)user, 1);
    return (pair.a.index + pair.b.index) % 2 == 0;
}

/* A callback may not use the object of its call. */
static int32_t accept_nothing_and_reenter(void *user, swath_proxy_pair pair) {
    swath_broadphase *broadphase = user;
    (void)pair;
    CHECK(swath_broadphase_update(broadphase, NULL, NULL) == SWATH_ERROR_BUSY);
    swath_broadphase_destroy(broadphase);
    return 0;
}

static void broadphase_reports_what_changes(const swath_exec *exec) {
    static swath_proxy_id ids[COUNT];
    swath_broadphase *broadphase;
    swath_pair_finder *finder;
    swath_changes changes;
    swath_swept_proxy_pairs touching, persisted;
    swath_proxy_pairs pairs;
    swath_pair_columns in_columns;
    swath_swept_pairs of_finder;
    swath_rejected_rows rejected;
    swath_boxes boxes = as_rows();
    swath_proxy proxy = swath_proxy_of_kind(SWATH_KIND_DYNAMIC), read_back;
    swath_moving_box moving;
    swath_snapshot *snapshot;
    int32_t yes;
    size_t len, bytes;
    uint64_t data;
    OK(swath_broadphase_create(exec, &broadphase));
    OK(swath_broadphase_reserve(broadphase, COUNT, COUNT, 1000));
    OK(swath_pair_finder_create(exec, &finder));
    proxy.data = UINT64_C(0xfedcba9876543210);
    OK(swath_broadphase_insert_many(broadphase, &boxes, &proxy, 1, ids));
    OK(swath_broadphase_rejected(broadphase, &rejected));
    OK(swath_broadphase_len(broadphase, &len));
    OK(swath_broadphase_contains(broadphase, ids[7], &yes));
    CHECK(rejected.count == 0 && len == COUNT && yes == 1);
    OK(swath_broadphase_moving_box(broadphase, ids[9], &moving));
    CHECK(memcmp(&moving, &boxes_of_bodies[9], sizeof moving) == 0);
    OK(swath_broadphase_proxy(broadphase, ids[9], &read_back));
    CHECK(read_back.data == proxy.data && read_back.kind == SWATH_KIND_DYNAMIC && read_back.enabled == 1);

    /* All pairs begin in the first update; they are those of the finder. */
    OK(swath_broadphase_update(broadphase, NULL, &changes));
    OK(swath_pair_finder_swept_pairs(finder, &boxes, NULL, SWATH_SORTED, &of_finder));
    OK(swath_broadphase_touching_columns(broadphase, &in_columns));
    CHECK(changes.begun.count == of_finder.count && changes.ended.count == 0);
    CHECK(changes.touching_count == of_finder.count && in_columns.count == of_finder.count);
    for (size_t k = 0; k < of_finder.count; k++) {
        CHECK(in_columns.a[k] == of_finder.data[k].a && in_columns.b[k] == of_finder.data[k].b);
        CHECK(in_columns.first[k] == of_finder.data[k].first);
    }
    OK(swath_broadphase_touching(broadphase, &touching));
    CHECK(touching.count == of_finder.count);
    swath_proxy_pair one = {touching.data[0].a, touching.data[0].b};
    OK(swath_broadphase_contains_pair(broadphase, one.b, one.a, &yes));
    CHECK(yes == 1);
    OK(swath_broadphase_pairs_of(broadphase, one.a, &pairs));
    CHECK(pairs.count > 0);
    OK(swath_broadphase_pairs(broadphase, &pairs));
    CHECK(pairs.count == of_finder.count);

    /* The same boxes once more: all pairs persist. */
    OK(swath_broadphase_set_many(broadphase, ids, &boxes));
    OK(swath_broadphase_update(broadphase, NULL, &changes));
    OK(swath_broadphase_persisted(broadphase, &persisted));
    CHECK(changes.begun.count == 0 && changes.ended.count == 0 && persisted.count == of_finder.count);

    /* A displacement alone. */
    swath_moving_box moved;
    const float one_delta[3] = {0.5f, -0.25f, 0}, no_delta[6] = {0};
    OK(swath_broadphase_moving_box(broadphase, ids[0], &moved));
    const swath_moving_box before = moved;
    OK(swath_broadphase_set_delta(broadphase, ids[0], one_delta));
    OK(swath_broadphase_moving_box(broadphase, ids[0], &moved));
    CHECK(memcmp(&moved.aabb, &before.aabb, sizeof moved.aabb) == 0 && memcmp(moved.delta, one_delta, sizeof one_delta) == 0);
    OK(swath_broadphase_set_delta_many(broadphase, ids, no_delta, 2));
    OK(swath_broadphase_moving_box(broadphase, ids[0], &moved));
    CHECK(moved.delta[0] == 0 && moved.delta[1] == 0);
    OK(swath_broadphase_set_many(broadphase, ids, &boxes));

    /* After a removal the pairs of the proxy end, and its data can still be read. */
    OK(swath_snapshot_create(&snapshot));
    OK(swath_broadphase_save(broadphase, snapshot));
    OK(swath_broadphase_remove(broadphase, one.a));
    OK(swath_broadphase_update(broadphase, NULL, &changes));
    CHECK(changes.ended.count > 0 && swath_same_id(changes.ended.data[0].a, one.a));
    OK(swath_broadphase_data(broadphase, one.a, &data));
    CHECK(data == proxy.data);
    FAILS(swath_broadphase_set(broadphase, one.a, &boxes_of_bodies[0]), SWATH_ERROR_STALE, "removed");
    OK(swath_broadphase_restore(broadphase, snapshot));
    OK(swath_broadphase_contains(broadphase, one.a, &yes));
    CHECK(yes == 1);
    swath_snapshot_destroy(snapshot);

    /* Functions that decide. */
    atomic_int calls = 0;
    swath_accept accept = {&calls, accept_even, 0};
    OK(swath_broadphase_update(broadphase, &accept, &changes));
    CHECK((size_t)calls == of_finder.count && changes.touching_count < of_finder.count);
    OK(swath_broadphase_touching(broadphase, &touching));
    for (size_t k = 0; k < touching.count; k++) {
        CHECK((touching.data[k].a.index + touching.data[k].b.index) % 2 == 0);
    }
    swath_accept reenter = {broadphase, accept_nothing_and_reenter, 0};
    OK(swath_broadphase_update(broadphase, &reenter, &changes));
    CHECK(changes.touching_count == 0);
    accept.only_new = 1;
    OK(swath_broadphase_set_many(broadphase, ids, &boxes));
    OK(swath_broadphase_update(broadphase, &accept, &changes));
    CHECK(changes.begun.count == touching.count || changes.begun.count > 0);
    OK(swath_broadphase_update(broadphase, NULL, NULL));
    OK(swath_broadphase_changes(broadphase, &changes));

    /* Descriptions: each edit ends or begins pairs. */
    OK(swath_broadphase_set_many(broadphase, ids, &boxes));
    OK(swath_broadphase_update(broadphase, NULL, NULL));
    OK(swath_broadphase_set_enabled(broadphase, one.a, 0));
    OK(swath_broadphase_update(broadphase, NULL, &changes));
    CHECK(changes.ended.count > 0);
    OK(swath_broadphase_set_enabled(broadphase, one.a, 1));
    OK(swath_broadphase_update(broadphase, NULL, &changes));
    CHECK(changes.begun.count > 0);
    OK(swath_broadphase_renew(broadphase, one.a));
    OK(swath_broadphase_update(broadphase, NULL, &changes));
    CHECK(changes.begun.count > 0 && changes.ended.count == 0);
    OK(swath_broadphase_set_owner(broadphase, one.a, 5));
    OK(swath_broadphase_set_owner(broadphase, one.b, 5));
    OK(swath_broadphase_update(broadphase, NULL, &changes));
    CHECK(changes.ended.count == 1 && swath_same_id(changes.ended.data[0].b, one.b));
    OK(swath_broadphase_set_owner(broadphase, one.b, 0));
    swath_filter alone = {1, 0};
    OK(swath_broadphase_set_filter(broadphase, one.a, alone));
    OK(swath_broadphase_update(broadphase, NULL, &changes));
    OK(swath_broadphase_pairs_of(broadphase, one.a, &pairs));
    CHECK(pairs.count == 0);
    OK(swath_broadphase_set_data(broadphase, one.a, 17));
    OK(swath_broadphase_data(broadphase, one.a, &data));
    CHECK(data == 17);
    swath_proxy_id none = SWATH_NO_ID;
    int32_t contains = 7;
    OK(swath_broadphase_contains(broadphase, none, &contains));
    CHECK(contains == 0 && ids[0].index == 0 && ids[0].generation == 0);
    OK(swath_broadphase_set_enabled_many(broadphase, &one.b, 1, 0));
    OK(swath_broadphase_proxy(broadphase, one.b, &read_back));
    CHECK(read_back.enabled == 0);
    OK(swath_broadphase_set_enabled_many(broadphase, &one.b, 1, 1));
    OK(swath_broadphase_set_kind_many(broadphase, &one.b, 1, SWATH_KIND_SLEEPING));
    OK(swath_broadphase_proxy(broadphase, one.b, &read_back));
    CHECK(read_back.kind == SWATH_KIND_SLEEPING);
    OK(swath_broadphase_set_kind(broadphase, one.b, SWATH_KIND_FIXED));
    OK(swath_broadphase_set_kind_pairs(broadphase, SWATH_KIND_DYNAMIC, SWATH_KIND_FIXED, 0));
    OK(swath_broadphase_update(broadphase, NULL, NULL));
    OK(swath_broadphase_pairs_of(broadphase, one.b, &pairs));
    CHECK(pairs.count == 0);
    OK(swath_broadphase_set_margin(broadphase, ids[20], 0.25f));
    OK(swath_broadphase_compared_box(broadphase, ids[20], &moving));
    CHECK(moving.aabb.max[0] >= bodies[20].max[0] + 0.25f && moving.delta[0] == 0.0f);

    /* Queries, contact, origin. */
    swath_segment segment = through(&bodies[0]);
    swath_proxy_hit hit, any, hits[2], nearest[4];
    static swath_proxy_hit all_hits[COUNT];
    swath_query query = {NULL, 0, 1u << SWATH_KIND_DYNAMIC | 1u << SWATH_KIND_FIXED};
    swath_segment two[2] = {segment, segment};
    swath_aabb place = {{2, 2, 2}, {6, 7, 5}};
    static swath_proxy_id inside[COUNT];
    FAILS(swath_broadphase_cast(broadphase, &segment, NULL, &hit), SWATH_ERROR_NOT_PREPARED, "prepare_queries");
    OK(swath_broadphase_prepare_queries(broadphase));
    OK(swath_broadphase_cast(broadphase, &segment, NULL, &hit));
    CHECK(hit.id.index < COUNT && hit.value < 1.0f);
    OK(swath_broadphase_cast_all(broadphase, &segment, NULL, all_hits, COUNT, &len));
    CHECK(len > 0 && swath_same_id(all_hits[0].id, hit.id) && all_hits[0].value == hit.value);
    FAILS(swath_broadphase_cast_all(broadphase, &segment, NULL, NULL, 0, &len), SWATH_ERROR_TOO_SHORT, "capacity of 0");
    OK(swath_broadphase_cast_any(broadphase, &segment, NULL, &any));
    size_t same = 0;
    for (size_t k = 0; k < len; k++) {
        same += swath_same_id(all_hits[k].id, any.id) && all_hits[k].value == any.value;
    }
    CHECK(same == 1);
    OK(swath_broadphase_casts(broadphase, two, 2, NULL, hits));
    CHECK(swath_same_id(hits[1].id, hit.id) && hits[1].value == hit.value);
    OK(swath_broadphase_cast(broadphase, &segment, &query, &hit));
    CHECK(hit.id.index == SWATH_NO_INDEX);
    OK(swath_broadphase_sweep(broadphase, &boxes_of_bodies[3], NULL, &hit));
    CHECK(hit.id.index < COUNT);
    OK(swath_broadphase_overlap(broadphase, &place, NULL, inside, COUNT, &len));
    CHECK(len > 3 && inside[0].index < inside[1].index);
    const float center[3] = {4, 4, 4};
    swath_aabb around = {{2, 2, 2}, {6, 6, 6}};
    size_t in_ball;
    OK(swath_broadphase_overlap(broadphase, &around, NULL, inside, COUNT, &len));
    OK(swath_broadphase_overlap_sphere(broadphase, center, 2, NULL, inside, COUNT, &in_ball));
    CHECK(in_ball > 0 && in_ball <= len);
    OK(swath_broadphase_nearest(broadphase, &place, INFINITY, NULL, nearest, 4, &len));
    CHECK(len == 4 && nearest[0].value == 0.0f);
    swath_moving_box left = {{{0, 0, 0}, {1, 1, 1}}, {4, 0, 0}}, right = {{{3, 0, 0}, {4, 1, 1}}, {0, 0, 0}};
    swath_contact contact;
    OK(swath_broadphase_set(broadphase, ids[30], &left));
    OK(swath_broadphase_set(broadphase, ids[31], &right));
    OK(swath_broadphase_contact(broadphase, ids[30], ids[31], &contact));
    CHECK(contact.first <= 0.5f && contact.first > 0.49999f && contact.normal[0] == 1.0f && contact.overlapping == 0);
    right.aabb.min[0] = 0.75f;
    OK(swath_broadphase_set(broadphase, ids[31], &right));
    OK(swath_broadphase_contact(broadphase, ids[30], ids[31], &contact));
    CHECK(contact.first == 0.0f && contact.overlapping == 1 && contact.separation[0] == 0.25f);
    const float offset[3] = {1, 2, 3};
    OK(swath_broadphase_shift_origin(broadphase, offset));
    OK(swath_broadphase_moving_box(broadphase, ids[31], &moving));
    CHECK(moving.aabb.min[0] == -0.25f && moving.aabb.min[1] == -2.0f);
    OK(swath_broadphase_memory(broadphase, &bytes));
    CHECK(bytes > 1000);
    OK(swath_broadphase_remove_many(broadphase, ids + 40, 10));
    OK(swath_broadphase_clear(broadphase));
    OK(swath_broadphase_len(broadphase, &len));
    CHECK(len == 0);
    swath_pair_finder_destroy(finder);
    swath_broadphase_destroy(broadphase);
}

static void shapes_touch_when_they_should(const swath_exec *exec) {
    swath_shape *ball, *wall, *box, *capsule, *cylinder, *cone, *segment, *triangle, *hull, *point, *rounded, *scaled;
    swath_shape *posts, *floor, *terrain;
    swath_toi_result toi, many[2];
    swath_toi_settings settings = swath_toi_defaults();
    swath_distance_result distance, distances[1];
    int32_t overlaps;
    const float half[3] = {0.5f, 4, 4}, twice[3] = {2, 2, 2};
    const float a[3] = {-1, 0, 0}, b[3] = {1, 0, 0}, c[3] = {0, 1, 0};
    const float corners[4][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    OK(swath_shape_sphere(1, &ball));
    OK(swath_shape_cuboid(half, &wall));
    OK(swath_shape_cuboid(twice, &box));
    OK(swath_shape_capsule(1, 0.5f, &capsule));
    OK(swath_shape_cylinder(1, 0.5f, &cylinder));
    OK(swath_shape_cone(1, 0.5f, &cone));
    OK(swath_shape_segment(a, b, &segment));
    OK(swath_shape_triangle(a, b, c, &triangle));
    OK(swath_shape_hull(swath_rows(corners, sizeof corners[0], 0), 4, &hull));
    OK(swath_shape_point(&point));
    OK(swath_shape_rounded(wall, 0.25f, &rounded));
    OK(swath_shape_scaled(hull, twice, &scaled));

    /* A ball flies against a wall: the surfaces are 1.5 apart, and it moves 3. */
    swath_motion still = swath_motion_at(0, 0, 0), flying = swath_motion_at(-3, 1, 0);
    flying.delta[0] = 3;
    OK(swath_toi(ball, &flying, wall, &still, NULL, &toi));
    CHECK(toi.state == SWATH_TOI_IMPACT && toi.t <= 0.5f && toi.t > 0.4999f);
    CHECK(toi.normal[0] == 1.0f && toi.on_b[0] == -0.5f && fabsf(toi.closing - 3.0f) < 1e-3f);
    OK(swath_toi(ball, &flying, rounded, &still, NULL, &toi));
    CHECK(toi.t <= 1.25f / 3 && toi.t > 0.4166f);
    settings.target_distance = 0.75f;
    OK(swath_toi(ball, &flying, wall, &still, &settings, &toi));
    CHECK(toi.t <= 0.25f && toi.t > 0.2499f);
    OK(swath_toi(ball, &still, wall, &still, NULL, &toi));
    CHECK(toi.state == SWATH_TOI_OVERLAPPING && toi.depth > 1.0f && toi.t == 0.0f);
    OK(swath_distance(ball, &flying.pose, wall, &still.pose, &distance));
    CHECK(distance.distance <= 1.5f && distance.distance > 1.49999f && distance.on_a[0] == -2.0f);
    OK(swath_overlaps(ball, &flying.pose, wall, &still.pose, &overlaps));
    CHECK(overlaps == 0);
    OK(swath_overlaps(ball, &still.pose, wall, &still.pose, &overlaps));
    CHECK(overlaps == 1);

    /* A free fall: the ball of radius 1 falls from 8 to a floor at 0 with acceleration 14, so 7 = 7 t * t. */
    const float vertices[4][3] = {{-5, 0, -5}, {5, 0, -5}, {5, 0, 5}, {-5, 0, 5}};
    const uint32_t triangles[9] = {0, 2, 1, 0, 3, 2, 0, 1, 9};
    size_t rejected;
    OK(swath_shape_mesh(swath_rows(vertices, sizeof vertices[0], 0), 4, triangles, 3, 1, exec, &floor));
    OK(swath_shape_rejected(floor, &rejected));
    CHECK(rejected == 1);
    swath_motion falling = swath_motion_at(1, 8, 2);
    falling.accel[1] = -14;
    OK(swath_toi(ball, &falling, floor, &still, NULL, &toi));
    CHECK(toi.state == SWATH_TOI_IMPACT && fabsf(toi.t - 1.0f) < 1e-3f && toi.part_b == 1 && toi.normal[1] == -1.0f);
    const float heights[4] = {0, 1, 0, 1};
    OK(swath_shape_height_field(heights, 2, 2, 1, 1, 1, &terrain));
    const float up[3] = {0.25f, 4, 0.5f}, deep[3] = {0.25f, -4, 0.5f}, upwards[3] = {0, 1, 0};
    swath_segment down = swath_segment_to(up, deep), ray = swath_ray(deep, upwards);
    CHECK(down.delta[1] == -8.0f && down.max_fraction == 1.0f && isinf(ray.max_fraction));
    swath_shape_cast_result cast;
    OK(swath_shape_cast(terrain, &still.pose, &down, &cast));
    CHECK(cast.state == SWATH_CAST_HIT && fabsf(cast.point[1] - 0.25f) < 1e-5f && cast.part == 1);
    OK(swath_shape_cast(terrain, &still.pose, &ray, &cast));
    CHECK(cast.state == SWATH_CAST_MISSED); /* The terrain is one-sided. */
    OK(swath_shape_cast(ball, &still.pose, &ray, &cast));
    CHECK(cast.state == SWATH_CAST_HIT && cast.fraction <= 4.0f && cast.fraction > 3.0f);
    OK(swath_shape_cast(ball, &still.pose, &down, &cast));
    CHECK(cast.state == SWATH_CAST_HIT && cast.normal[1] > 0.5f);

    /* Three posts; the ball flies along the row and meets the last one first. */
    const swath_shape *parts[3] = {capsule, cylinder, cone};
    const swath_pose poses[3] = {swath_pose_at(0, 0, 0), swath_pose_at(4, 0, 0), swath_pose_at(8, 0, 0)};
    OK(swath_shape_compound(parts, poses, 3, &posts));
    swath_motion along = swath_motion_at(14, 0, 0);
    along.delta[0] = -8;
    OK(swath_toi(ball, &along, posts, &still, NULL, &toi));
    CHECK(toi.state == SWATH_TOI_IMPACT && toi.part_b == 2);

    /* A plank turns and hits a ball. */
    const float plank_half[3] = {3, 0.1f, 0.5f};
    swath_shape *plank, *small;
    OK(swath_shape_cuboid(plank_half, &plank));
    OK(swath_shape_sphere(0.5f, &small));
    swath_motion turning = still, above = swath_motion_at(0, 2, 0);
    turning.spin[2] = 1.5f;
    OK(swath_toi(plank, &turning, small, &above, NULL, &toi));
    CHECK(fabsf(toi.t - 0.844f) < 1e-3f && toi.normal[0] < -0.9f);
    swath_pose then;
    OK(swath_motion_pose_at(&turning, toi.t, &then));
    CHECK(fabsf(then.rotation[2] - sinf(0.75f * toi.t)) < 1e-6f && then.position[0] == 0.0f);

    /* Many pairs have the results of each. */
    const swath_shape *bodies_of_pairs[3] = {ball, wall, floor};
    swath_motion motions[3] = {flying, still, still};
    const swath_pair pairs[2] = {{0, 1}, {0, 2}};
    OK(swath_toi(ball, &flying, wall, &still, NULL, &toi));
    OK(swath_toi_pairs(bodies_of_pairs, motions, 3, pairs, 2, NULL, exec, many));
    CHECK(many[0].state == toi.state && many[0].t == toi.t);
    OK(swath_toi_pairs(bodies_of_pairs, motions, 2, pairs, 1, &settings, exec, many));
    CHECK(many[0].t < toi.t);
    const swath_pose starts[2] = {flying.pose, still.pose};
    memset(distances, 0x42, sizeof distances); /* What was in the memory has no effect. */
    OK(swath_distance_pairs(bodies_of_pairs, starts, 2, pairs, 1, exec, distances));
    CHECK(memcmp(&distances[0], &distance, sizeof distance) == 0);
    const swath_pose high = swath_pose_at(0, 3, 0);
    OK(swath_distance(ball, &high, floor, &still.pose, &distance));
    CHECK(fabsf(distance.distance - 2) < 1e-5f && distance.normal[1] == -1);
    const swath_pose touching = swath_pose_at(0, 1, 0), behind = swath_pose_at(0, -0.5f, 0);
    OK(swath_overlaps(ball, &touching, floor, &still.pose, &overlaps));
    CHECK(overlaps == 1);
    OK(swath_overlaps(floor, &still.pose, ball, &behind, &overlaps));
    CHECK(overlaps == 0); /* The floor is one-sided. */
    const swath_pose places[3] = {touching, still.pose, still.pose};
    int32_t overlaps_of[2] = {7, 7};
    OK(swath_overlaps_pairs(bodies_of_pairs, places, 3, pairs, 2, exec, overlaps_of));
    OK(swath_overlaps(ball, &touching, wall, &still.pose, &overlaps));
    CHECK(overlaps_of[0] == overlaps && overlaps_of[1] == 1);

    swath_moving_box around;
    swath_aabb aabb;
    OK(swath_shape_bounds_over(ball, &flying, 0.5f, &around));
    CHECK(around.aabb.min[0] <= -4.5f && around.delta[0] == 3.0f);
    OK(swath_shape_bounds(floor, &still.pose, &aabb));
    CHECK(aabb.max[0] >= 5.0f && aabb.max[0] < 5.001f);

    swath_shape *all[] = {ball,    wall,     box,  capsule, cylinder, cone,  segment, triangle, hull,
                          point,   rounded,  scaled, posts, floor,    terrain, plank, small};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        swath_shape_destroy(all[k]);
    }
}

static void elements_touch_when_they_should(const swath_exec *exec) {
    /* A vertex falls through a face, and an edge onto one of its edges. */
    const double start[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 3}, {1, -1, 1}, {1, 1, 1}};
    const double end[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, -1, -3}, {1, 1, -3}};
    const uint32_t face[3] = {0, 1, 2}, edges[4] = {0, 1, 4, 5};
    const swath_pair vertex_face = {3, 0}, edge_edge = {0, 1};
    swath_element_settings settings = swath_element_defaults();
    swath_element_result result;
    OK(swath_vertex_face_pairs(&start[0][0], &end[0][0], 6, face, 1, &vertex_face, 1, NULL, exec, &result));
    CHECK(result.state == SWATH_TOI_IMPACT && result.t <= 0.75 && result.t > 0.7499 && result.normal[2] == -1.0);
    CHECK(result.coordinates[0] == 0.25 && result.coordinates[1] == 0.25);
    OK(swath_edge_edge_pairs(&start[0][0], &end[0][0], 6, edges, 2, &edge_edge, 1, NULL, exec, &result));
    CHECK(result.state == SWATH_TOI_IMPACT && result.t <= 0.25 && result.t > 0.2499);
    settings.minimum_separation = 0.5;
    OK(swath_edge_edge_pairs(&start[0][0], &end[0][0], 6, edges, 2, &edge_edge, 1, &settings, exec, &result));
    CHECK(result.t <= 0.125 && result.t > 0.1249);
    settings.tolerance = -1;
    FAILS(swath_edge_edge_pairs(&start[0][0], &end[0][0], 6, edges, 2, &edge_edge, 1, &settings, exec, &result),
          SWATH_ERROR_INVALID, "tolerance");
}

static void mistakes_are_errors(const swath_exec *exec) {
    swath_pair_finder *finder;
    swath_pairs pairs;
    swath_boxes boxes = as_rows();
    swath_exec wrong = *exec;
    swath_shape *shape;
    FAILS(swath_pair_finder_create(exec, NULL), SWATH_ERROR_NULL, "finder: NULL");
    wrong.level = "sse9";
    FAILS(swath_pair_finder_create(&wrong, &finder), SWATH_ERROR_ARGUMENT, "level: \"sse9\" is not a level");
    wrong = *exec;
    wrong.threads = 5000;
    FAILS(swath_pair_finder_create(&wrong, &finder), SWATH_ERROR_ARGUMENT, "threads: 5000");
    OK(swath_pair_finder_create(exec, &finder));
    FAILS(swath_pair_finder_union_pairs(NULL, &boxes, NULL, 0, &pairs), SWATH_ERROR_NULL, "finder");
    FAILS(swath_pair_finder_union_pairs(finder, NULL, NULL, 0, &pairs), SWATH_ERROR_NULL, "a: NULL");
    FAILS(swath_pair_finder_union_pairs(finder, &boxes, NULL, 9, &pairs), SWATH_ERROR_ARGUMENT, "order");
    boxes.min.stride = 8;
    FAILS(swath_pair_finder_union_pairs(finder, &boxes, NULL, 0, &pairs), SWATH_ERROR_ARGUMENT, "min");
    FAILS(swath_shape_sphere(-1, &shape), SWATH_ERROR_INVALID, "negative");
    FAILS(swath_shape_sphere(NAN, &shape), SWATH_ERROR_INVALID, "NaN");
    swath_pair_finder_destroy(finder);
    swath_pair_finder_destroy(NULL);
    CHECK(strlen(swath_level_name()) > 3 && strchr(swath_version(), '.') != NULL);
}

int main(void) {
    swath_exec exec = exec_of_environment();
    make_world();
    pairs_are_those_of_a_loop(&exec);
    fixed_boxes_have_the_pairs_of_two_sets(&exec);
    queries_are_those_of_a_loop(&exec);
    broadphase_reports_what_changes(&exec);
    shapes_touch_when_they_should(&exec);
    elements_touch_when_they_should(&exec);
    mistakes_are_errors(&exec);
    printf("everything is as it should be, on %s\n", exec.level ? exec.level : swath_level_name());
    return 0;
}
