// Uses the classes of swath.hpp, and checks their results.

#include <swath.hpp>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <type_traits>

#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                               \
    do {                                                                               \
        if (!(condition)) {                                                            \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                              \
        }                                                                              \
    } while (0)

namespace {

static_assert(!std::is_copy_constructible<swath::pair_finder>::value, "objects are not copied");
static_assert(std::is_nothrow_move_constructible<swath::broadphase>::value, "objects are moved");
static_assert(sizeof(swath::bvh) == sizeof(void *), "an object is a pointer");

struct body {
    int name;
    float min[3], max[3], delta[3];
};

std::vector<body> row_of_bodies(int count) {
    std::vector<body> bodies;
    for (int k = 0; k < count; k++) {
        const float x = 2.0f * static_cast<float>(k);
        bodies.push_back({k, {x, 0, 0}, {x + 1, 1, 1}, {k % 2 == 0 ? 1.5f : 0.0f, 0, 0}});
    }
    return bodies;
}

swath_boxes boxes_of(const std::vector<body> &bodies) {
    const body *first = bodies.data();
    return swath::boxes(bodies.size(), swath::rows(first, &body::min), swath::rows(first, &body::max),
                        swath::rows(first, &body::delta));
}

void pairs_of_a_row(const swath_exec *exec) {
    const std::vector<body> bodies = row_of_bodies(100);
    swath::pair_finder finder(exec);
    std::uint32_t next = 0;
    for (const swath_swept_pair &pair : finder.swept_pairs(boxes_of(bodies))) {
        CHECK(pair.a == next && pair.b == next + 1 && pair.first > 0.66f && pair.first <= 2.0f / 3);
        next += 2;
    }
    CHECK(next == 100 && finder.rejected().empty());
    swath::pair_finder moved = std::move(finder);
    CHECK(moved.union_pairs(boxes_of(bodies)).size() == 50 && finder.get() == nullptr);
}

void errors_are_exceptions() {
    swath::pair_finder finder;
    swath_boxes boxes{};
    boxes.count = 3;
    try {
        finder.union_pairs(boxes);
        CHECK(false);
    } catch (const swath::error &error) {
        CHECK(error.status() == SWATH_ERROR_ARGUMENT && std::string(error.what()).find("a: min") == 0);
    }
    CHECK(finder.union_pairs(swath_boxes{}).empty());
}

void events(const swath_exec *exec) {
    const std::vector<body> bodies = row_of_bodies(10);
    swath::broadphase world(exec);
    const auto ids = world.insert_many(boxes_of(bodies), swath_proxy_of_kind(SWATH_KIND_DYNAMIC));
    CHECK(world.size() == 10 && world.contains(ids[3]));
    CHECK(world.update().begun.size() == 5 && world.touching().size() == 5);
    swath::snapshot before;
    world.save(before);
    world.remove(ids[0]);
    const swath::changes changes = world.update();
    CHECK(changes.ended.size() == 1 && swath_same_id(changes.ended[0].a, ids[0]));
    world.restore(before);
    CHECK(world.contains(ids[0]));

    // A function that throws: the exception arrives after the update.
    const auto only_of_third = [&](swath_proxy_pair pair) { return swath_same_id(pair.a, ids[2]) != 0; };
    CHECK(world.update(only_of_third).touching_count == 1);
    bool thrown = false;
    try {
        world.update([](swath_proxy_pair) -> bool { throw std::runtime_error("of the callback"); });
    } catch (const std::runtime_error &error) {
        thrown = std::string(error.what()) == "of the callback";
    }
    CHECK(thrown && world.size() == 10);
    // It arrives also if there are more pairs than allowed.
    swath_exec one_pair = exec ? *exec : swath_exec{};
    one_pair.pairs_max = 1;
    swath::broadphase limited(&one_pair);
    limited.insert_many(boxes_of(bodies), swath_proxy_of_kind(SWATH_KIND_DYNAMIC));
    std::atomic<bool> is_first{true};
    thrown = false;
    try {
        limited.update([&](swath_proxy_pair) -> bool {
            if (is_first.exchange(false)) throw std::runtime_error("of the callback");
            return true;
        });
    } catch (const std::runtime_error &error) {
        thrown = std::string(error.what()) == "of the callback";
    }
    CHECK(thrown);
    try {
        limited.update();
        CHECK(false);
    } catch (const swath::error &error) {
        CHECK(error.status() == SWATH_ERROR_TOO_MANY);
    }
    world.set_delta(ids[0], 0.5f, 0, 0);
    CHECK(world.moving_box(ids[0]).delta[0] == 0.5f);
    world.set_delta_many({ids[0]}, {0, 0.25f, 0});
    CHECK(world.moving_box(ids[0]).delta[1] == 0.25f);
    world.set_many(ids, boxes_of(bodies));
    CHECK(world.update().touching_count == 5);
    world.prepare_queries();
    CHECK(swath_same_id(world.cast({{-1, 0.5f, 0.5f}, {50, 0, 0}, 1}).id, ids[0]));
    swath_proxy proxy = swath_proxy_of_kind(SWATH_KIND_FIXED);
    proxy.data = 77;
    CHECK(world.data(world.insert({{{0, 0, 0}, {1, 1, 1}}, {0, 0, 0}}, proxy)) == 77);
}

// Descriptions, lists of pairs and queries of a broadphase.
void proxies(const swath_exec *exec) {
    const std::vector<body> bodies = row_of_bodies(40);
    swath::broadphase world(exec);
    std::vector<swath_proxy> described(bodies.size(), swath_proxy_of_kind(SWATH_KIND_DYNAMIC));
    for (std::size_t k = 0; k < described.size(); k++) described[k].data = 100 + k;
    world.reserve(40, 40, 40);
    const std::vector<swath_proxy_id> ids = world.insert_many(boxes_of(bodies), described);
    CHECK(world.rejected().empty() && world.proxy(ids[7]).data == 107 && world.moving_box(ids[2]).delta[0] == 1.5f);
    bool thrown = false;
    try {
        world.insert_many(boxes_of(bodies), std::vector<swath_proxy>(3));
    } catch (const std::invalid_argument &) {
        thrown = true;
    }
    CHECK(thrown && world.size() == 40);
    const swath_swept_proxy_pair first = world.update().begun[0];
    CHECK(world.pairs().size() == 20 && world.pairs_of(ids[5]).size() == 1 && world.contains_pair(ids[1], ids[0]));
    CHECK(world.touching_columns().count == 20 && world.persisted().empty());
    const swath_contact contact = world.contact(ids[0], ids[1]);
    CHECK(contact.first == first.first && contact.normal[0] == 1.0f);

    // Queries are const; before they are prepared they fail.
    const swath::broadphase &shared = world;
    const swath_segment along{{-1, 0.5f, 0.5f}, {100, 0, 0}, 1};
    const swath_aabb place{{0, 0, 0}, {10.5f, 1, 1}};
    try {
        shared.cast(along);
        CHECK(false);
    } catch (const swath::error &error) {
        CHECK(error.status() == SWATH_ERROR_NOT_PREPARED);
    }
    world.prepare_queries();
    CHECK(shared.cast_all(along).size() == 40 && swath_same_id(shared.cast_all(along)[39].id, ids[39]));
    CHECK(shared.cast_any(along).id.index < 40 && swath_same_id(shared.casts({along, along})[1].id, ids[0]));
    CHECK(shared.overlap(place).size() == 6 && shared.overlap_sphere(4.5f, 0.5f, 0.5f, 1.6f).size() == 3);
    CHECK(shared.nearest(place, INFINITY, 8).size() == 8 && shared.nearest(place, 0, 40).size() == 6);
    CHECK(swath_same_id(shared.sweep({{{-3, 0, 0}, {-2, 1, 1}}, {9, 0, 0}}).id, ids[0]));
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; thread++)
        threads.emplace_back([&] {
            for (int round = 0; round < 50; round++) CHECK(shared.cast_all(along).size() == 40);
        });
    for (std::thread &thread : threads) thread.join();

