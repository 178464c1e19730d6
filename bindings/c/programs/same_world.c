/* The world of bindings/SAME_WORLD.md through C: prints the lines of bindings/same_world.txt. */

#include "check.h"

enum { BOXES = 3000, RAYS = 1000, CONVEX_PAIRS = 500, HULL_POINTS = 8, TICKS = 4 };

/* A body of a program: its box is somewhere inside. */
struct body {
    uint16_t kind;
    swath_moving_box moving;
    double mass;
};

struct part {
    uint64_t hash;
    size_t answers;
};

static struct part new_part(void) {
    struct part part = {0xcbf29ce484222325u, 0};
    return part;
}

static void hash_word(struct part *part, uint32_t word) {
    for (int byte = 0; byte < 4; byte++) {
        part->hash = (part->hash ^ ((word >> (8 * byte)) & 0xffu)) * UINT64_C(0x100000001b3);
    }
}

static void hash_float(struct part *part, float number) {
    uint32_t word;
    memcpy(&word, &number, sizeof word);
    hash_word(part, word);
}

static void print_part(const char *name, struct part part) {
    printf("%s %zu %08lx%08lx\n", name, part.answers, (unsigned long)(part.hash >> 32),
           (unsigned long)(part.hash & 0xffffffffu));
}

static void make_boxes(struct body *bodies) {
    uint32_t state = 1;
    for (int k = 0; k < BOXES; k++) {
        swath_moving_box *moving = &bodies[k].moving;
        for (int axis = 0; axis < 3; axis++) {
            moving->aabb.min[axis] = positive(&state, 1024.0f);
            moving->aabb.max[axis] = moving->aabb.min[axis] + (float)(whole(&state) % 4096u) / 1024.0f;
            moving->delta[axis] = centered(&state, 8192.0f);
        }
    }
}

static swath_boxes boxes_of(const struct body *bodies, int moving) {
    swath_boxes boxes;
    memset(&boxes, 0, sizeof boxes);
    boxes.count = BOXES;
    boxes.min = swath_rows(bodies, sizeof *bodies, offsetof(struct body, moving.aabb.min));
    boxes.max = swath_rows(bodies, sizeof *bodies, offsetof(struct body, moving.aabb.max));
    if (moving) {
        boxes.delta = swath_rows(bodies, sizeof *bodies, offsetof(struct body, moving.delta));
    }
    return boxes;
}

static void pairs_of_boxes(const swath_exec *exec, const struct body *bodies) {
    struct part of_union = new_part(), of_swept = new_part();
    swath_boxes boxes = boxes_of(bodies, 1);
    swath_pair_finder *finder;
    swath_pairs pairs;
    swath_swept_pairs swept;
    OK(swath_pair_finder_create(exec, &finder));
    OK(swath_pair_finder_union_pairs(finder, &boxes, NULL, SWATH_SORTED, &pairs));
    for (size_t k = 0; k < pairs.count; k++) {
        hash_word(&of_union, pairs.data[k].a);
        hash_word(&of_union, pairs.data[k].b);
    }
    of_union.answers = pairs.count;
    /* The next call may change the memory of `pairs`. */
    OK(swath_pair_finder_swept_pairs(finder, &boxes, NULL, SWATH_SORTED, &swept));
    for (size_t k = 0; k < swept.count; k++) {
        hash_word(&of_swept, swept.data[k].a);
        hash_word(&of_swept, swept.data[k].b);
        hash_float(&of_swept, swept.data[k].first);
    }
    of_swept.answers = swept.count;
    print_part("union", of_union);
    print_part("swept", of_swept);
    swath_pair_finder_destroy(finder);
}

static void vector_of(float *to, uint32_t *state, float (*number)(uint32_t *, float), float parts) {
    for (int axis = 0; axis < 3; axis++) {
        to[axis] = number(state, parts);
    }
}

static void casts(const swath_exec *exec, const struct body *bodies) {
    static swath_segment segments[RAYS];
    static swath_hit hits[RAYS];
    struct part part = new_part();
    swath_boxes boxes = boxes_of(bodies, 0);
    uint32_t state = 2;
    swath_bvh *bvh;
    OK(swath_bvh_create(exec, &bvh));
    OK(swath_bvh_build(bvh, &boxes));
    for (int k = 0; k < RAYS; k++) {
        vector_of(segments[k].start, &state, positive, 1024.0f);
        vector_of(segments[k].delta, &state, centered, 1024.0f);
        segments[k].max_fraction = 1.0f;
    }
    OK(swath_bvh_casts(bvh, segments, RAYS, NULL, hits));
    for (int k = 0; k < RAYS; k++) {
        hash_word(&part, hits[k].row);
        hash_float(&part, hits[k].value);
    }
    part.answers = RAYS;
    print_part("casts", part);
    swath_bvh_destroy(bvh);
}

