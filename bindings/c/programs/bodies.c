/* Impacts and queries of bodies that have shapes, compared with loops over all bodies. */

#include "check.h"

#include <math.h>
#include <stdatomic.h>

enum { COUNT = 120, MANY = 500 };

/* A body of the program: a shape, how it moves in the tick, and the box around its path. */
struct body {
    swath_shape *shape;
    swath_motion motion;
    swath_moving_box around;
    swath_proxy_id id;
};

static struct body bodies[COUNT];
static swath_shape *shapes[4]; /* A ball, a box, a compound of two balls, and a floor of triangles. */
static atomic_uint calls;

static void make_shapes(const swath_exec *exec) {
    const float half[3] = {0.5f, 0.25f, 0.5f};
    const float vertices[4][3] = {{-32, 0, -32}, {32, 0, -32}, {-32, 0, 32}, {32, 0, 32}};
    const uint32_t triangles[6] = {0, 2, 1, 1, 2, 3};
    const swath_pose poses[2] = {swath_pose_at(-0.5f, 0, 0), swath_pose_at(0.5f, 0, 0)};
    const swath_shape *parts[2];
    OK(swath_shape_sphere(0.5f, &shapes[0]));
    OK(swath_shape_cuboid(half, &shapes[1]));
    parts[0] = parts[1] = shapes[0];
    OK(swath_shape_compound(parts, poses, 2, &shapes[2]));
    OK(swath_shape_mesh(swath_rows(vertices, sizeof vertices[0], 0), 4, triangles, 2, 0, exec, &shapes[3]));
}

static void make_bodies(void) {
    uint32_t state = 11;
    for (size_t k = 0; k < COUNT; k++) {
        struct body *body = &bodies[k];
        const float x = centered(&state, 8192.0f), y = 0.75f + positive(&state, 8192.0f), z = centered(&state, 8192.0f);
        body->motion = k == 0 ? swath_motion_at(0, 0, 0) : swath_motion_at(x, y, z);
        body->shape = k == 0 ? shapes[3] : shapes[k % 3];
        for (int axis = 0; k > 0 && axis < 3; axis++) {
            body->motion.delta[axis] = centered(&state, 16384.0f);
        }
        body->motion.spin[1] = k % 5 == 1 ? 1.0f : 0.0f;
        OK(swath_shape_bounds_over(body->shape, &body->motion, 0, &body->around));
    }
}

/* What a loop over all pairs of bodies finds: the number of impacts. */
static size_t impacts_of_a_loop(const swath_impact *impacts, size_t count) {
    size_t found = 0;
    for (uint32_t a = 0; a < COUNT; a++) {
        for (uint32_t b = a + 1; b < COUNT; b++) {
            swath_toi_result toi;
            OK(swath_toi(bodies[a].shape, &bodies[a].motion, bodies[b].shape, &bodies[b].motion, NULL, &toi));
            if (toi.state == SWATH_TOI_SEPARATED) {
                continue;
            }
            size_t at = 0;
            while (at < count && !(impacts[at].a == a && impacts[at].b == b)) {
                at++;
            }
            CHECK(at < count && impacts[at].part_a == toi.part_a && impacts[at].part_b == toi.part_b);
            CHECK(fabsf(impacts[at].t - toi.t) < 1e-3f);
            found++;
        }
    }
    return found;
}

