// swath for C++17: owning classes over swath.h, of which each is one pointer.
//
// Objects are moved, not copied. Errors are exceptions of the type swath::error, and std::invalid_argument for lists whose lengths do not
// match; `nearest` allocates memory for the greatest number of results. They are thrown here and never inside the library: an exception
// in a function that is passed to an update is caught, and thrown again when the update has returned. Spans are views of memory of an
// object, valid until the next call that changes it. The rules and the meaning of all functions are in swath.h; functions without a class
// here are called as in C.

#ifndef SWATH_HPP
#define SWATH_HPP

#include <swath.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace swath {

// A call that failed: its status and its message.
class error : public std::runtime_error {
  public:
    explicit error(swath_status status) : std::runtime_error(swath_last_error()), status_(status) {}
    swath_status status() const noexcept { return status_; }

  private:
    swath_status status_;
};

inline void check(swath_status status) {
    if (status != SWATH_OK) throw error(status);
}

// A view of consecutive values.
template <class T> class span {
  public:
    span() = default;
    span(const T *data, std::size_t count) : data_(data), count_(count) {}
    const T *data() const noexcept { return data_; }
    const T *begin() const noexcept { return data_; }
    const T *end() const noexcept { return count_ == 0 ? data_ : data_ + count_; }
    std::size_t size() const noexcept { return count_; }
    bool empty() const noexcept { return count_ == 0; }
    const T &operator[](std::size_t index) const { return data_[index]; }

  private:
    const T *data_ = nullptr;
    std::size_t count_ = 0;
};

// The owner of an object of the library.
template <class T, void (*destroy)(T *)> class handle {
  public:
    T *get() const noexcept { return object_.get(); }

  protected:
    handle() = default;
    explicit handle(T *object) noexcept : object_(object) {}
    // Creates the object by a function that writes its address.
    template <class Create> void create(Create &&by) {
        T *object = nullptr;
        check(by(&object));
        object_.reset(object);
    }

  private:
    struct deleter {
        void operator()(T *object) const noexcept { destroy(object); }
    };
    std::unique_ptr<T, deleter> object_;
};

// What a function finds that writes at most `capacity` results and their count.
template <class T, class Call> std::vector<T> list(Call &&call) {
    std::vector<T> found(16);
    std::size_t count = 0;
    swath_status status;
    while ((status = call(found.data(), found.size(), &count)) == SWATH_ERROR_TOO_SHORT) found.resize(count);
    check(status);
    found.resize(count);
    return found;
}

// The vector `member` of each structure of an array: rows(bodies.data(), &body::position).
template <class Row> swath_vectors rows(const Row *array, float (Row::*member)[3]) {
    const char *first = reinterpret_cast<const char *>(array);
    const char *vector = array == nullptr ? first : reinterpret_cast<const char *>(&(array->*member));
    return swath_rows(array, sizeof(Row), static_cast<std::size_t>(vector - first));
}

// Boxes at rest, by their corners.
inline swath_boxes boxes(std::size_t count, swath_vectors min, swath_vectors max) {
    swath_boxes result{};
    result.count = count;
    result.min = min;
    result.max = max;
    return result;
}

// Moving boxes, by their corners and displacements.
inline swath_boxes boxes(std::size_t count, swath_vectors min, swath_vectors max, swath_vectors delta) {
    swath_boxes result = boxes(count, min, max);
    result.delta = delta;
    return result;
}

// An executor that calls `run(tasks, task)`, which calls `task(index)` for each index below `tasks` and returns when all have
// returned. `run` must live as long as the objects that use the executor. An exception in it ends the program by std::terminate, because
// tasks may still run then.
template <class Run> swath_executor executor(Run &run, std::size_t threads) {
    swath_executor result{};
    result.user = &run;
    result.threads = threads;
    result.run = [](void *user, std::size_t tasks, swath_task task, void *context) noexcept {
        (*static_cast<Run *>(user))(tasks, [task, context](std::size_t index) { task(context, index); });
    };
    return result;
}

