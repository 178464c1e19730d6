// PhysX: `PxGjkQuery::proximityInfo` with the support functions of `PxGjkQueryExt`, and `PxGeometryQuery::sweep` with the
// default flags of a hit.
//
// Outside of the clock are geometries (hulls and meshes cooked with the default parameters), poses, and the length and
// direction of the motion.
#include "extensions/PxGjkQueryExt.h"
#include "foundation/PxFoundation.h"
#include "foundation/PxAllocatorCallback.h"
#include "foundation/PxErrorCallback.h"
#include "foundation/PxPhysicsVersion.h"
#include "geometry/PxBoxGeometry.h"
#include "geometry/PxCapsuleGeometry.h"
#include "geometry/PxConvexMesh.h"
#include "geometry/PxConvexMeshGeometry.h"
#include "geometry/PxGeometryHelpers.h"
#include "geometry/PxGeometryQuery.h"
#include "geometry/PxGjkQuery.h"
#include "geometry/PxSphereGeometry.h"
#include "geometry/PxTriangleMesh.h"
#include "geometry/PxTriangleMeshGeometry.h"
#include "GuCooking.h"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include "engines.h"

using namespace physx;

namespace {

struct Allocator : PxAllocatorCallback {
    void* allocate(size_t size, const char*, const char*, int) override { return std::aligned_alloc(16, (size + 15) / 16 * 16); }
    void deallocate(void* pointer) override { std::free(pointer); }
};

struct Errors : PxErrorCallback {
    void reportError(PxErrorCode::Enum, const char* message, const char*, int) override { std::fprintf(stderr, "PhysX: %s\n", message); }
};

struct Row {
    PxGeometryHolder a, b;
    PxTransform pose_a, pose_b;
    PxVec3 way;
    float length;
    std::unique_ptr<PxGjkQuery::Support> support_a, support_b;
};

struct Work {
    std::vector<PxConvexMesh*> hulls;
    std::vector<Row> rows;
    PxTriangleMesh* mesh = nullptr;

    ~Work() {
        rows.clear();
        for (PxConvexMesh* hull : hulls) hull->release();
        if (mesh) mesh->release();
    }
};

PxVec3 vec(const float* v) { return PxVec3(v[0], v[1], v[2]); }

PxGeometryHolder geometry(const MovingShape& body, const Work& work) {
    const float* s = body.size;
    switch (body.kind) {
        case KIND_BOX: return PxBoxGeometry(vec(s));
        case KIND_SPHERE: return PxSphereGeometry(s[0]);
        case KIND_CAPSULE: return PxCapsuleGeometry(s[1], s[0]);
        default: return PxConvexMeshGeometry(work.hulls[body.hull]);
    }
}

std::unique_ptr<PxGjkQuery::Support> support(const PxGeometryHolder& geometry) {
    switch (geometry.getType()) {
        case PxGeometryType::eBOX: return std::make_unique<PxGjkQueryExt::BoxSupport>(geometry.box());
        case PxGeometryType::eSPHERE: return std::make_unique<PxGjkQueryExt::SphereSupport>(geometry.sphere());
        // The constructor from a geometry leaves the half height at zero.
        case PxGeometryType::eCAPSULE:
            return std::make_unique<PxGjkQueryExt::CapsuleSupport>(geometry.capsule().radius, geometry.capsule().halfHeight);
        default: return std::make_unique<PxGjkQueryExt::ConvexMeshSupport>(geometry.convexMesh());
    }
}

// Capsules of PhysX lie along x.
PxTransform pose(const MovingShape& body) {
    const float* q = body.rotation;
    PxTransform out(vec(body.position), PxQuat(q[0], q[1], q[2], q[3]).getNormalized());
    if (body.kind == KIND_CAPSULE) out.q = out.q * PxQuat(PxHalfPi, PxVec3(0.0f, 0.0f, 1.0f));
    return out;
}

float distance(const Row& row) {
    PxVec3 on_a, on_b, axis;
    PxReal separation = std::numeric_limits<float>::infinity();
    PxGjkQuery::proximityInfo(*row.support_a, *row.support_b, row.pose_a, row.pose_b, 1.0e6f, 1.0f, on_a, on_b, axis, separation);
    return PxMax(separation, 0.0f);
}

float sweep(const Row& row) {
    PxGeomSweepHit hit;
    bool found = PxGeometryQuery::sweep(row.way, row.length, row.a.any(), row.pose_a, row.b.any(), row.pose_b, hit);
    return found ? hit.distance / row.length : std::numeric_limits<float>::infinity();
}

bool start() {
    static Allocator allocator;
    static Errors errors;
    static PxFoundation* foundation = PxCreateFoundation(PX_PHYSICS_VERSION, allocator, errors);
    return foundation != nullptr;
}

} // namespace

void* engine_physx_new(const Input* in) {
    if (!start()) return nullptr;
    auto work = std::make_unique<Work>();
    PxCookingParams params{PxTolerancesScale()};
    for (size_t k = 0; k < in->hull_count; ++k) {
        PxConvexMeshDesc desc;
        desc.points.count = PxU32(in->hulls[k].count);
        desc.points.stride = 3 * sizeof(float);
        desc.points.data = in->hulls[k].points;
        desc.flags = PxConvexFlag::eCOMPUTE_CONVEX;
        PxConvexMesh* hull = immediateCooking::createConvexMesh(params, desc);
        if (!hull) return nullptr;
        work->hulls.push_back(hull);
    }
    if (in->triangle_count > 0) {
        PxTriangleMeshDesc desc;
        desc.points.count = PxU32(in->vertex_count);
        desc.points.stride = 3 * sizeof(float);
        desc.points.data = in->vertices;
        desc.triangles.count = PxU32(in->triangle_count);
        desc.triangles.stride = 3 * sizeof(PxU32);
        desc.triangles.data = in->triangles;
        work->mesh = immediateCooking::createTriangleMesh(params, desc);
        if (!work->mesh) return nullptr;
    }
    size_t step = work->mesh ? 1 : 2;
    for (size_t k = 0; k + step <= in->body_count; k += step) {
        const MovingShape& body = in->bodies[k];
        Row row;
        row.a = geometry(body, *work);
        row.pose_a = pose(body);
        row.support_a = support(row.a);
        row.way = vec(body.delta);
        row.length = row.way.normalize();
        if (work->mesh) {
            row.b = PxTriangleMeshGeometry(work->mesh, PxMeshScale(), PxMeshGeometryFlag::eDOUBLE_SIDED);
            row.pose_b = PxTransform(PxIdentity);
        } else {
            row.b = geometry(in->bodies[k + 1], *work);
            row.pose_b = pose(in->bodies[k + 1]);
            row.support_b = support(row.b);
        }
        work->rows.push_back(std::move(row));
    }
    return work.release();
}

void engine_physx_run(const void* pointer, uint32_t question, size_t from, size_t to, float* out) {
    const Work& work = *static_cast<const Work*>(pointer);
    for (size_t k = from; k < to; ++k) *out++ = question == QUESTION_DISTANCE ? distance(work.rows[k]) : sweep(work.rows[k]);
}

void engine_physx_free(void* work) { delete static_cast<Work*>(work); }
