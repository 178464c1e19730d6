/* Box3D: `b3ShapeDistance`, `b3ShapeCast`, `b3TimeOfImpact` and `b3ShapeCastMesh`, with a new cache for each call.

   Outside of the clock are the points of each shape, the pose of one shape in the frame of the other, and for a mesh the
   points of each shape in the frame of the mesh. */
#include "engines.h"

#include "box3d/box3d.h"
#include "box3d/collision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Row {
    b3DistanceInput distance;
    b3ShapeCastPairInput cast;
    b3TOIInput toi;
    b3ShapeCastInput against_mesh;
} Row;

typedef struct Work {
    size_t count;
    Row* rows;
    b3Vec3* points; /* of all proxies, one after another */
    b3Mesh mesh;    /* `data` is null without triangles */
} Work;

static b3Vec3 vec(const float* v) {
    b3Vec3 out = {v[0], v[1], v[2]};
    return out;
}

static b3Quat quat(const float* q) {
    b3Quat out = {{q[0], q[1], q[2]}, q[3]};
    return out;
}

static size_t point_count(const Input* in, const MovingShape* body) {
    switch (body->kind) {
        case KIND_BOX: return 8;
        case KIND_SPHERE: return 1;
        case KIND_CAPSULE: return 2;
        default: return in->hulls[body->hull].count;
    }
}

/* Writes the points of a shape to `*next` and advances it. */
static b3ShapeProxy proxy(const Input* in, const MovingShape* body, b3Vec3** next) {
    b3ShapeProxy out = {*next, (int)point_count(in, body), 0.0f};
    const float* s = body->size;
    for (int k = 0; k < out.count; ++k) {
        b3Vec3 p = {0.0f, 0.0f, 0.0f};
        if (body->kind == KIND_BOX) {
            p.x = k & 1 ? s[0] : -s[0];
            p.y = k & 2 ? s[1] : -s[1];
            p.z = k & 4 ? s[2] : -s[2];
        } else if (body->kind == KIND_CAPSULE) {
            p.y = k ? s[0] : -s[0];
        } else if (body->kind == KIND_HULL) {
            p = vec(in->hulls[body->hull].points + 3 * k);
        }
        *(*next)++ = p;
    }
    if (body->kind == KIND_SPHERE) out.radius = s[0];
    if (body->kind == KIND_CAPSULE) out.radius = s[1];
    return out;
}

static b3Sweep sweep(const MovingShape* body) {
    b3Sweep out;
    memset(&out, 0, sizeof out);
    out.c1 = vec(body->position);
    out.c2 = b3Add(out.c1, vec(body->delta));
    out.q1 = quat(body->rotation);
    out.q2 = quat(body->rotation_at_end);
    return out;
}

void engine_box3d_free(void* pointer) {
    Work* work = pointer;
    if (work == NULL) return;
    if (work->mesh.data != NULL) b3DestroyMesh((b3MeshData*)work->mesh.data);
    free(work->points);
    free(work->rows);
    free(work);
}

void* engine_box3d_new(const Input* in) {
    Work* work = calloc(1, sizeof(Work));
    if (work == NULL) return NULL;
    size_t total = 0;
    for (size_t k = 0; k < in->body_count; ++k) total += point_count(in, in->bodies + k);
    int mesh = in->triangle_count > 0;
    work->count = mesh ? in->body_count : in->body_count / 2;
    work->points = malloc((total + 1) * sizeof(b3Vec3));
    work->rows = calloc(work->count + 1, sizeof(Row));
    if (work->points == NULL || work->rows == NULL) {
        engine_box3d_free(work);
        return NULL;
    }
    b3Vec3* next = work->points;
    if (mesh) {
        b3MeshDef def;
        memset(&def, 0, sizeof def);
        def.vertices = (b3Vec3*)in->vertices;
        def.indices = (int32_t*)in->triangles;
        def.vertexCount = (int)in->vertex_count;
        def.triangleCount = (int)in->triangle_count;
        work->mesh.data = b3CreateMesh(&def, NULL, 0);
        work->mesh.scale = (b3Vec3){1.0f, 1.0f, 1.0f};
        if (work->mesh.data == NULL) {
            engine_box3d_free(work);
            return NULL;
        }
        for (size_t k = 0; k < work->count; ++k) {
            const MovingShape* body = in->bodies + k;
            b3ShapeCastInput* cast = &work->rows[k].against_mesh;
            b3Vec3* first = next;
            cast->proxy = proxy(in, body, &next);
            b3Transform pose = {vec(body->position), quat(body->rotation)};
            for (; first < next; ++first) *first = b3TransformPoint(pose, *first);
            cast->translation = vec(body->delta);
            cast->maxFraction = 1.0f;
        }
        return work;
    }
    for (size_t k = 0; k < work->count; ++k) {
        const MovingShape *a = in->bodies + 2 * k, *b = a + 1;
        Row* row = work->rows + k;
        b3Quat inverse = b3Conjugate(quat(b->rotation));
        b3ShapeProxy of_a = proxy(in, a, &next), of_b = proxy(in, b, &next);
        b3Transform pose = {
            b3RotateVector(inverse, vec(a->position)),
            b3MulQuat(inverse, quat(a->rotation)),
        };
        row->distance = (b3DistanceInput){of_b, of_a, pose, true};
        row->cast = (b3ShapeCastPairInput){
            of_b, of_a, pose, b3RotateVector(inverse, vec(a->delta)), 1.0f, false,
        };
        row->toi = (b3TOIInput){of_b, of_a, sweep(b), sweep(a), 1.0f};
    }
    return work;
}

void engine_box3d_run(const void* pointer, uint32_t question, size_t from, size_t to, float* out) {
    const Work* work = pointer;
    for (size_t k = from; k < to; ++k) {
        const Row* row = work->rows + k;
        float value = INFINITY;
        if (work->mesh.data != NULL) {
            b3CastOutput hit = b3ShapeCastMesh(&work->mesh, &row->against_mesh);
            if (hit.hit) value = hit.fraction;
        } else if (question == QUESTION_DISTANCE) {
            b3SimplexCache cache = {0};
            value = b3ShapeDistance(&row->distance, &cache, NULL, 0).distance;
        } else if (question == QUESTION_LINEAR) {
            b3CastOutput hit = b3ShapeCast(&row->cast);
            if (hit.hit) value = hit.fraction;
        } else {
            b3TOIOutput toi = b3TimeOfImpact(&row->toi);
            if (toi.state != b3_toiStateSeparated) value = toi.fraction;
        }
        *out++ = value;
    }
}