class pair_finder : public handle<swath_pair_finder, swath_pair_finder_destroy> {
  public:
    explicit pair_finder(const swath_exec *exec = nullptr) {
        create([exec](swath_pair_finder **to) { return swath_pair_finder_create(exec, to); });
    }
    // Pairs whose paths have bounds that overlap; of one set, or of two.
    span<swath_pair> union_pairs(const swath_boxes &a, const swath_boxes *b = nullptr, swath_order order = SWATH_SORTED) {
        swath_pairs found{};
        check(swath_pair_finder_union_pairs(get(), &a, b, order, &found));
        return {found.data, found.count};
    }
    // Pairs that touch in the tick, with times.
    span<swath_swept_pair> swept_pairs(const swath_boxes &a, const swath_boxes *b = nullptr, swath_order order = SWATH_SORTED) {
        swath_swept_pairs found{};
        check(swath_pair_finder_swept_pairs(get(), &a, b, order, &found));
        return {found.data, found.count};
    }
    span<swath_rejected> rejected() const {
        swath_rejected_rows found{};
        check(swath_pair_finder_rejected(get(), &found, nullptr));
        return {found.data, found.count};
    }
};

class snapshot : public handle<swath_snapshot, swath_snapshot_destroy> {
  public:
    snapshot() { create(swath_snapshot_create); }
};

// Boxes that do not move, each in a row that the caller chooses.
class fixed_boxes : public handle<swath_fixed_boxes, swath_fixed_boxes_destroy> {
  public:
    explicit fixed_boxes(const swath_exec *exec = nullptr) {
        create([exec](swath_fixed_boxes **to) { return swath_fixed_boxes_create(exec, to); });
    }
    void put(const std::vector<std::uint32_t> &rows, const swath_boxes &boxes) {
        if (rows.size() != boxes.count) throw std::invalid_argument("not as many rows as boxes");
        check(swath_fixed_boxes_put(get(), rows.data(), &boxes));
    }
    void remove(const std::vector<std::uint32_t> &rows) { check(swath_fixed_boxes_remove(get(), rows.data(), rows.size())); }
    std::size_t size() const {
        std::size_t len = 0;
        check(swath_fixed_boxes_len(get(), &len));
        return len;
    }
    // Pairs of a mover, `a`, and a fixed box, `b`.
    span<swath_pair> union_pairs(const swath_boxes &movers, swath_order order = SWATH_SORTED) {
        swath_pairs found{};
        check(swath_fixed_boxes_union_pairs(get(), &movers, order, &found));
        return {found.data, found.count};
    }
    span<swath_swept_pair> swept_pairs(const swath_boxes &movers, swath_order order = SWATH_SORTED) {
        swath_swept_pairs found{};
        check(swath_fixed_boxes_swept_pairs(get(), &movers, order, &found));
        return {found.data, found.count};
    }
    span<swath_rejected> rejected() const {
        swath_rejected_rows found{};
        check(swath_fixed_boxes_rejected(get(), &found));
        return {found.data, found.count};
    }
    swath_hit cast(const swath_segment &segment, const swath_filter *filter = nullptr) const {
        swath_hit hit{};
        check(swath_fixed_boxes_cast(get(), &segment, filter, &hit));
        return hit;
    }
    std::vector<swath_hit> casts(const std::vector<swath_segment> &segments, const swath_filter *filter = nullptr) const {
        std::vector<swath_hit> hits(segments.size());
        check(swath_fixed_boxes_casts(get(), segments.data(), segments.size(), filter, hits.data()));
        return hits;
    }
    swath_hit sweep(const swath_moving_box &moving, const swath_filter *filter = nullptr) const {
        swath_hit hit{};
        check(swath_fixed_boxes_sweep(get(), &moving, filter, &hit));
        return hit;
    }
    std::vector<std::uint32_t> overlap(const swath_aabb &aabb, const swath_filter *filter = nullptr) const {
        return list<std::uint32_t>([&](std::uint32_t *to, std::size_t capacity, std::size_t *count) {
            return swath_fixed_boxes_overlap(get(), &aabb, filter, to, capacity, count);
        });
    }
    // At most `most` boxes.
    std::vector<swath_hit> nearest(const swath_aabb &aabb, float max_distance, std::size_t most, const swath_filter *filter = nullptr) const {
        std::vector<swath_hit> hits(most);
        std::size_t count = 0;
        check(swath_fixed_boxes_nearest(get(), &aabb, max_distance, filter, hits.data(), most, &count));
        hits.resize(count);
        return hits;
    }
};

// What an update found.
struct changes {
    span<swath_swept_proxy_pair> begun;
    span<swath_proxy_pair> ended;
    std::size_t touching_count;
};