static void ticks_have_the_impacts_of_a_loop(const swath_exec *exec) {
    swath_pipeline *pipeline;
    swath_pipeline_settings settings = swath_pipeline_defaults();
    swath_scene_body of_rows[COUNT];
    swath_scene scene = {.boxes = {.count = COUNT}, .bodies = of_rows, .body_count = COUNT};
    uint8_t flags[COUNT];
    swath_tick tick;
    swath_tick_stats stats;
    size_t bytes;
    for (uint32_t row = 0; row < COUNT; row++) {
        of_rows[row] = (swath_scene_body){bodies[row].shape, bodies[row].motion, row};
        flags[row] = row == 0 ? 0 : SWATH_BODY_MOVES;
    }
    OK(swath_pipeline_create(NULL, exec, &pipeline));
    OK(swath_pipeline_tick(pipeline, &scene, &tick));
    const size_t count = tick.impacts.count;
    CHECK(count > 50 && tick.sensed.count == 0 && tick.slow.count == 0 && tick.rejected.count == 0);
    CHECK(impacts_of_a_loop(tick.impacts.data, count) == count);
    for (size_t k = 1; k < count; k++) {
        CHECK(tick.impacts.data[k - 1].t <= tick.impacts.data[k].t);
    }
    OK(swath_pipeline_stats(pipeline, &stats));
    CHECK(stats.impacts == count && stats.shapes >= count && stats.candidates >= stats.shapes);
    OK(swath_pipeline_memory(pipeline, &bytes));
    CHECK(bytes > count * sizeof(swath_impact));

    /* A ball that is a sensor, and only fast bodies. */
    flags[3] |= SWATH_BODY_SENSOR;
    scene.flags = flags;
    OK(swath_pipeline_tick(pipeline, &scene, &tick));
    CHECK(tick.impacts.count + tick.sensed.count == count);
    settings.fast = 3;
    settings.impacts_per_body = 1;
    OK(swath_pipeline_configure(pipeline, &settings));
    OK(swath_pipeline_tick(pipeline, &scene, &tick));
    OK(swath_pipeline_stats(pipeline, &stats));
    CHECK(tick.slow.count > 0 && stats.slow == tick.slow.count && tick.impacts.count < count);
    settings.touch = 7;
    FAILS(swath_pipeline_configure(pipeline, &settings), SWATH_ERROR_ARGUMENT, "touch: 7");
    of_rows[5].row = 4;
    FAILS(swath_pipeline_tick(pipeline, &scene, &tick), SWATH_ERROR_ARGUMENT, "body 5 is of row 4");

    /* Plain boxes in an array of structures, of which one falls onto the other. */
    struct box {
        float center[3], half[3], velocity[3];
    } boxes[2] = {{{0, 0, 0}, {1, 1, 1}, {0, 0, 0}}, {{0, 4, 0}, {1, 1, 1}, {0, -240, 0}}};
    swath_scene plain = {.boxes = {.count = 2, .centered = 1, .tick_seconds = 1 / 60.0f}};
    plain.boxes.min = swath_rows(boxes, sizeof *boxes, offsetof(struct box, center));
    plain.boxes.max = swath_rows(boxes, sizeof *boxes, offsetof(struct box, half));
    plain.boxes.delta = swath_rows(boxes, sizeof *boxes, offsetof(struct box, velocity));
    OK(swath_pipeline_configure(pipeline, NULL));
    OK(swath_pipeline_tick(pipeline, &plain, &tick));
    CHECK(tick.impacts.count == 1 && tick.impacts.data[0].t <= 0.5f && tick.impacts.data[0].t > 0.4999f);
    CHECK(tick.impacts.data[0].normal[1] == 1 && tick.impacts.data[0].kind == SWATH_IMPACT_TOUCHING);
    swath_pipeline_destroy(pipeline);
}

/* The body of a proxy, whose index is that of the body. */
static void describe(void *user, swath_proxy_id id, swath_proxy_body *body) {
    const struct body *of = (const struct body *)user + id.index;
    body->shape = of->shape;
    body->motion = of->motion;
}

static swath_broadphase *broadphase_of_bodies(const swath_exec *exec) {
    swath_broadphase *world;
    const swath_proxy moving = swath_proxy_of_kind(SWATH_KIND_DYNAMIC), fixed = swath_proxy_of_kind(SWATH_KIND_FIXED);
    OK(swath_broadphase_create(exec, &world));
    for (size_t k = 0; k < COUNT; k++) {
        OK(swath_broadphase_insert(world, &bodies[k].around, k == 0 ? &fixed : &moving, &bodies[k].id));
        CHECK(bodies[k].id.index == k);
    }
    return world;
}