static void convex_pairs(const swath_exec *exec) {
    static swath_shape *shapes[2 * CONVEX_PAIRS];
    static swath_motion motions[2 * CONVEX_PAIRS];
    static swath_pose poses[2 * CONVEX_PAIRS];
    static swath_pair pairs[CONVEX_PAIRS];
    static swath_toi_result times[CONVEX_PAIRS];
    static swath_distance_result distances[CONVEX_PAIRS];
    struct part of_times = new_part(), of_distances = new_part();
    uint32_t state = 3;
    for (int k = 0; k < 2 * CONVEX_PAIRS; k++) {
        float points[HULL_POINTS][3], position[3];
        for (int point = 0; point < HULL_POINTS; point++) {
            vector_of(points[point], &state, centered, 32768.0f);
        }
        OK(swath_shape_hull(swath_rows(points, sizeof points[0], 0), HULL_POINTS, &shapes[k]));
        vector_of(position, &state, positive, 8192.0f);
        motions[k] = swath_motion_at(position[0], position[1], position[2]);
        vector_of(motions[k].delta, &state, centered, 8192.0f);
        vector_of(motions[k].accel, &state, centered, 16384.0f);
        vector_of(motions[k].spin, &state, centered, 16384.0f);
        poses[k] = motions[k].pose;
    }
    for (uint32_t k = 0; k < CONVEX_PAIRS; k++) {
        pairs[k].a = 2 * k;
        pairs[k].b = 2 * k + 1;
    }
    const swath_shape *const *bodies = (const swath_shape *const *)shapes;
    OK(swath_toi_pairs(bodies, motions, 2 * CONVEX_PAIRS, pairs, CONVEX_PAIRS, NULL, exec, times));
    OK(swath_distance_pairs(bodies, poses, 2 * CONVEX_PAIRS, pairs, CONVEX_PAIRS, exec, distances));
    for (int k = 0; k < CONVEX_PAIRS; k++) {
        hash_word(&of_times, times[k].state);
        hash_float(&of_times, times[k].t);
        hash_float(&of_distances, distances[k].distance);
        for (int axis = 0; axis < 3; axis++) {
            hash_float(&of_times, times[k].normal[axis]);
            hash_float(&of_distances, distances[k].normal[axis]);
        }
    }
    of_times.answers = of_distances.answers = CONVEX_PAIRS;
    print_part("first_times", of_times);
    print_part("distances", of_distances);
    for (int k = 0; k < 2 * CONVEX_PAIRS; k++) {
        swath_shape_destroy(shapes[k]);
    }
}

static uint32_t row_of(const swath_broadphase *broadphase, swath_proxy_id id) {
    uint64_t data;
    OK(swath_broadphase_data(broadphase, id, &data));
    return (uint32_t)data;
}

static void hash_swept(struct part *part, const swath_broadphase *broadphase, swath_swept_proxy_pairs pairs) {
    for (size_t k = 0; k < pairs.count; k++) {
        hash_word(part, row_of(broadphase, pairs.data[k].a));
        hash_word(part, row_of(broadphase, pairs.data[k].b));
        hash_float(part, pairs.data[k].first);
    }
    part->answers += pairs.count;
}

static void events(const swath_exec *exec, struct body *bodies) {
    static swath_proxy_id ids[BOXES];
    struct part part = new_part();
    swath_broadphase *broadphase;
    OK(swath_broadphase_create(exec, &broadphase));
    for (int row = 0; row < BOXES; row++) {
        swath_proxy proxy = swath_proxy_of_kind(row % 4 == 0 ? SWATH_KIND_FIXED : SWATH_KIND_DYNAMIC);
        proxy.data = (uint64_t)row;
        OK(swath_broadphase_insert(broadphase, &bodies[row].moving, &proxy, &ids[row]));
    }
    for (int tick = 0; tick < TICKS; tick++) {
        swath_changes changes;
        swath_swept_proxy_pairs touching;
        OK(swath_broadphase_update(broadphase, NULL, &changes));
        hash_swept(&part, broadphase, changes.begun);
        for (size_t k = 0; k < changes.ended.count; k++) {
            hash_word(&part, row_of(broadphase, changes.ended.data[k].a));
            hash_word(&part, row_of(broadphase, changes.ended.data[k].b));
        }
        part.answers += changes.ended.count;
        OK(swath_broadphase_touching(broadphase, &touching));
        hash_swept(&part, broadphase, touching);
        for (int row = 0; row < BOXES; row++) {
            swath_moving_box *moving = &bodies[row].moving;
            if (row % 50 == tick) {
                OK(swath_broadphase_remove(broadphase, ids[row]));
            } else if (row % 50 > tick && row % 4 != 0 && row % 3 == tick % 3) {
                for (int axis = 0; axis < 3; axis++) {
                    moving->aabb.min[axis] += moving->delta[axis];
                    moving->aabb.max[axis] += moving->delta[axis];
                }
                OK(swath_broadphase_set(broadphase, ids[row], moving));
            }
        }
    }
    print_part("events", part);
    swath_broadphase_destroy(broadphase);
}

int main(void) {
    static struct body bodies[BOXES];
    swath_exec exec = exec_of_environment();
    make_boxes(bodies);
    pairs_of_boxes(&exec, bodies);
    casts(&exec, bodies);
    convex_pairs(&exec);
    events(&exec, bodies);
    return 0;
}