class broadphase : public handle<swath_broadphase, swath_broadphase_destroy> {
  public:
    explicit broadphase(const swath_exec *exec = nullptr) {
        create([exec](swath_broadphase **to) { return swath_broadphase_create(exec, to); });
    }
    swath_proxy_id insert(const swath_moving_box &moving, const swath_proxy &proxy) {
        swath_proxy_id id{};
        check(swath_broadphase_insert(get(), &moving, &proxy, &id));
        return id;
    }
    std::vector<swath_proxy_id> insert_many(const swath_boxes &boxes, const swath_proxy &proxy) {
        std::vector<swath_proxy_id> ids(boxes.count);
        check(swath_broadphase_insert_many(get(), &boxes, &proxy, 1, ids.data()));
        return ids;
    }
    // With a description for each box.
    std::vector<swath_proxy_id> insert_many(const swath_boxes &boxes, const std::vector<swath_proxy> &proxies) {
        if (proxies.size() != boxes.count) throw std::invalid_argument("not as many descriptions as boxes");
        std::vector<swath_proxy_id> ids(boxes.count);
        check(swath_broadphase_insert_many(get(), &boxes, proxies.data(), proxies.size(), ids.data()));
        return ids;
    }
    // The invalid rows of the last insert_many or set_many.
    span<swath_rejected> rejected() const {
        swath_rejected_rows found{};
        check(swath_broadphase_rejected(get(), &found));
        return {found.data, found.count};
    }
    void set(swath_proxy_id id, const swath_moving_box &moving) { check(swath_broadphase_set(get(), id, &moving)); }
    void set_many(const std::vector<swath_proxy_id> &ids, const swath_boxes &boxes) {
        if (ids.size() != boxes.count) throw std::invalid_argument("not as many ids as boxes");
        check(swath_broadphase_set_many(get(), ids.data(), &boxes));
    }
    void set_delta(swath_proxy_id id, float x, float y, float z) {
        const float delta[3] = {x, y, z};
        check(swath_broadphase_set_delta(get(), id, delta));
    }
    // Three floats for each id.
    void set_delta_many(const std::vector<swath_proxy_id> &ids, const std::vector<float> &deltas) {
        if (deltas.size() != 3 * ids.size()) throw std::invalid_argument("not three floats for each id");
        check(swath_broadphase_set_delta_many(get(), ids.data(), deltas.data(), ids.size()));
    }
    void set_kind(swath_proxy_id id, swath_kind kind) { check(swath_broadphase_set_kind(get(), id, kind)); }
    void set_kind_many(const std::vector<swath_proxy_id> &ids, swath_kind kind) {
        check(swath_broadphase_set_kind_many(get(), ids.data(), ids.size(), kind));
    }
    void set_filter(swath_proxy_id id, swath_filter filter) { check(swath_broadphase_set_filter(get(), id, filter)); }
    void set_owner(swath_proxy_id id, std::uint32_t owner) { check(swath_broadphase_set_owner(get(), id, owner)); }
    void set_margin(swath_proxy_id id, float margin) { check(swath_broadphase_set_margin(get(), id, margin)); }
    void set_data(swath_proxy_id id, std::uint64_t data) { check(swath_broadphase_set_data(get(), id, data)); }
    void set_enabled(swath_proxy_id id, bool enabled) { check(swath_broadphase_set_enabled(get(), id, enabled ? 1 : 0)); }
    void set_enabled_many(const std::vector<swath_proxy_id> &ids, bool enabled) {
        check(swath_broadphase_set_enabled_many(get(), ids.data(), ids.size(), enabled ? 1 : 0));
    }
    void set_kind_pairs(swath_kind a, swath_kind b, bool pairs) { check(swath_broadphase_set_kind_pairs(get(), a, b, pairs ? 1 : 0)); }
    void renew(swath_proxy_id id) { check(swath_broadphase_renew(get(), id)); }
    void remove(swath_proxy_id id) { check(swath_broadphase_remove(get(), id)); }
    void remove_many(const std::vector<swath_proxy_id> &ids) { check(swath_broadphase_remove_many(get(), ids.data(), ids.size())); }
    void clear() { check(swath_broadphase_clear(get())); }
    void reserve(std::size_t proxies, std::size_t movers, std::size_t pairs) {
        check(swath_broadphase_reserve(get(), proxies, movers, pairs));
    }
    void shift_origin(float x, float y, float z) {
        const float offset[3] = {x, y, z};
        check(swath_broadphase_shift_origin(get(), offset));
    }
    swath_proxy proxy(swath_proxy_id id) const {
        swath_proxy found{};
        check(swath_broadphase_proxy(get(), id, &found));
        return found;
    }
    swath_moving_box moving_box(swath_proxy_id id) const {
        swath_moving_box found{};
        check(swath_broadphase_moving_box(get(), id, &found));
        return found;
    }
    swath_moving_box compared_box(swath_proxy_id id) const {
        swath_moving_box found{};
        check(swath_broadphase_compared_box(get(), id, &found));
        return found;
    }
    std::size_t size() const {
        std::size_t len = 0;
        check(swath_broadphase_len(get(), &len));
        return len;
    }
    bool contains(swath_proxy_id id) const {
        std::int32_t contains = 0;
        check(swath_broadphase_contains(get(), id, &contains));
        return contains != 0;
    }
    std::uint64_t data(swath_proxy_id id) const {
        std::uint64_t data = 0;
        check(swath_broadphase_data(get(), id, &data));
        return data;
    }
    changes update() {
        swath_changes found{};
        check(swath_broadphase_update(get(), nullptr, &found));
        return changes_of(found);
    }
    // Keeps only pairs for which `accept(pair)` is true; it is called from several threads. With `only_new` it is called for new pairs
    // only. If it throws, the pair is left out, the update is completed, and the first exception is thrown, also if the update fails.
    // With `only_new`, a pair that was left out is decided about again when one of its proxies changes or is renewed: do one update
    // without `only_new` after an exception.
    // While a function that it calls on another object runs, it may be called again on the same thread: it holds no lock across such
    // a call, or that object was created with threads = 1.
    template <class Accept> changes update(Accept &&accept, bool only_new = false) {
        guarded<Accept> function{accept, {}, nullptr};
        swath_accept by{&function, &guarded<Accept>::call, static_cast<std::uint8_t>(only_new)};
        swath_changes found{};
        const swath_status status = swath_broadphase_update(get(), &by, &found);
        if (function.thrown) std::rethrow_exception(function.thrown);
        check(status);
        return changes_of(found);
    }
    span<swath_swept_proxy_pair> touching() {
        swath_swept_proxy_pairs found{};
        check(swath_broadphase_touching(get(), &found));
        return {found.data, found.count};
    }
    span<swath_swept_proxy_pair> persisted() {
        swath_swept_proxy_pairs found{};
        check(swath_broadphase_persisted(get(), &found));
        return {found.data, found.count};
    }
    swath_pair_columns touching_columns() {
        swath_pair_columns found{};
        check(swath_broadphase_touching_columns(get(), &found));
        return found;
    }
    span<swath_proxy_pair> pairs() {
        swath_proxy_pairs found{};
        check(swath_broadphase_pairs(get(), &found));
        return {found.data, found.count};
    }
    span<swath_proxy_pair> pairs_of(swath_proxy_id id) {
        swath_proxy_pairs found{};
        check(swath_broadphase_pairs_of(get(), id, &found));
        return {found.data, found.count};
    }
    bool contains_pair(swath_proxy_id a, swath_proxy_id b) const {
        std::int32_t contains = 0;
        check(swath_broadphase_contains_pair(get(), a, b, &contains));
        return contains != 0;
    }
    swath_contact contact(swath_proxy_id a, swath_proxy_id b) const {
        swath_contact found{};
        check(swath_broadphase_contact(get(), a, b, &found));
        return found;
    }
    // Queries need it after each change of a proxy. They are const: several threads may call them at the same time.
    void prepare_queries() { check(swath_broadphase_prepare_queries(get())); }
    swath_proxy_hit cast(const swath_segment &segment, const swath_query *query = nullptr) const {
        swath_proxy_hit hit{};
        check(swath_broadphase_cast(get(), &segment, query, &hit));
        return hit;
    }
    swath_proxy_hit cast_any(const swath_segment &segment, const swath_query *query = nullptr) const {
        swath_proxy_hit hit{};
        check(swath_broadphase_cast_any(get(), &segment, query, &hit));
        return hit;
    }
    std::vector<swath_proxy_hit> cast_all(const swath_segment &segment, const swath_query *query = nullptr) const {
        return list<swath_proxy_hit>([&](swath_proxy_hit *to, std::size_t capacity, std::size_t *count) {
            return swath_broadphase_cast_all(get(), &segment, query, to, capacity, count);
        });
    }
    std::vector<swath_proxy_hit> casts(const std::vector<swath_segment> &segments, const swath_query *query = nullptr) const {
        std::vector<swath_proxy_hit> hits(segments.size());
        check(swath_broadphase_casts(get(), segments.data(), segments.size(), query, hits.data()));
        return hits;
    }
    swath_proxy_hit sweep(const swath_moving_box &moving, const swath_query *query = nullptr) const {
        swath_proxy_hit hit{};
        check(swath_broadphase_sweep(get(), &moving, query, &hit));
        return hit;
    }
    std::vector<swath_proxy_id> overlap(const swath_aabb &aabb, const swath_query *query = nullptr) const {
        return list<swath_proxy_id>([&](swath_proxy_id *to, std::size_t capacity, std::size_t *count) {
            return swath_broadphase_overlap(get(), &aabb, query, to, capacity, count);
        });
    }
    std::vector<swath_proxy_id> overlap_sphere(float x, float y, float z, float radius, const swath_query *query = nullptr) const {
        const float center[3] = {x, y, z};
        return list<swath_proxy_id>([&](swath_proxy_id *to, std::size_t capacity, std::size_t *count) {
            return swath_broadphase_overlap_sphere(get(), center, radius, query, to, capacity, count);
        });
    }
    // At most `most` proxies.
    std::vector<swath_proxy_hit> nearest(const swath_aabb &aabb, float max_distance, std::size_t most, const swath_query *query = nullptr) const {
        std::vector<swath_proxy_hit> hits(most);
        std::size_t count = 0;
        check(swath_broadphase_nearest(get(), &aabb, max_distance, query, hits.data(), most, &count));
        hits.resize(count);
        return hits;
    }
    void save(snapshot &to) const { check(swath_broadphase_save(get(), to.get())); }
    void restore(const snapshot &from) { check(swath_broadphase_restore(get(), from.get())); }

