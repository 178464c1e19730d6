/* Threads of the program: an executor, queries from several threads, and processes that fork. */

#define _POSIX_C_SOURCE 200809L

#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CROWD = 20000, THREADS = 4 };

static float crowd[9][CROWD];

static swath_boxes make_crowd(void) {
    uint32_t state = 11;
    for (size_t k = 0; k < CROWD; k++) {
        for (int axis = 0; axis < 3; axis++) {
            crowd[axis][k] = positive(&state, 1024.0f);
            crowd[3 + axis][k] = crowd[axis][k] + 1;
            crowd[6 + axis][k] = centered(&state, 32768.0f);
        }
    }
    swath_boxes boxes = {.count = CROWD};
    boxes.min = swath_columns(crowd[0], crowd[1], crowd[2]);
    boxes.max = swath_columns(crowd[3], crowd[4], crowd[5]);
    boxes.delta = swath_columns(crowd[6], crowd[7], crowd[8]);
    return boxes;
}

/* A segment through the lower corner of a box of the crowd. */
static swath_segment through(size_t k) {
    swath_segment segment = {{crowd[0][k], crowd[1][k], -1}, {0, 0, crowd[2][k] + 1}, 1};
    return segment;
}

/* An executor that starts threads for each loop. */
struct job {
    swath_task task;
    void *context;
    size_t index;
};

static atomic_int tasks_run;

static void *run_job(void *argument) {
    struct job *job = argument;
    job->task(job->context, job->index);
    atomic_fetch_add(&tasks_run, 1);
    return NULL;
}

static void run_on_threads(void *user, size_t tasks, swath_task task, void *context) {
    pthread_t threads[4];
    struct job jobs[4];
    CHECK(user == &tasks_run && tasks <= 4);
    for (size_t index = 0; index < tasks; index++) {
        jobs[index] = (struct job){task, context, index};
        CHECK(pthread_create(&threads[index], NULL, run_job, &jobs[index]) == 0);
    }
    for (size_t index = 0; index < tasks; index++) {
        CHECK(pthread_join(threads[index], NULL) == 0);
    }
}

static void executor_runs_the_tasks(const swath_exec *exec) {
    swath_executor executor = {&tasks_run, 4, run_on_threads};
    swath_exec own = *exec;
    swath_pair_finder *finder, *with_executor;
    swath_swept_pairs one, other;
    swath_boxes boxes = make_crowd();
    own.executor = &executor;
    OK(swath_pair_finder_create(exec, &finder));
    OK(swath_pair_finder_create(&own, &with_executor));
    OK(swath_pair_finder_swept_pairs(finder, &boxes, NULL, SWATH_AS_FOUND, &one));
    for (int round = 0; round < 3; round++) {
        OK(swath_pair_finder_swept_pairs(with_executor, &boxes, NULL, SWATH_AS_FOUND, &other));
        CHECK(one.count == other.count && memcmp(one.data, other.data, one.count * sizeof *one.data) == 0);
    }
    CHECK(tasks_run > 0);
    swath_pair_finder_destroy(finder);
    swath_pair_finder_destroy(with_executor);
}

/* What several threads query, and the results of one thread. */
static const swath_bvh *tree;
static const swath_fixed_boxes *walls;
static const swath_broadphase *broadphase;
static swath_proxy_hit expected[CROWD];

static void *query(void *argument) {
    size_t first = *(size_t *)argument;
    for (size_t k = first; k < CROWD; k += 97) {
        swath_segment segment = through(k);
        swath_segment two[2] = {segment, segment};
        swath_aabb at_end = {{crowd[0][k], crowd[1][k], crowd[2][k]}, {crowd[0][k], crowd[1][k], crowd[2][k]}};
        swath_hit hit, of_walls;
        swath_proxy_hit of_proxies, each[2];
        swath_proxy_id id;
        size_t count;
        OK(swath_bvh_cast(tree, &segment, NULL, &hit));
        OK(swath_fixed_boxes_cast(walls, &segment, NULL, &of_walls));
        OK(swath_broadphase_cast(broadphase, &segment, NULL, &of_proxies));
        CHECK(hit.row == of_walls.row && hit.row == of_proxies.id.index);
        CHECK(memcmp(&of_proxies, &expected[k], sizeof of_proxies) == 0);
        OK(swath_broadphase_casts(broadphase, two, 2, NULL, each));
        CHECK(memcmp(&each[1], &expected[k], sizeof *each) == 0);
        swath_status status = swath_broadphase_overlap(broadphase, &at_end, NULL, &id, 1, &count);
        CHECK(status == (count == 1 ? SWATH_OK : SWATH_ERROR_TOO_SHORT) && count > 0);
        OK(swath_broadphase_nearest(broadphase, &at_end, 1, NULL, each, 1, &count));
        CHECK(count == 1 && each[0].value == 0.0f);
    }
    return NULL;
}

