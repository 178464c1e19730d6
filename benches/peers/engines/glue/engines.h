/* Interface of the engines and of FCL to `src/lib.rs`, which describes it. Lengths of arrays are numbers of elements. */
#ifndef ENGINES_H
#define ENGINES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { KIND_BOX, KIND_SPHERE, KIND_CAPSULE, KIND_HULL };
enum { QUESTION_DISTANCE, QUESTION_LINEAR, QUESTION_ROTATION };

/* A shape with a motion. `size`: half lengths; radius; half height and radius of a capsule along y. */
typedef struct MovingShape {
    uint32_t kind;
    uint32_t hull;
    float size[3];
    float position[3];
    float rotation[4];
    float delta[3];
    float rotation_at_end[4];
} MovingShape;

typedef struct PointSet {
    const float* points; /* x, y, z of each */
    size_t count;
} PointSet;

/* Without triangles, bodies `2 i` and `2 i + 1` are pair `i`, of which the second is at the origin and moves only by
   rotation. With triangles, each body is swept against the mesh. */
typedef struct Input {
    const PointSet* hulls;
    size_t hull_count;
    const MovingShape* bodies;
    size_t body_count;
    const float* vertices;
    size_t vertex_count;
    const uint32_t* triangles;
    size_t triangle_count;
} Input;

/* `NEW` returns null if the engine cannot create a shape. `RUN` writes a distance or a time for each row from `from` to
   `to`, infinity without a hit. */
#define ENGINE(NAME)                                                                                                        \
    void* NAME##_new(const Input* input);                                                                                   \
    void NAME##_run(const void* work, uint32_t question, size_t from, size_t to, float* out);                               \
    void NAME##_free(void* work);

ENGINE(engine_box3d)
ENGINE(engine_jolt)
ENGINE(engine_physx)
ENGINE(engine_fcl)

#ifdef __cplusplus
}
#endif

#endif