  private:
    template <class Accept> struct guarded {
        Accept &accept;
        std::mutex mutex;
        std::exception_ptr thrown;
        static std::int32_t call(void *user, swath_proxy_pair pair) noexcept {
            auto *self = static_cast<guarded *>(user);
            try {
                return self->accept(pair) ? 1 : 0;
            } catch (...) {
                std::lock_guard<std::mutex> lock(self->mutex);
                if (!self->thrown) self->thrown = std::current_exception();
                return 0;
            }
        }
    };
    static changes changes_of(const swath_changes &found) {
        return {{found.begun.data, found.begun.count}, {found.ended.data, found.ended.count}, found.touching_count};
    }
};

class bvh : public handle<swath_bvh, swath_bvh_destroy> {
  public:
    explicit bvh(const swath_exec *exec = nullptr) {
        create([exec](swath_bvh **to) { return swath_bvh_create(exec, to); });
    }
    void build(const swath_boxes &boxes) { check(swath_bvh_build(get(), &boxes)); }
    swath_hit cast(const swath_segment &segment, const swath_filter *filter = nullptr) const {
        swath_hit hit{};
        check(swath_bvh_cast(get(), &segment, filter, &hit));
        return hit;
    }
    std::vector<swath_hit> casts(const std::vector<swath_segment> &segments, const swath_filter *filter = nullptr) const {
        std::vector<swath_hit> hits(segments.size());
        check(swath_bvh_casts(get(), segments.data(), segments.size(), filter, hits.data()));
        return hits;
    }
    std::vector<std::uint32_t> overlap(const swath_aabb &aabb, const swath_filter *filter = nullptr) const {
        return list<std::uint32_t>([&](std::uint32_t *to, std::size_t capacity, std::size_t *count) {
            return swath_bvh_overlap(get(), &aabb, filter, to, capacity, count);
        });
    }
    std::vector<std::uint32_t> overlap_sphere(float x, float y, float z, float radius, const swath_filter *filter = nullptr) const {
        const float center[3] = {x, y, z};
        return list<std::uint32_t>([&](std::uint32_t *to, std::size_t capacity, std::size_t *count) {
            return swath_bvh_overlap_sphere(get(), center, radius, filter, to, capacity, count);
        });
    }
    std::vector<swath_hit> cast_all(const swath_segment &segment, const swath_filter *filter = nullptr) const {
        return list<swath_hit>([&](swath_hit *to, std::size_t capacity, std::size_t *count) {
            return swath_bvh_cast_all(get(), &segment, filter, to, capacity, count);
        });
    }
    swath_hit sweep(const swath_moving_box &moving, const swath_filter *filter = nullptr) const {
        swath_hit hit{};
        check(swath_bvh_sweep(get(), &moving, filter, &hit));
        return hit;
    }
    // At most `most` boxes.
    std::vector<swath_hit> nearest(const swath_aabb &aabb, float max_distance, std::size_t most, const swath_filter *filter = nullptr) const {
        std::vector<swath_hit> hits(most);
        std::size_t count = 0;
        check(swath_bvh_nearest(get(), &aabb, max_distance, filter, hits.data(), most, &count));
        hits.resize(count);
        return hits;
    }
    span<swath_rejected> rejected() const {
        swath_rejected_rows found{};
        check(swath_bvh_rejected(get(), &found));
        return {found.data, found.count};
    }
};