static void several_threads_query_one_object(const swath_exec *exec) {
    static swath_proxy_id ids[CROWD];
    static swath_segment segments[CROWD];
    static uint32_t rows[CROWD];
    swath_bvh *bvh;
    swath_fixed_boxes *fixed;
    swath_broadphase *world;
    swath_boxes boxes = make_crowd(), at_rest = boxes;
    swath_proxy proxy = swath_proxy_of_kind(SWATH_KIND_DYNAMIC);
    swath_changes changes, again;
    size_t first[THREADS];
    pthread_t threads[THREADS];
    memset(&at_rest.delta, 0, sizeof at_rest.delta);
    for (uint32_t k = 0; k < CROWD; k++) {
        rows[k] = k;
        segments[k] = through(k);
    }
    OK(swath_bvh_create(exec, &bvh));
    OK(swath_bvh_build(bvh, &at_rest));
    OK(swath_fixed_boxes_create(exec, &fixed));
    OK(swath_fixed_boxes_put(fixed, rows, &at_rest));
    OK(swath_broadphase_create(exec, &world));
    OK(swath_broadphase_insert_many(world, &boxes, &proxy, 1, ids));
    OK(swath_broadphase_update(world, NULL, &changes));
    FAILS(swath_broadphase_casts(world, segments, CROWD, NULL, expected), SWATH_ERROR_NOT_PREPARED, "prepare");
    OK(swath_broadphase_prepare_queries(world));
    OK(swath_broadphase_casts(world, segments, CROWD, NULL, expected));
    tree = bvh;
    walls = fixed;
    broadphase = world;
    for (size_t k = 0; k < THREADS; k++) {
        first[k] = k;
        CHECK(pthread_create(&threads[k], NULL, query, &first[k]) == 0);
    }
    for (size_t k = 0; k < THREADS; k++) {
        CHECK(pthread_join(threads[k], NULL) == 0);
    }

    /* The lists of an update are valid until the next one. */
    swath_swept_proxy_pairs touching;
    swath_swept_proxy_pair one = changes.begun.data[0];
    OK(swath_broadphase_touching(world, &touching));
    OK(swath_broadphase_set_many(world, ids, &boxes));
    OK(swath_broadphase_remove(world, ids[1]));
    OK(swath_broadphase_prepare_queries(world));
    CHECK(memcmp(&one, &changes.begun.data[0], sizeof one) == 0);
    OK(swath_broadphase_changes(world, &again));
    CHECK(again.begun.data == changes.begun.data && again.begun.count == changes.begun.count);
    swath_broadphase_destroy(world);
    swath_fixed_boxes_destroy(fixed);
    swath_bvh_destroy(bvh);
}

/* Objects that a process uses before it forks. */
struct objects {
    swath_pair_finder *finder;
    swath_bvh *bvh;
    swath_fixed_boxes *fixed;
    swath_broadphase *world;
    swath_pipeline *pipeline;
    swath_proxy_id id;
};

static swath_moving_box unit_box(float x) {
    swath_moving_box moving = {{{x, 0, 0}, {x + 1, 1, 1}}, {0, 0, 0}};
    return moving;
}

static struct objects use_objects(const swath_exec *exec) {
    struct objects objects;
    swath_boxes boxes = make_crowd();
    swath_swept_pairs pairs;
    swath_proxy_tick tick;
    swath_proxy proxy = swath_proxy_of_kind(SWATH_KIND_DYNAMIC);
    swath_moving_box moving = unit_box(0);
    OK(swath_pair_finder_create(exec, &objects.finder));
    OK(swath_pair_finder_swept_pairs(objects.finder, &boxes, NULL, SWATH_AS_FOUND, &pairs));
    memset(&boxes.delta, 0, sizeof boxes.delta);
    OK(swath_bvh_create(exec, &objects.bvh));
    OK(swath_bvh_build(objects.bvh, &boxes));
    OK(swath_fixed_boxes_create(exec, &objects.fixed));
    OK(swath_broadphase_create(exec, &objects.world));
    OK(swath_broadphase_insert(objects.world, &moving, &proxy, &objects.id));
    OK(swath_broadphase_update(objects.world, NULL, NULL));
    OK(swath_pipeline_create(NULL, exec, &objects.pipeline));
    OK(swath_pipeline_tick_proxies(objects.pipeline, objects.world, NULL, &tick));
    OK(swath_broadphase_prepare_queries(objects.world));
    return objects;
}

static void destroy_objects(struct objects objects) {
    swath_pair_finder_destroy(objects.finder);
    swath_bvh_destroy(objects.bvh);
    swath_fixed_boxes_destroy(objects.fixed);
    swath_broadphase_destroy(objects.world);
    swath_pipeline_destroy(objects.pipeline);
}

/* No box has a body. */
static void no_body(void *user, swath_proxy_id id, swath_body *body) {
    (void)user, (void)id, (void)body;
}