    // Edits.
    world.set_kind_many({ids[0], ids[1]}, SWATH_KIND_SLEEPING);
    world.set_kind(ids[2], SWATH_KIND_FIXED);
    CHECK(world.proxy(ids[1]).kind == SWATH_KIND_SLEEPING && world.moving_box(ids[2]).delta[0] == 0.0f);
    world.set_kind(ids[2], SWATH_KIND_DYNAMIC);
    world.set_kind_pairs(SWATH_KIND_DYNAMIC, SWATH_KIND_DYNAMIC, false);
    CHECK(world.update().touching_count == 0);
    world.set_kind_pairs(SWATH_KIND_DYNAMIC, SWATH_KIND_DYNAMIC, true);
    world.set_enabled_many({ids[3], ids[4]}, false);
    world.set_enabled_many({ids[3]}, true);
    world.set_owner(ids[6], 3);
    world.set_owner(ids[7], 3);
    world.set_filter(ids[8], {1, 0});
    world.set_data(ids[9], 9);
    world.set_margin(ids[10], 0.25f);
    CHECK(world.update().touching_count == 15 && world.data(ids[9]) == 9);
    CHECK(world.compared_box(ids[10]).delta[0] == 0.0f && world.compared_box(ids[10]).aabb.min[0] <= 19.75f);
    world.renew(ids[12]);
    CHECK(world.update().begun.size() == 1);
    world.shift_origin(16, 0, 0);
    CHECK(world.moving_box(ids[8]).aabb.min[0] == 0.0f);
    world.remove_many({ids[0], ids[1], ids[0]});
    CHECK(world.size() == 38);
    world.clear();
    CHECK(world.size() == 0 && world.pairs_of(ids[5]).empty());
}