class shape : public handle<swath_shape, swath_shape_destroy> {
  public:
    // Takes over a shape that a function of swath.h created, and destroys it at the end.
    static shape adopt(swath_shape *raw) noexcept { return shape(raw); }
    static shape point() {
        return shape([](swath_shape **to) { return swath_shape_point(to); });
    }
    static shape sphere(float radius) {
        return shape([=](swath_shape **to) { return swath_shape_sphere(radius, to); });
    }
    static shape cuboid(float x, float y, float z) {
        const float half[3] = {x, y, z};
        return shape([&](swath_shape **to) { return swath_shape_cuboid(half, to); });
    }
    static shape capsule(float half_height, float radius) {
        return shape([=](swath_shape **to) { return swath_shape_capsule(half_height, radius, to); });
    }
    static shape cylinder(float half_height, float radius) {
        return shape([=](swath_shape **to) { return swath_shape_cylinder(half_height, radius, to); });
    }
    static shape cone(float half_height, float radius) {
        return shape([=](swath_shape **to) { return swath_shape_cone(half_height, radius, to); });
    }
    static shape segment(const float (&a)[3], const float (&b)[3]) {
        return shape([&](swath_shape **to) { return swath_shape_segment(a, b, to); });
    }
    static shape triangle(const float (&a)[3], const float (&b)[3], const float (&c)[3]) {
        return shape([&](swath_shape **to) { return swath_shape_triangle(a, b, c, to); });
    }
    // The parts are copied.
    static shape compound(const std::vector<const shape *> &parts, const std::vector<swath_pose> &poses) {
        if (parts.size() != poses.size()) throw std::invalid_argument("not as many parts as poses");
        std::vector<const swath_shape *> raw;
        for (const shape *part : parts) raw.push_back(part == nullptr ? nullptr : part->get());
        return shape([&](swath_shape **to) { return swath_shape_compound(raw.data(), poses.data(), raw.size(), to); });
    }
    static shape height_field(const std::vector<float> &heights, std::uint32_t samples_x, std::uint32_t samples_z, float spacing_x,
                              float spacing_z, bool one_sided = false) {
        if (heights.size() != std::uint64_t{samples_x} * samples_z) throw std::invalid_argument("not a height for each sample");
        return shape([&](swath_shape **to) {
            return swath_shape_height_field(heights.data(), samples_x, samples_z, spacing_x, spacing_z, one_sided ? 1 : 0, to);
        });
    }
    static shape hull(swath_vectors points, std::size_t count) {
        return shape([=](swath_shape **to) { return swath_shape_hull(points, count, to); });
    }
    static shape mesh(swath_vectors vertices, std::size_t count, const std::vector<std::uint32_t> &triangles, bool one_sided = false) {
        if (triangles.size() % 3 != 0) throw std::invalid_argument("not three indices for each triangle");
        return shape([&](swath_shape **to) {
            return swath_shape_mesh(vertices, count, triangles.data(), triangles.size() / 3, one_sided ? 1 : 0, nullptr, to);
        });
    }
    shape rounded(float radius) const {
        return shape([&](swath_shape **to) { return swath_shape_rounded(get(), radius, to); });
    }
    shape scaled(float x, float y, float z) const {
        const float factors[3] = {x, y, z};
        return shape([&](swath_shape **to) { return swath_shape_scaled(get(), factors, to); });
    }
    swath_aabb bounds(const swath_pose &pose) const {
        swath_aabb aabb{};
        check(swath_shape_bounds(get(), &pose, &aabb));
        return aabb;
    }
    swath_shape_cast_result cast(const swath_pose &pose, const swath_segment &segment) const {
        swath_shape_cast_result result{};
        check(swath_shape_cast(get(), &pose, &segment, &result));
        return result;
    }
    swath_moving_box bounds_over(const swath_motion &motion, float margin = 0.0f) const {
        swath_moving_box moving{};
        check(swath_shape_bounds_over(get(), &motion, margin, &moving));
        return moving;
    }

