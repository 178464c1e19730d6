// swath for C++17: owning classes over swath.h, of which each is one pointer.
//
// Objects are moved, not copied. Errors are exceptions of the type swath::error, thrown here and never inside the library: an exception
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
    void set(swath_proxy_id id, const swath_moving_box &moving) { check(swath_broadphase_set(get(), id, &moving)); }
    void set_many(const std::vector<swath_proxy_id> &ids, const swath_boxes &boxes) {
        if (ids.size() != boxes.count) throw std::invalid_argument("not as many ids as boxes");
        check(swath_broadphase_set_many(get(), ids.data(), &boxes));
    }
    void remove(swath_proxy_id id) { check(swath_broadphase_remove(get(), id)); }
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
    void prepare_queries() { check(swath_broadphase_prepare_queries(get())); }
    swath_proxy_hit cast(const swath_segment &segment, const swath_query *query = nullptr) const {
        swath_proxy_hit hit{};
        check(swath_broadphase_cast(get(), &segment, query, &hit));
        return hit;
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
        std::vector<std::uint32_t> rows(16);
        std::size_t count = 0;
        swath_status status;
        while ((status = swath_bvh_overlap(get(), &aabb, filter, rows.data(), rows.size(), &count)) == SWATH_ERROR_TOO_SHORT)
            rows.resize(count);
        check(status);
        rows.resize(count);
        return rows;
    }
};

class shape : public handle<swath_shape, swath_shape_destroy> {
  public:
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
    swath_moving_box bounds_over(const swath_motion &motion, float margin = 0.0f) const {
        swath_moving_box moving{};
        check(swath_shape_bounds_over(get(), &motion, margin, &moving));
        return moving;
    }

  private:
    template <class Create> explicit shape(Create &&by) { create(by); }
};

// When two bodies first touch.
inline swath_toi_result toi(const shape &a, const swath_motion &motion_a, const shape &b, const swath_motion &motion_b,
                            const swath_toi_settings *settings = nullptr) {
    swath_toi_result result{};
    check(swath_toi(a.get(), &motion_a, b.get(), &motion_b, settings, &result));
    return result;
}

}  // namespace swath

#endif  // SWATH_HPP
