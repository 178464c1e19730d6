// Jolt: `GJKClosestPoint::GetClosestPoints` with the support functions of the shapes, and
// `CollisionDispatch::sCastShapeVsShapeLocalSpace` with the default settings and a collector of the first hit; both
// faces of triangles and of shapes are hit, as by all other systems.
//
// Outside of the clock are shapes, and the pose of one in the frame of the other. Hulls and boxes have no convex radius.
#include <Jolt/Jolt.h>

#include <Jolt/Core/Factory.h>
#include <Jolt/Geometry/GJKClosestPoint.h>
#include <Jolt/Physics/Collision/CollisionCollectorImpl.h>
#include <Jolt/Physics/Collision/CollisionDispatch.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/ConvexHullShape.h>
#include <Jolt/Physics/Collision/Shape/MeshShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/Collision/ShapeCast.h>

#include <limits>
#include <memory>
#include <vector>

#include "engines.h"

using namespace JPH;

namespace {

struct Row {
    RefConst<Shape> a;
    RefConst<Shape> b; // null for a mesh
    // From the center of mass of `a` to that of `b`, or to the mesh, and its motion there.
    Mat44 pose;
    Vec3 delta;
};

struct Work {
    std::vector<Row> rows;
    RefConst<Shape> mesh;
};

Vec3 vec(const float* v) { return Vec3(v[0], v[1], v[2]); }
Quat quat(const float* q) { return Quat(q[0], q[1], q[2], q[3]).Normalized(); }

void start() {
    static bool started = false;
    if (started) return;
    started = true;
    RegisterDefaultAllocator();
    Factory::sInstance = new Factory();
    // What `RegisterTypes` does for these shapes.
    CollisionDispatch::sInit();
    ConvexShape::sRegister();
    SphereShape::sRegister();
    BoxShape::sRegister();
    CapsuleShape::sRegister();
    MeshShape::sRegister();
    ConvexHullShape::sRegister();
}

RefConst<Shape> shape(const MovingShape& body, const std::vector<RefConst<Shape>>& hulls) {
    const float* s = body.size;
    switch (body.kind) {
        case KIND_BOX: return new BoxShape(vec(s), 0.0f);
        case KIND_SPHERE: return new SphereShape(s[0]);
        case KIND_CAPSULE: return new CapsuleShape(s[0], s[1]);
        default: return hulls[body.hull];
    }
}

Mat44 pose(const MovingShape& body, const Shape& shape) {
    return Mat44::sRotationTranslation(quat(body.rotation), vec(body.position)).PreTranslated(shape.GetCenterOfMass());
}

const ConvexShape::Support* support(const Shape& shape, ConvexShape::SupportBuffer& buffer) {
    const auto& convex = static_cast<const ConvexShape&>(shape);
    return convex.GetSupportFunction(ConvexShape::ESupportMode::ExcludeConvexRadius, buffer, Vec3::sReplicate(1.0f));
}

float distance(const Row& row) {
    ConvexShape::SupportBuffer buffer_a, buffer_b;
    const ConvexShape::Support *a = support(*row.a, buffer_a), *b = support(*row.b, buffer_b);
    TransformedConvexObject<ConvexShape::Support> moved(row.pose, *a);
    GJKClosestPoint gjk;
    Vec3 way = -row.pose.GetTranslation(), on_b, on_a;
    float square = gjk.GetClosestPoints(*b, moved, cDefaultCollisionTolerance, FLT_MAX, way, on_b, on_a);
    return max(0.0f, std::sqrt(square) - a->GetConvexRadius() - b->GetConvexRadius());
}

float cast(const Row& row, const Shape& against) {
    ShapeCast cast(row.a, Vec3::sReplicate(1.0f), row.pose, row.delta);
    ShapeCastSettings settings;
    settings.mBackFaceModeTriangles = EBackFaceMode::CollideWithBackFaces;
    settings.mBackFaceModeConvex = EBackFaceMode::CollideWithBackFaces;
    ClosestHitCollisionCollector<CastShapeCollector> first;
    CollisionDispatch::sCastShapeVsShapeLocalSpace(
        cast, settings, &against, Vec3::sReplicate(1.0f), ShapeFilter(), Mat44::sIdentity(), SubShapeIDCreator(),
        SubShapeIDCreator(), first);
    return first.HadHit() ? first.mHit.mFraction : std::numeric_limits<float>::infinity();
}

} // namespace

void* engine_jolt_new(const Input* in) {
    start();
    std::vector<RefConst<Shape>> hulls;
    for (size_t k = 0; k < in->hull_count; ++k) {
        const PointSet& set = in->hulls[k];
        Array<Vec3> points;
        for (size_t p = 0; p < set.count; ++p) points.push_back(vec(set.points + 3 * p));
        ConvexHullShapeSettings settings(points, 0.0f);
        settings.mHullTolerance = 1.0e-5f;
        Shape::ShapeResult made = settings.Create();
        if (!made.IsValid()) return nullptr;
        hulls.push_back(made.Get());
    }
    auto work = std::make_unique<Work>();
    if (in->triangle_count > 0) {
        VertexList vertices;
        IndexedTriangleList triangles;
        for (size_t k = 0; k < in->vertex_count; ++k) {
            const float* v = in->vertices + 3 * k;
            vertices.push_back(Float3(v[0], v[1], v[2]));
        }
        for (size_t k = 0; k < in->triangle_count; ++k) {
            const uint32_t* t = in->triangles + 3 * k;
            triangles.push_back(IndexedTriangle(t[0], t[1], t[2]));
        }
        Shape::ShapeResult made = MeshShapeSettings(std::move(vertices), std::move(triangles)).Create();
        if (!made.IsValid()) return nullptr;
        work->mesh = made.Get();
        for (size_t k = 0; k < in->body_count; ++k) {
            const MovingShape& body = in->bodies[k];
            RefConst<Shape> a = shape(body, hulls);
            work->rows.push_back({a, nullptr, pose(body, *a), vec(body.delta)});
        }
        return work.release();
    }
    for (size_t k = 0; k + 1 < in->body_count; k += 2) {
        const MovingShape &of_a = in->bodies[k], &of_b = in->bodies[k + 1];
        RefConst<Shape> a = shape(of_a, hulls), b = shape(of_b, hulls);
        Mat44 into = pose(of_b, *b).InversedRotationTranslation();
        work->rows.push_back({a, b, into * pose(of_a, *a), into.Multiply3x3(vec(of_a.delta))});
    }
    return work.release();
}

void engine_jolt_run(const void* pointer, uint32_t question, size_t from, size_t to, float* out) {
    const Work& work = *static_cast<const Work*>(pointer);
    for (size_t k = from; k < to; ++k) {
        const Row& row = work.rows[k];
        if (work.mesh != nullptr) {
            *out++ = cast(row, *work.mesh);
        } else {
            *out++ = question == QUESTION_DISTANCE ? distance(row) : cast(row, *row.b);
        }
    }
}

void engine_jolt_free(void* work) { delete static_cast<Work*>(work); }
