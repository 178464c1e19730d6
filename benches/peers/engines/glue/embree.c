/* Embree: `rtcIntersect1` among boxes, which are user geometry with a slab test as intersect function, and `rtcCollide` of
 * two scenes or of one with itself, whose candidates are boxes in leaves that overlap.
 *
 * The scene is built with the default quality and without flags; after boxes were replaced, for dynamic scenes and with low
 * quality, which finds pairs faster. A call sets up the ray and its context from a segment with
 * reciprocals. The slab test is that of the other peers. */
#include <embree3/rtcore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "embree.h"

typedef struct Tree {
    const float* boxes;
    uint32_t count;
    RTCDevice device;
    RTCScene scene;
    int dynamic;
} Tree;

/* The context of a ray, followed by what the slab test needs. */
typedef struct Context {
    struct RTCIntersectContext base;
    const Segment* segment;
} Context;

static void bounds(const struct RTCBoundsFunctionArguments* args) {
    const float* box = (const float*)args->geometryUserPtr + 6 * (size_t)args->primID;
    struct RTCBounds* out = args->bounds_o;
    out->lower_x = box[0];
    out->lower_y = box[1];
    out->lower_z = box[2];
    out->upper_x = box[3];
    out->upper_y = box[4];
    out->upper_z = box[5];
}

/* Single rays only, so `rayhit` is one `RTCRayHit`. */
static void intersect(const struct RTCIntersectFunctionNArguments* args) {
    if (!args->valid[0]) return;
    const float* box = (const float*)args->geometryUserPtr + 6 * (size_t)args->primID;
    const Segment* segment = ((const Context*)args->context)->segment;
    struct RTCRayHit* out = (struct RTCRayHit*)args->rayhit;
    float entry = 0.0f, exit = out->ray.tfar;
    for (int axis = 0; axis < 3; ++axis) {
        float from = (box[axis] - segment->start[axis]) * segment->per_delta[axis];
        float to = (box[axis + 3] - segment->start[axis]) * segment->per_delta[axis];
        float least = from < to ? from : to, greatest = from < to ? to : from;
        entry = least > entry ? least : entry;
        exit = greatest < exit ? greatest : exit;
    }
    if (entry <= exit) {
        out->ray.tfar = entry;
        out->hit.geomID = args->geomID;
        out->hit.primID = args->primID;
    }
}

void* engine_embree_new(const float* boxes, uint32_t count, uint32_t threads) {
    char config[32];
    snprintf(config, sizeof config, "threads=%u", (unsigned)threads);
    Tree* tree = calloc(1, sizeof(Tree));
    if (!tree) return NULL;
    tree->boxes = boxes;
    tree->count = count;
    tree->device = rtcNewDevice(config);
    if (tree->device) return tree;
    free(tree);
    return NULL;
}

void* engine_embree_beside(const void* pointer) {
    const Tree* other = pointer;
    Tree* tree = calloc(1, sizeof(Tree));
    if (!tree) return NULL;
    rtcRetainDevice(other->device);
    tree->device = other->device;
    return tree;
}

int engine_embree_build(void* pointer) {
    Tree* tree = pointer;
    if (tree->scene) rtcReleaseScene(tree->scene);
    tree->scene = rtcNewScene(tree->device);
    if (tree->dynamic) {
        rtcSetSceneBuildQuality(tree->scene, RTC_BUILD_QUALITY_LOW);
        rtcSetSceneFlags(tree->scene, RTC_SCENE_FLAG_DYNAMIC);
    }
    RTCGeometry geometry = rtcNewGeometry(tree->device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, tree->count);
    rtcSetGeometryUserData(geometry, (void*)tree->boxes);
    rtcSetGeometryBoundsFunction(geometry, bounds, NULL);
    rtcSetGeometryIntersectFunction(geometry, intersect);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(tree->scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(tree->scene);
    return rtcGetDeviceError(tree->device) == RTC_ERROR_NONE;
}

int engine_embree_closest(const void* pointer, const Segment* segment, uint32_t* row, float* fraction) {
    const Tree* tree = pointer;
    Context context = {.segment = segment};
    rtcInitIntersectContext(&context.base);
    struct RTCRayHit hit = {
        .ray = {.org_x = segment->start[0],
                .org_y = segment->start[1],
                .org_z = segment->start[2],
                .dir_x = segment->delta[0],
                .dir_y = segment->delta[1],
                .dir_z = segment->delta[2],
                .tfar = segment->max_fraction,
                .mask = -1u},
        .hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}},
    };
    rtcIntersect1(tree->scene, &context.base, &hit);
    *row = hit.hit.primID;
    *fraction = hit.ray.tfar;
    return hit.hit.geomID != RTC_INVALID_GEOMETRY_ID;
}

void engine_embree_replace(void* pointer, const float* boxes, uint32_t count) {
    Tree* tree = pointer;
    if (tree->scene) rtcReleaseScene(tree->scene);
    tree->scene = NULL;
    tree->dynamic = 1;
    tree->boxes = boxes;
    tree->count = count;
}

typedef struct Pairs {
    const float *a, *b;
    uint32_t* out;
    size_t capacity;
    atomic_size_t count;
} Pairs;

static int touch(const float* a, const float* b) {
    return (a[0] <= b[3]) & (b[0] <= a[3]) & (a[1] <= b[4]) & (b[1] <= a[4]) & (a[2] <= b[5]) & (b[2] <= a[5]);
}

/* Embree calls it on several threads at once, and with each pair of boxes of one scene in both orders. */
static void collide(void* pointer, struct RTCCollision* candidates, unsigned int count) {
    Pairs* pairs = pointer;
    unsigned int kept = 0;
    for (unsigned int k = 0; k < count; ++k) {
        size_t a = candidates[k].primID0, b = candidates[k].primID1;
        if (pairs->a == pairs->b && a >= b) continue;
        if (touch(pairs->a + 6 * a, pairs->b + 6 * b)) candidates[kept++] = candidates[k];
    }
    if (kept == 0) return;
    size_t at = atomic_fetch_add_explicit(&pairs->count, kept, memory_order_relaxed);
    for (unsigned int k = 0; k < kept && at + k < pairs->capacity; ++k) {
        pairs->out[2 * (at + k)] = candidates[k].primID0;
        pairs->out[2 * (at + k) + 1] = candidates[k].primID1;
    }
}

size_t engine_embree_pairs(const void* of_a, const void* of_b, uint32_t* out, size_t capacity) {
    const Tree *a = of_a, *b = of_b;
    if (a->device != b->device) return SIZE_MAX;
    /* `rtcCollide` crashes with an empty scene. */
    if (a->count == 0 || b->count == 0) return 0;
    Pairs pairs = {.a = a->boxes, .b = b->boxes, .out = out, .capacity = capacity};
    rtcCollide(a->scene, b->scene, collide, &pairs);
    return pairs.count;
}

void engine_embree_free(void* pointer) {
    Tree* tree = pointer;
    if (tree->scene) rtcReleaseScene(tree->scene);
    rtcReleaseDevice(tree->device);
    free(tree);
}