static void ticks_of_proxies_have_the_impacts_of_a_loop(const swath_exec *exec) {
    swath_pipeline *pipeline;
    swath_proxy_bodies described = {bodies, describe};
    swath_proxy_tick tick;
    swath_changes changes;
    swath_impact impacts[COUNT * 4];
    swath_broadphase *world = broadphase_of_bodies(exec);
    OK(swath_pipeline_create(NULL, exec, &pipeline));
    OK(swath_pipeline_tick_proxies(pipeline, world, &described, &tick));
    CHECK(tick.impacts.count > 50 && tick.impacts.count <= COUNT * 4 && tick.rejected.count == 0);
    for (size_t k = 0; k < tick.impacts.count; k++) {
        const swath_proxy_impact *of = &tick.impacts.data[k];
        impacts[k] = (swath_impact){.t = of->t, .a = of->a.index, .b = of->b.index, .part_a = of->part_a, .part_b = of->part_b};
    }
    CHECK(impacts_of_a_loop(impacts, tick.impacts.count) == tick.impacts.count);
    OK(swath_broadphase_changes(world, &changes));
    CHECK(changes.begun.count >= tick.impacts.count);
    described.body = NULL;
    FAILS(swath_pipeline_tick_proxies(pipeline, world, &described, &tick), SWATH_ERROR_ARGUMENT, "`body` is NULL");
    swath_pipeline_destroy(pipeline);
    swath_broadphase_destroy(world);
}

/* The body in a box at the start of the tick. Body 7 is not there. */
static void body_of(void *user, swath_proxy_id id, swath_body *body) {
    const struct body *of = (const struct body *)user + id.index;
    atomic_fetch_add(&calls, 1);
    body->shape = id.index == 7 ? NULL : of->shape;
    body->pose = of->motion.pose;
}

static swath_segment segment_number(uint32_t *state) {
    const float start[3] = {centered(state, 8192.0f), 6, centered(state, 8192.0f)};
    const float end[3] = {centered(state, 8192.0f), -1, centered(state, 8192.0f)};
    return swath_segment_to(start, end);
}