void fixed(const swath_exec *exec) {
    const std::vector<body> bodies = row_of_bodies(30);
    swath::fixed_boxes walls(exec);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t k = 0; k < 30; k++) rows.push_back(29 - k);
    swath_boxes at_rest = boxes_of(bodies);
    at_rest.delta = swath_vectors{};
    walls.put(rows, at_rest);
    CHECK(walls.size() == 30 && walls.rejected().empty());
    const swath_segment along{{-1, 0.5f, 0.5f}, {100, 0, 0}, 1};
    CHECK(walls.cast(along).row == 29 && walls.casts({along})[0].row == 29);
    CHECK(walls.sweep({{{-3, 0, 0}, {-2, 1, 1}}, {9, 0, 0}}).row == 29);
    CHECK(walls.overlap({{0, 0, 0}, {100, 1, 1}}).size() == 30);
    CHECK(walls.nearest({{-3, 0, 0}, {-2, 1, 1}}, INFINITY, 2)[1].row == 28);
    CHECK(walls.union_pairs(boxes_of(bodies)).size() == walls.swept_pairs(boxes_of(bodies)).size());
    CHECK(walls.swept_pairs(boxes_of(bodies)).size() == 45);
    walls.remove(rows);
    CHECK(walls.size() == 0 && walls.cast(along).row == SWATH_NO_INDEX);
    bool thrown = false;
    try {
        walls.put({1}, at_rest);
    } catch (const std::invalid_argument &) {
        thrown = true;
    }
    CHECK(thrown);
}

void all_shapes() {
    const swath_pose here = swath_pose_at(0, 0, 0);
    const swath_segment down{{0, 8, 0}, {0, -16, 0}, 1};
    const float a[3] = {-1, 0, -1}, b[3] = {1, 0, -1}, c[3] = {0, 0, 2};
    swath_shape *raw = nullptr;
    swath::check(swath_shape_sphere(2, &raw));
    const swath::shape ball = swath::shape::adopt(raw), cylinder = swath::shape::cylinder(1, 0.5f), cone = swath::shape::cone(1, 0.5f);
    const swath::shape triangle = swath::shape::triangle(a, b, c), segment = swath::shape::segment(a, b), point = swath::shape::point();
    CHECK(ball.get() == raw && ball.bounds(here).max[1] >= 2.0f && std::fabs(ball.cast(here, down).point[1] - 2.0f) < 1e-4f);
    CHECK(std::fabs(cylinder.cast(here, down).point[1] - 1.0f) < 1e-4f && triangle.cast(here, down).state == SWATH_CAST_HIT);
    CHECK(std::fabs(swath::distance(point, swath_pose_at(0, 5, -1), segment, here).distance - 5.0f) < 1e-4f);
    CHECK(swath::overlaps(ball, here, cone, swath_pose_at(0, -3, 0)) && !swath::overlaps(ball, here, cone, swath_pose_at(0, -3.25f, 0)));
    CHECK(std::fabs(ball.scaled(2, 2, 2).cast(here, down).point[1] - 4.0f) < 1e-4f);
    const swath::shape both = swath::shape::compound({&cylinder, &cone}, {swath_pose_at(5, 0, 0), here});
    CHECK(both.cast(here, down).part == 1);
    const swath::shape terrain = swath::shape::height_field({3, 3, 3, 3}, 2, 2, 1, 1);
    CHECK(std::fabs(terrain.cast(swath_pose_at(-0.5f, 0, -0.5f), down).point[1] - 3.0f) < 1e-4f);
    const float below[3] = {0, -8, 0}, upwards[3] = {0, 1, 0};
    const swath::shape lid = swath::shape::height_field({3, 3, 3, 3}, 2, 2, 1, 1, true);
    CHECK(lid.cast(swath_pose_at(-0.5f, 0, -0.5f), swath_ray(below, upwards)).state == SWATH_CAST_MISSED);
    CHECK(swath::motion_pose_at(swath_motion_at(1, 2, 3), 0.5f).position[2] == 3.0f);
    int thrown = 0;
    try {
        swath::shape::compound({&ball}, {});
    } catch (const std::invalid_argument &) {
        thrown++;
    }
    try {
        swath::shape::height_field({1, 2, 3}, 2, 2, 1, 1);
    } catch (const std::invalid_argument &) {
        thrown++;
    }
    try {
        swath::shape::compound({nullptr}, {here});
    } catch (const swath::error &error) {
        thrown += error.status() == SWATH_ERROR_NULL;
    }
    CHECK(thrown == 3);
}