  private:
    explicit shape(swath_shape *raw) noexcept : handle(raw) {}
    template <class Create> explicit shape(Create &&by) { create(by); }
};

// What a tick of a pipeline found.
struct tick {
    span<swath_impact> impacts;
    span<swath_impact> sensed;
    span<swath_pair> slow;
    span<swath_rejected> rejected;
};

// What a tick over a broadphase found.
struct proxy_tick {
    span<swath_proxy_impact> impacts;
    span<swath_proxy_impact> sensed;
    span<swath_rejected_proxy> rejected;
};

// Computes the impacts of a tick in the order of time.
class pipeline : public handle<swath_pipeline, swath_pipeline_destroy> {
  public:
    explicit pipeline(const swath_pipeline_settings *settings = nullptr, const swath_exec *exec = nullptr) {
        create([=](swath_pipeline **to) { return swath_pipeline_create(settings, exec, to); });
    }
    void configure(const swath_pipeline_settings &settings) { check(swath_pipeline_configure(get(), &settings)); }
    swath::tick tick(const swath_scene &scene) {
        swath_tick found{};
        check(swath_pipeline_tick(get(), &scene, &found));
        return {{found.impacts.data, found.impacts.count},
                {found.sensed.data, found.sensed.count},
                {found.slow.data, found.slow.count},
                {found.rejected.data, found.rejected.count}};
    }
    // All proxies are their boxes.
    proxy_tick tick_proxies(broadphase &world) { return tick_of(world, nullptr, nullptr); }
    // `body(id)` returns the swath_proxy_body of a proxy in a pair. If it throws, this proxy and those after it are boxes, the tick is completed, and the
    // exception is thrown, also if the tick fails: then the broadphase has been updated.
    template <class Body> proxy_tick tick_proxies(broadphase &world, Body &&body) {
        guarded<Body> function{body, nullptr};
        const swath_proxy_bodies by{&function, &guarded<Body>::call};
        return tick_of(world, &by, &function.thrown);
    }
    swath_tick_stats stats() const {
        swath_tick_stats found{};
        check(swath_pipeline_stats(get(), &found));
        return found;
    }