/* In the child of a fork, what needs the threads of the parent is an error, and all else works. */
static void use_objects_of_the_parent(struct objects objects) {
    swath_boxes boxes = {.count = CROWD};
    swath_swept_pairs pairs;
    swath_moving_box moving = unit_box(1);
    swath_segment segment = {{-1, 0.5f, 0.5f}, {4, 0, 0}, 1};
    swath_hit hit;
    swath_proxy_hit of_proxies;
    swath_scene scene = {.boxes = {.count = 0}};
    swath_tick tick;
    swath_proxy_tick proxy_tick;
    swath_body_cast cast;
    const swath_bodies bodies = {.broadphase = objects.world, .body = no_body};
    size_t len;
    boxes.min = swath_columns(crowd[0], crowd[1], crowd[2]);
    boxes.max = swath_columns(crowd[3], crowd[4], crowd[5]);
    FAILS(swath_pair_finder_swept_pairs(objects.finder, &boxes, NULL, 0, &pairs), SWATH_ERROR_FORKED, "forked");
    FAILS(swath_pair_finder_union_pairs(objects.finder, &boxes, NULL, 0, NULL), SWATH_ERROR_NULL, "pairs");
    FAILS(swath_bvh_build(objects.bvh, &boxes), SWATH_ERROR_FORKED, "forked");
    FAILS(swath_bvh_casts(objects.bvh, &segment, 1, NULL, &hit), SWATH_ERROR_FORKED, "forked");
    FAILS(swath_fixed_boxes_remove(objects.fixed, NULL, 0), SWATH_ERROR_FORKED, "forked");
    FAILS(swath_fixed_boxes_casts(objects.fixed, &segment, 1, NULL, &hit), SWATH_ERROR_FORKED, "forked");
    FAILS(swath_broadphase_update(objects.world, NULL, NULL), SWATH_ERROR_FORKED, "forked");
    FAILS(swath_broadphase_set(objects.world, objects.id, &moving), SWATH_ERROR_FORKED, "forked");
    FAILS(swath_broadphase_casts(objects.world, &segment, 1, NULL, &of_proxies), SWATH_ERROR_FORKED, "forked");
    FAILS(swath_pipeline_tick(objects.pipeline, &scene, &tick), SWATH_ERROR_FORKED, "forked");
    FAILS(swath_pipeline_tick_proxies(objects.pipeline, objects.world, NULL, &proxy_tick), SWATH_ERROR_FORKED, "forked");
    FAILS(swath_bodies_casts(&bodies, &segment, 1, &cast), SWATH_ERROR_FORKED, "forked");
    OK(swath_bodies_cast(&bodies, &segment, &cast));
    OK(swath_bvh_len(objects.bvh, &len));
    OK(swath_bvh_cast(objects.bvh, &segment, NULL, &hit));
    OK(swath_fixed_boxes_cast(objects.fixed, &segment, NULL, &hit));
    OK(swath_broadphase_cast(objects.world, &segment, NULL, &of_proxies));
    CHECK(len == CROWD && swath_same_id(of_proxies.id, objects.id));
    destroy_objects(objects);
}

static void child_of_a_fork_gets_errors_and_does_not_wait(const swath_exec *exec) {
    swath_exec shared = *exec, own = *exec, alone = *exec;
    shared.threads = 0;
    own.threads = 2;
    alone.threads = 1;
    struct objects of_shared = use_objects(&shared), of_own = use_objects(&own), of_alone = use_objects(&alone);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        const float heights[4] = {0, 1, 0, 1};
        swath_shape *shape = NULL;
        swath_moving_box moving = unit_box(1);
        alarm(120);
        use_objects_of_the_parent(of_shared);
        use_objects_of_the_parent(of_own);
        FAILS(swath_shape_height_field(heights, 2, 2, 1, 1, 0, &shape), SWATH_ERROR_FORKED, "forked");
        FAILS(swath_toi_pairs(NULL, NULL, 0, NULL, 0, NULL, NULL, NULL), SWATH_ERROR_FORKED, "forked");
        OK(swath_toi_pairs(NULL, NULL, 0, NULL, 0, NULL, &alone, NULL));
        OK(swath_shape_sphere(1, &shape));
        swath_shape_destroy(shape);
        OK(swath_broadphase_set(of_alone.world, of_alone.id, &moving));
        OK(swath_broadphase_update(of_alone.world, NULL, NULL));
        destroy_objects(of_alone);
        destroy_objects(use_objects(&alone));
        destroy_objects(use_objects(&own));
        /* The signal also ends valgrind, which would report the memory of threads that the child does not have. */
        raise(SIGKILL);
        _exit(1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

    /* The parent still has its threads. */
    OK(swath_broadphase_update(of_shared.world, NULL, NULL));
    OK(swath_broadphase_update(of_own.world, NULL, NULL));
    destroy_objects(of_shared);
    destroy_objects(of_own);
    destroy_objects(of_alone);
}

int main(void) {
    /* The threads that objects share are more than one, whatever the computer has. */
    CHECK(setenv("RAYON_NUM_THREADS", "2", 1) == 0);
    swath_exec exec = exec_of_environment();
    executor_runs_the_tasks(&exec);
    several_threads_query_one_object(&exec);
    child_of_a_fork_gets_errors_and_does_not_wait(&exec);
    puts("threads are as they should be");
    return 0;
}