void queries_and_shapes(const swath_exec *exec) {
    const std::vector<body> bodies = row_of_bodies(50);
    swath::bvh tree(exec);
    tree.build(swath::boxes(bodies.size(), swath::rows(bodies.data(), &body::min), swath::rows(bodies.data(), &body::max)));
    CHECK(tree.cast({{-1, 0.5f, 0.5f}, {1, 0, 0}, INFINITY}).row == 0);
    CHECK(tree.casts({{{9.5f, 0.5f, 0.5f}, {1, 0, 0}, 1}, {{-1, 5, 5}, {1, 0, 0}, 1}})[1].row == SWATH_NO_INDEX);
    CHECK(tree.overlap({{0, 0, 0}, {100, 1, 1}}).size() == 50 && tree.rejected().empty());
    CHECK(tree.cast_all({{-1, 0.5f, 0.5f}, {1, 0, 0}, INFINITY}).size() == 50);
    CHECK(tree.overlap_sphere(4.5f, 0.5f, 0.5f, 1.6f).size() == 3 && tree.sweep({{{-3, 0, 0}, {-2, 1, 1}}, {9, 0, 0}}).row == 0);
    CHECK(tree.nearest({{-3, 0, 0}, {-2, 1, 1}}, INFINITY, 2)[1].row == 1 && tree.nearest({{0, 0, 0}, {1, 1, 1}}, 0, 9).size() == 1);

    const swath::shape ball = swath::shape::sphere(0.5f).rounded(0.5f), wall = swath::shape::cuboid(0.5f, 4, 4);
    swath_motion flying = swath_motion_at(-3, 1, 0);
    flying.delta[0] = 3;
    const swath_toi_result toi = swath::toi(ball, flying, wall, swath_motion_at(0, 0, 0));
    CHECK(toi.state == SWATH_TOI_IMPACT && toi.t <= 0.5f && toi.t > 0.4999f);
    CHECK(ball.bounds_over(flying, 0.5f).aabb.min[0] <= -4.5f);
    struct vertex {
        float position[3];
    };
    const std::vector<vertex> corners = {{{-5, 0, -5}}, {{5, 0, -5}}, {{5, 0, 5}}, {{-5, 0, 5}}};
    const swath_vectors points = swath::rows(corners.data(), &vertex::position);
    const swath::shape floor = swath::shape::mesh(points, corners.size(), {0, 2, 1, 0, 3, 2});
    bool thrown = false;
    try {
        swath::shape::mesh(points, corners.size(), {0, 2, 1, 0});
    } catch (const std::invalid_argument &) {
        thrown = true;
    }
    CHECK(thrown);
    swath_motion falling = swath_motion_at(1, 5, 2);
    falling.delta[1] = -8;
    CHECK(swath::toi(ball, falling, floor, swath_motion_at(0, 0, 0)).part_b == 1);
    const swath::shape flat = swath::shape::hull(points, corners.size()), capsule = swath::shape::capsule(1, 0.5f);
    CHECK(swath::toi(capsule, falling, flat, swath_motion_at(0, 0, 0)).state == SWATH_TOI_IMPACT);
}