  private:
    template <class Body> struct guarded {
        Body &body;
        std::exception_ptr thrown;
        static void call(void *user, swath_proxy_id id, swath_proxy_body *to) noexcept {
            auto *self = static_cast<guarded *>(user);
            if (self->thrown) return;
            try {
                *to = self->body(id);
            } catch (...) {
                self->thrown = std::current_exception();
            }
        }
    };
    proxy_tick tick_of(broadphase &world, const swath_proxy_bodies *by, const std::exception_ptr *thrown) {
        swath_proxy_tick found{};
        const swath_status status = swath_pipeline_tick_proxies(get(), world.get(), by, &found);
        if (thrown != nullptr && *thrown) std::rethrow_exception(*thrown);
        check(status);
        return {{found.impacts.data, found.impacts.count},
                {found.sensed.data, found.sensed.count},
                {found.rejected.data, found.rejected.count}};
    }
};

// Bodies in the boxes of a tree, of fixed boxes or of a broadphase, for queries. `body(id)` returns the swath_body in a box; it is called in queries, from
// several threads in queries of many rows. The object and the function must live as long as this. An exception in the function ends the
// program by std::terminate.
class bodies {
  public:
    template <class Body> bodies(const bvh &tree, Body &body) : bodies(body) { raw_.bvh = tree.get(); }
    template <class Body> bodies(const fixed_boxes &fixed, Body &body) : bodies(body) { raw_.fixed = fixed.get(); }
    // Queries of a broadphase must be prepared.
    template <class Body> bodies(const broadphase &world, Body &body) : bodies(body) { raw_.broadphase = world.get(); }
    // Which boxes count.
    swath_query &query() noexcept { return raw_.query; }
    // For the functions of swath.h.
    const swath_bodies *get() const noexcept { return &raw_; }
    swath_body_cast cast(const swath_segment &segment) const {
        swath_body_cast hit{};
        check(swath_bodies_cast(get(), &segment, &hit));
        return hit;
    }
    std::vector<swath_body_cast> casts(const std::vector<swath_segment> &segments) const {
        std::vector<swath_body_cast> hits(segments.size());
        check(swath_bodies_casts(get(), segments.data(), segments.size(), hits.data()));
        return hits;
    }
    std::vector<swath_body_cast> cast_all(const swath_segment &segment) const {
        return list<swath_body_cast>([&](swath_body_cast *to, std::size_t capacity, std::size_t *count) {
            return swath_bodies_cast_all(get(), &segment, to, capacity, count);
        });
    }
    swath_body_sweep sweep(const shape &moving, const swath_motion &motion, const swath_toi_settings *settings = nullptr) const {
        swath_body_sweep hit{};
        check(swath_bodies_sweep(get(), moving.get(), &motion, settings, &hit));
        return hit;
    }
    std::vector<swath_body_sweep> sweep_all(const shape &moving, const swath_motion &motion,
                                            const swath_toi_settings *settings = nullptr) const {
        return list<swath_body_sweep>([&](swath_body_sweep *to, std::size_t capacity, std::size_t *count) {
            return swath_bodies_sweep_all(get(), moving.get(), &motion, settings, to, capacity, count);
        });
    }
    std::vector<swath_proxy_id> overlap(const shape &resting, const swath_pose &pose) const {
        return list<swath_proxy_id>([&](swath_proxy_id *to, std::size_t capacity, std::size_t *count) {
            return swath_bodies_overlap(get(), resting.get(), &pose, to, capacity, count);
        });
    }
    // Whether no body overlaps or touches a shape.
    bool is_free(const shape &resting, const swath_pose &pose) const {
        swath_proxy_id id{};
        check(swath_bodies_overlap_any(get(), resting.get(), &pose, &id));
        return id.index == SWATH_NO_INDEX;
    }

