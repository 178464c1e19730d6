// FCL: `distance`, and `continuousCollide` of `TranslationMotion` by conservative advancement, in `double`.
//
// Outside of the clock are shapes, poses and motions; a call resets the motions to their start. Convex shapes get the
// triangles of their hull, with which FCL walks from vertex to vertex. It throws an exception where its search for
// a distance fails; that counts as no hit.
#include <fcl/math/motion/translation_motion.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <fcl/narrowphase/distance.h>

#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "engines.h"

using namespace fcl;

namespace {

using Points = std::vector<Vector3d>;
using Edge = std::pair<int, int>;
using Shape = std::shared_ptr<CollisionGeometryd>;

struct Row {
    Shape a, b;
    Transform3d pose_a, pose_b;
    std::unique_ptr<MotionBased> motion_a, motion_b;
};

Vector3d vec(const float* v) { return Vector3d(v[0], v[1], v[2]); }

// The triangles of the convex hull of points of which no four are in a plane, by gift wrapping, in the form of `Convex`.
std::vector<int> wrap(const Points& p) {
    int count = int(p.size());
    auto in_front = [&](int i, int j, int k, int l) { return (p[j] - p[i]).cross(p[k] - p[i]).dot(p[l] - p[i]) > 0; };
    auto third = [&](Edge edge) {
        int best = -1;
        for (int k = 0; k < count; ++k)
            if (k != edge.first && k != edge.second && (best < 0 || in_front(edge.first, edge.second, best, k))) best = k;
        return best;
    };
    // An edge of the hull: one of its projection along z.
    Edge first(0, -1);
    for (int k = 1; k < count; ++k)
        if (p[k].x() < p[first.first].x()) first.first = k;
    for (int k = 0; k < count; ++k) {
        Vector3d to = p[k] - p[first.first], best = p[first.second < 0 ? k : first.second] - p[first.first];
        if (k != first.first && (first.second < 0 || best.x() * to.y() - best.y() * to.x() > 0)) first.second = k;
    }
    std::vector<int> faces;
    std::vector<Edge> open{first};
    std::set<Edge> closed;
    while (!open.empty()) {
        Edge edge = open.back();
        open.pop_back();
        if (closed.count(edge)) continue;
        int corners[3] = {edge.first, edge.second, third(edge)};
        faces.push_back(3);
        for (int k = 0; k < 3; ++k) {
            int from = corners[k], to = corners[(k + 1) % 3];
            faces.push_back(from);
            closed.insert(Edge(from, to));
            open.push_back(Edge(to, from));
        }
    }
    return faces;
}

Shape shape(const MovingShape& body, const std::vector<Shape>& hulls) {
    const float* s = body.size;
    switch (body.kind) {
        case KIND_BOX: return std::make_shared<Boxd>(2 * vec(s));
        case KIND_SPHERE: return std::make_shared<Sphered>(s[0]);
        case KIND_CAPSULE: return std::make_shared<Capsuled>(s[1], 2 * double(s[0]));
        default: return hulls[body.hull];
    }
}

// Capsules of FCL lie along z.
Transform3d pose(const MovingShape& body) {
    Transform3d out = Transform3d::Identity();
    const float* q = body.rotation;
    Eigen::Quaterniond rotation(q[3], q[0], q[1], q[2]);
    rotation.normalize();
    if (body.kind == KIND_CAPSULE) rotation = rotation * Eigen::Quaterniond(Eigen::AngleAxisd(std::acos(0.0), Vector3d::UnitX()));
    out.linear() = rotation.toRotationMatrix();
    out.translation() = vec(body.position);
    return out;
}

std::unique_ptr<MotionBased> motion(const Transform3d& start, const MovingShape& body) {
    Transform3d end = start;
    end.translation() += vec(body.delta);
    return std::make_unique<TranslationMotion<double>>(start, end);
}

float gap(const Row& row) {
    DistanceRequestd request;
    DistanceResultd result;
    return float(distance(row.a.get(), row.pose_a, row.b.get(), row.pose_b, request, result));
}

float first(const Row& row) {
    row.motion_a->integrate(0);
    row.motion_b->integrate(0);
    ContinuousCollisionRequestd request;
    request.ccd_solver_type = CCDC_CONSERVATIVE_ADVANCEMENT;
    ContinuousCollisionResultd result;
    continuousCollide(row.a.get(), row.motion_a.get(), row.b.get(), row.motion_b.get(), request, result);
    return result.is_collide ? float(result.time_of_contact) : std::numeric_limits<float>::infinity();
}

} // namespace

void* engine_fcl_new(const Input* in) {
    std::vector<Shape> hulls;
    for (size_t k = 0; k < in->hull_count; ++k) {
        auto points = std::make_shared<Points>();
        for (size_t p = 0; p < in->hulls[k].count; ++p) points->push_back(vec(in->hulls[k].points + 3 * p));
        auto faces = std::make_shared<const std::vector<int>>(wrap(*points));
        hulls.push_back(std::make_shared<Convexd>(points, int(faces->size() / 4), faces));
    }
    auto rows = std::make_unique<std::vector<Row>>();
    for (size_t k = 0; k + 2 <= in->body_count; k += 2) {
        const MovingShape* body = in->bodies + k;
        rows->emplace_back();
        Row& row = rows->back();
        row.a = shape(body[0], hulls);
        row.b = shape(body[1], hulls);
        row.pose_a = pose(body[0]);
        row.pose_b = pose(body[1]);
        row.motion_a = motion(row.pose_a, body[0]);
        row.motion_b = motion(row.pose_b, body[1]);
    }
    return rows.release();
}

void engine_fcl_run(const void* pointer, uint32_t question, size_t from, size_t to, float* out) {
    const std::vector<Row>& rows = *static_cast<const std::vector<Row>*>(pointer);
    for (size_t k = from; k < to; ++k, ++out) {
        try {
            *out = question == QUESTION_DISTANCE ? gap(rows[k]) : first(rows[k]);
        } catch (const std::exception&) {
            *out = std::numeric_limits<float>::infinity();
        }
    }
}

void engine_fcl_free(void* rows) { delete static_cast<std::vector<Row>*>(rows); }
