/* Interface of Embree to `src/embree.rs`, which describes it. */
#ifndef EMBREE_H
#define EMBREE_H

#include <stddef.h>
#include <stdint.h>

/* `per_delta` are the reciprocals of `delta`. */
typedef struct Segment {
    float start[3];
    float delta[3];
    float per_delta[3];
    float max_fraction;
} Segment;

/* `boxes` are `count` times the least and the greatest corner; they are not copied. Null without a device. */
void* engine_embree_new(const float* boxes, uint32_t count, uint32_t threads);
/* Builds the tree. Returns 0 if Embree reports an error. */
int engine_embree_build(void* tree);
/* Replaces the boxes; there is no tree until the next build. */
void engine_embree_replace(void* tree, const float* boxes, uint32_t count);
/* No boxes, on the device of another tree. */
void* engine_embree_beside(const void* tree);
/* Returns the number of pairs of a box of `a` and one of `b` that share a point, and writes the first `capacity` of them in
   any order. If both are the same tree, each pair is found once, the lower row first. Trees on two devices: `SIZE_MAX`. */
size_t engine_embree_pairs(const void* a, const void* b, uint32_t* out, size_t capacity);
/* Returns whether there is a hit, and then writes its row and its fraction. */
int engine_embree_closest(const void* tree, const Segment* segment, uint32_t* row, float* fraction);
void engine_embree_free(void* tree);

#endif