void bodies_meet(const swath_exec *exec) {
    const swath::shape ball = swath::shape::sphere(0.5f), wall = swath::shape::cuboid(0.5f, 4, 4);
    const swath_motion still = swath_motion_at(4, 0, 0);
    swath_motion flying = swath_motion_at(0, 0, 0);
    flying.delta[0] = 6;

    const std::vector<swath_scene_body> rows = {{ball.get(), flying, 0}, {wall.get(), still, 1}};
    swath_scene scene{};
    scene.boxes.count = rows.size();
    scene.bodies = rows.data();
    scene.body_count = rows.size();
    swath::pipeline pipeline(nullptr, exec);
    const swath::tick tick = pipeline.tick(scene);
    CHECK(tick.impacts.size() == 1 && tick.impacts[0].t <= 0.5f && tick.impacts[0].t > 0.4999f && tick.rejected.empty());
    CHECK(pipeline.stats().shapes == 1);

    swath::broadphase world(exec);
    const swath_proxy proxy = swath_proxy_of_kind(SWATH_KIND_DYNAMIC);
    const swath_proxy_id first = world.insert(ball.bounds_over(flying), proxy);
    const swath_proxy_id second = world.insert(wall.bounds_over(still), proxy);
    const auto body = [&](swath_proxy_id id) {
        return swath_same_id(id, first) ? swath_proxy_body{ball.get(), flying, 0} : swath_proxy_body{wall.get(), still, 0};
    };
    CHECK(pipeline.tick_proxies(world, body).impacts[0].t == tick.impacts[0].t);
    CHECK(pipeline.tick_proxies(world).impacts.size() == 1);
    bool thrown = false;
    try {
        pipeline.tick_proxies(world, [](swath_proxy_id) -> swath_proxy_body { throw std::runtime_error("no body"); });
    } catch (const std::runtime_error &error) {
        thrown = std::string(error.what()) == "no body";
    }
    CHECK(thrown);
    swath_pipeline_settings settings = swath_pipeline_defaults();
    settings.target_distance = 2;
    pipeline.configure(settings);
    CHECK(pipeline.tick(scene).impacts[0].t < 0.17f);

    world.prepare_queries();
    const auto place = [&](swath_proxy_id id) {
        return swath_same_id(id, first) ? swath_body{ball.get(), flying.pose} : swath_body{wall.get(), still.pose};
    };
    swath::bodies placed(world, place);
    const swath_segment along = {{-4, 0, 0}, {16, 0, 0}, 1};
    CHECK(swath_same_id(placed.cast(along).id, first) && placed.cast_all(along).size() == 2 && placed.casts({along, along}).size() == 2);
    placed.query().filter = nullptr;
    CHECK(swath_same_id(placed.sweep(ball, swath_motion{{{8, 0, 0}, {0, 0, 0, 1}}, {-8, 0, 0}, {0, 0, 0}, {0, 0, 0}}).id, second));
    CHECK(placed.sweep_all(ball, swath_motion{{{8, 0, 0}, {0, 0, 0, 1}}, {-8, 0, 0}, {0, 0, 0}, {0, 0, 0}}).size() == 2);
    CHECK(placed.overlap(wall, swath_pose_at(3.5f, 0, 0)).size() == 1 && placed.is_free(ball, swath_pose_at(0, 3, 0)));
    CHECK(swath::toi_each_part(ball, flying, wall, still).size() == 1);
}

void threads_of_the_program() {
    auto run = [](std::size_t tasks, auto task) {
        std::vector<std::thread> threads;
        for (std::size_t index = 0; index < tasks; index++) threads.emplace_back([=] { task(index); });
        for (std::thread &thread : threads) thread.join();
    };
    const swath_executor executor = swath::executor(run, 3);
    swath_exec exec{};
    exec.executor = &executor;
    const std::vector<body> bodies = row_of_bodies(20000);
    swath::pair_finder finder(&exec);
    CHECK(finder.swept_pairs(boxes_of(bodies)).size() == 10000);
}

// In a process of its own, because the program ends.
void executor_that_throws_ends_the_program() {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        // The signal also ends valgrind, which would report the memory of threads that the child does not have.
        std::set_terminate([] {
            raise(SIGKILL);
            std::_Exit(1);
        });
        auto run = [](std::size_t, auto) { throw std::runtime_error("of the executor"); };
        const swath_executor executor = swath::executor(run, 3);
        swath_exec exec{};
        exec.executor = &executor;
        swath::pair_finder(&exec).swept_pairs(boxes_of(row_of_bodies(20000)));
        std::_Exit(1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

}  // namespace

int main() {
    swath_exec exec{};
    exec.level = std::getenv("SWATH_LEVEL");
    if (const char *threads = std::getenv("SWATH_THREADS")) exec.threads = static_cast<std::uint32_t>(std::atoi(threads));
    pairs_of_a_row(&exec);
    errors_are_exceptions();
    events(&exec);
    proxies(&exec);
    fixed(&exec);
    queries_and_shapes(&exec);
    bodies_meet(&exec);
    all_shapes();
    threads_of_the_program();
    executor_that_throws_ends_the_program();
    std::puts("everything is as it should be in C++");
}