/* Queries of one object; `expected` is the first body that each of the segments enters. */
static void queries_are_those_of_a_loop(const swath_bodies *of, const swath_segment *segments) {
    static swath_body_cast hits[MANY], all[COUNT];
    static swath_body_sweep sweeps[COUNT];
    static swath_shape *const *ball = &shapes[0];
    static const swath_shape *balls[MANY];
    static swath_motion motions[MANY];
    static swath_body_sweep firsts[MANY];
    static swath_pose poses[MANY];
    static swath_proxy_id ids[MANY], inside[COUNT];
    swath_body_cast hit;
    swath_body_sweep sweep;
    size_t count, found = 0;
    OK(swath_bodies_casts(of, segments, MANY, hits));
    for (size_t k = 0; k < MANY; k++) {
        size_t entered = 0, best = COUNT;
        float fraction = INFINITY;
        for (size_t b = 0; b < COUNT; b++) {
            swath_shape_cast_result cast;
            OK(swath_shape_cast(bodies[b].shape, &bodies[b].motion.pose, &segments[k], &cast));
            if (b != 7 && cast.state != SWATH_CAST_MISSED) {
                entered++;
                if (cast.fraction < fraction) {
                    fraction = cast.fraction;
                    best = b;
                }
            }
        }
        CHECK(best < COUNT ? hits[k].id.index == best && hits[k].cast.fraction == fraction
                           : hits[k].id.index == SWATH_NO_INDEX && hits[k].cast.state == SWATH_CAST_MISSED);
        OK(swath_bodies_cast(of, &segments[k], &hit));
        CHECK(memcmp(&hit, &hits[k], sizeof hit) == 0);
        OK(swath_bodies_cast_any(of, &segments[k], &hit));
        CHECK((hit.id.index != SWATH_NO_INDEX) == (entered > 0));
        OK(swath_bodies_cast_all(of, &segments[k], all, COUNT, &count));
        CHECK(count == entered && (count == 0 || all[0].id.index == best));
        found += entered > 1;
    }
    CHECK(found > 20);

    /* A ball that flies along each segment, and one that rests at its start or near the floor. */
    for (size_t k = 0; k < MANY; k++) {
        const float *start = segments[k].start;
        balls[k] = *ball;
        motions[k] = swath_motion_at(start[0], start[1], start[2]);
        memcpy(motions[k].delta, segments[k].delta, sizeof motions[k].delta);
        poses[k] = swath_pose_at(start[0], 0.25f + (float)(k % 4), start[2]);
    }
    OK(swath_bodies_sweeps(of, balls, motions, MANY, NULL, firsts));
    OK(swath_bodies_overlaps_any(of, balls, poses, MANY, ids));
    for (size_t k = 0; k < MANY; k++) {
        size_t touched = 0, overlapping = 0;
        float t = INFINITY;
        for (size_t b = 0; b < COUNT; b++) {
            const swath_motion still = {.pose = bodies[b].motion.pose};
            swath_toi_result toi;
            int32_t overlaps;
            OK(swath_toi(*ball, &motions[k], bodies[b].shape, &still, NULL, &toi));
            if (b != 7 && toi.state != SWATH_TOI_SEPARATED) {
                touched++;
                t = toi.t < t ? toi.t : t;
            }
            OK(swath_overlaps(*ball, &poses[k], bodies[b].shape, &still.pose, &overlaps));
            overlapping += b != 7 && overlaps;
        }
        CHECK(touched > 0 ? firsts[k].toi.t == t : firsts[k].id.index == SWATH_NO_INDEX);
        if (k % 10 == 0) {
            OK(swath_bodies_sweep(of, *ball, &motions[k], NULL, &sweep));
            CHECK(memcmp(&sweep, &firsts[k], sizeof sweep) == 0);
            OK(swath_bodies_sweep_any(of, *ball, &motions[k], NULL, &sweep));
            CHECK((sweep.id.index != SWATH_NO_INDEX) == (touched > 0));
            OK(swath_bodies_sweep_all(of, *ball, &motions[k], NULL, sweeps, COUNT, &count));
            CHECK(count == touched && (count == 0 || sweeps[0].toi.t == t));
            OK(swath_bodies_overlap(of, *ball, &poses[k], inside, COUNT, &count));
            CHECK(count == overlapping);
            OK(swath_bodies_overlap_any(of, *ball, &poses[k], &inside[0]));
            CHECK((inside[0].index != SWATH_NO_INDEX) == (overlapping > 0));
        }
        CHECK((ids[k].index != SWATH_NO_INDEX) == (overlapping > 0));
    }
    count = 0;
    FAILS(swath_bodies_overlap(of, shapes[3], &bodies[0].motion.pose, NULL, 0, &count), SWATH_ERROR_TOO_SHORT, "capacity of 0");
    CHECK(count > 0);
}