  private:
    template <class Body> explicit bodies(Body &body) {
        raw_.user = const_cast<void *>(static_cast<const void *>(&body));
        raw_.body = [](void *user, swath_proxy_id id, swath_body *to) noexcept { *to = (*static_cast<Body *>(user))(id); };
    }
    swath_bodies raw_{};
};

// When two bodies first touch.
inline swath_toi_result toi(const shape &a, const swath_motion &motion_a, const shape &b, const swath_motion &motion_b,
                            const swath_toi_settings *settings = nullptr) {
    swath_toi_result result{};
    check(swath_toi(a.get(), &motion_a, b.get(), &motion_b, settings, &result));
    return result;
}

// The pose of a motion at `t`, a fraction of the tick.
inline swath_pose motion_pose_at(const swath_motion &motion, float t) {
    swath_pose pose{};
    check(swath_motion_pose_at(&motion, t, &pose));
    return pose;
}

// The first contacts of all parts of two bodies.
inline std::vector<swath_toi_result> toi_each_part(const shape &a, const swath_motion &motion_a, const shape &b, const swath_motion &motion_b,
                                                   const swath_toi_settings *settings = nullptr) {
    return list<swath_toi_result>([&](swath_toi_result *to, std::size_t capacity, std::size_t *count) {
        return swath_toi_each_part(a.get(), &motion_a, b.get(), &motion_b, settings, to, capacity, count);
    });
}

// The distance of two bodies of any kind.
inline swath_distance_result distance(const shape &a, const swath_pose &pose_a, const shape &b, const swath_pose &pose_b) {
    swath_distance_result result{};
    check(swath_distance(a.get(), &pose_a, b.get(), &pose_b, &result));
    return result;
}

// Whether two bodies of any kind overlap or touch, at rest.
inline bool overlaps(const shape &a, const swath_pose &pose_a, const shape &b, const swath_pose &pose_b) {
    std::int32_t result = 0;
    check(swath_overlaps(a.get(), &pose_a, b.get(), &pose_b, &result));
    return result != 0;
}

}  // namespace swath

#endif  // SWATH_HPP