static void bodies_are_found_in_every_object(const swath_exec *exec) {
    swath_bvh *tree;
    swath_fixed_boxes *fixed;
    swath_body_cast hit;
    uint32_t rows[COUNT], state = 5;
    static swath_segment segments[MANY];
    static swath_aabb boxes_at_start[COUNT];
    swath_boxes boxes = {.count = COUNT};
    swath_bodies of = {.user = bodies, .body = body_of};
    swath_broadphase *world = broadphase_of_bodies(exec);
    for (uint32_t k = 0; k < COUNT; k++) {
        rows[k] = k;
        OK(swath_shape_bounds(bodies[k].shape, &bodies[k].motion.pose, &boxes_at_start[k]));
    }
    for (size_t k = 0; k < MANY; k++) {
        segments[k] = segment_number(&state);
    }
    boxes.min = swath_rows(boxes_at_start, sizeof *boxes_at_start, offsetof(swath_aabb, min));
    boxes.max = swath_rows(boxes_at_start, sizeof *boxes_at_start, offsetof(swath_aabb, max));
    OK(swath_bvh_create(exec, &tree));
    OK(swath_bvh_build(tree, &boxes));
    OK(swath_fixed_boxes_create(exec, &fixed));
    OK(swath_fixed_boxes_put(fixed, rows, &boxes));

    FAILS(swath_bodies_cast(&of, &segments[0], &hit), SWATH_ERROR_NULL, "expected one object");
    of.bvh = tree;
    queries_are_those_of_a_loop(&of, segments);
    const unsigned tested = atomic_load(&calls);
    CHECK(tested > 0 && tested < 40u * MANY * COUNT / 10);
    of.query.without_owner = 1;
    FAILS(swath_bodies_cast(&of, &segments[0], &hit), SWATH_ERROR_ARGUMENT, "only proxies have them");
    of.query.without_owner = 0;
    of.fixed = fixed;
    FAILS(swath_bodies_cast(&of, &segments[0], &hit), SWATH_ERROR_ARGUMENT, "more than one");
    of.bvh = NULL;
    queries_are_those_of_a_loop(&of, segments);
    of.fixed = NULL;
    of.broadphase = world;
    FAILS(swath_bodies_cast(&of, &segments[0], &hit), SWATH_ERROR_NOT_PREPARED, "prepare_queries");
    OK(swath_broadphase_prepare_queries(world));
    queries_are_those_of_a_loop(&of, segments);
    of.query.without_kinds = 1u << SWATH_KIND_FIXED;
    for (size_t k = 0; k < MANY; k++) {
        OK(swath_bodies_cast(&of, &segments[k], &hit));
        CHECK(hit.id.index != 0);
    }
    swath_bvh_destroy(tree);
    swath_fixed_boxes_destroy(fixed);
    swath_broadphase_destroy(world);
}

static void all_parts_touch_when_they_should(const swath_exec *exec) {
    swath_toi_result parts[4];
    swath_part_distance near, many[2];
    size_t count;
    const swath_motion still = swath_motion_at(0, 0, 0);
    swath_motion along = swath_motion_at(4, 0, 0);
    along.delta[0] = -8;
    OK(swath_toi_each_part(shapes[0], &along, shapes[2], &still, NULL, parts, 4, &count));
    CHECK(count == 2 && parts[0].part_b == 1 && parts[1].part_b == 0);
    CHECK(parts[0].t <= 2.5f / 8 && parts[0].t > 0.312f && parts[1].t <= 3.5f / 8 && parts[1].t > 0.437f);
    FAILS(swath_toi_each_part(shapes[0], &along, shapes[2], &still, NULL, parts, 1, &count), SWATH_ERROR_TOO_SHORT, "2");
    CHECK(count == 2);
    OK(swath_distance_within(shapes[0], &along.pose, shapes[2], &still.pose, 10, &near));
    CHECK(fabsf(near.distance - 2.5f) < 1e-5f && near.part_b == 1 && near.normal[0] == -1);
    OK(swath_distance_within(shapes[0], &along.pose, shapes[2], &still.pose, 2, &many[0]));
    CHECK(isinf(many[0].distance));
    const swath_shape *of[3] = {shapes[0], shapes[2], shapes[3]};
    const swath_pose poses[3] = {along.pose, still.pose, swath_pose_at(0, -3, 0)};
    const swath_pair pairs[2] = {{0, 1}, {0, 2}};
    OK(swath_distance_within_pairs(of, poses, 3, pairs, 2, 10, exec, many));
    CHECK(memcmp(&many[0], &near, sizeof near) == 0 && fabsf(many[1].distance - 2.5f) < 1e-5f);
    FAILS(swath_distance_within_pairs(of, poses, 3, pairs, 2, NAN, exec, many), SWATH_ERROR_INVALID, "");
}

int main(void) {
    swath_exec exec = exec_of_environment();
    make_shapes(&exec);
    make_bodies();
    ticks_have_the_impacts_of_a_loop(&exec);
    ticks_of_proxies_have_the_impacts_of_a_loop(&exec);
    bodies_are_found_in_every_object(&exec);
    all_parts_touch_when_they_should(&exec);
    for (size_t k = 0; k < 4; k++) {
        swath_shape_destroy(shapes[k]);
    }
    printf("all bodies meet as they should, on %s\n", exec.level ? exec.level : swath_level_name());
    return 0;
}
