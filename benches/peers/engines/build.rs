//! Compiles Box3D, Jolt and PhysX, as far as `glue` needs them, from the sources in the packages `boxddd-sys`, `joltc-sys`
//! and `physx-sys`. `cargo metadata` downloads the packages and reports where they are.
//!
//! Embree and FCL are linked if their Debian packages are installed, and left out otherwise, with a warning.
//!
//! The options of the compiler are those of each project: `-O2` for Box3D; `-O3` and AVX2 with FMA for Jolt, the default of its
//! CMake file, in the configuration without profiler; `-O3` and SSE2 for PhysX.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

type Stop = Box<dyn Error>;

/// Options of Jolt's CMake file for x86-64.
const JOLT_AVX2: [&str; 6] = ["-mavx2", "-mbmi", "-mpopcnt", "-mlzcnt", "-mf16c", "-mfma"];
const JOLT_DEFINES: [&str; 8] =
    ["AVX2", "AVX", "SSE4_1", "SSE4_2", "LZCNT", "TZCNT", "F16C", "FMADD"];

/// The files of Jolt for convex shapes and meshes.
const JOLT: [&str; 38] = [
    "AABBTree/AABBTreeBuilder",
    "Core/Color",
    "Core/Factory",
    "Core/IssueReporting",
    "Core/Memory",
    "Core/RTTI",
    "Core/StringTools",
    "Geometry/ConvexHullBuilder",
    "Geometry/ConvexHullBuilder2D",
    "Geometry/Indexify",
    "Geometry/OrientedBox",
    "Math/Vec3",
    "ObjectStream/ObjectStream",
    "ObjectStream/SerializableObject",
    "ObjectStream/TypeDeclarations",
    "Physics/Body/MassProperties",
    "Physics/Collision/CastConvexVsTriangles",
    "Physics/Collision/CastSphereVsTriangles",
    "Physics/Collision/CollideConvexVsTriangles",
    "Physics/Collision/CollideSphereVsTriangles",
    "Physics/Collision/CollisionDispatch",
    "Physics/Collision/PhysicsMaterial",
    "Physics/Collision/PhysicsMaterialSimple",
    "Physics/Collision/Shape/BoxShape",
    "Physics/Collision/Shape/CapsuleShape",
    "Physics/Collision/Shape/ConvexHullShape",
    "Physics/Collision/Shape/ConvexShape",
    "Physics/Collision/Shape/DecoratedShape",
    "Physics/Collision/Shape/MeshShape",
    "Physics/Collision/Shape/ScaledShape",
    "Physics/Collision/Shape/Shape",
    "Physics/Collision/Shape/SphereShape",
    "Physics/Collision/TransformedShape",
    "TriangleGrouper/TriangleGrouperClosestCentroid",
    "TriangleGrouper/TriangleGrouperMorton",
    "TriangleSplitter/TriangleSplitter",
    "TriangleSplitter/TriangleSplitterBinning",
    "TriangleSplitter/TriangleSplitterFixedLeafSize",
];

/// The folders of PhysX with code for shapes and meshes.
const PHYSX: [&str; 14] = [
    "source/common/src",
    "source/foundation",
    "source/foundation/unix",
    "source/geomutils/src",
    "source/geomutils/src/common",
    "source/geomutils/src/contact",
    "source/geomutils/src/convex",
    "source/geomutils/src/cooking",
    "source/geomutils/src/distance",
    "source/geomutils/src/gjk",
    "source/geomutils/src/hf",
    "source/geomutils/src/intersection",
    "source/geomutils/src/mesh",
    "source/geomutils/src/sweep",
];
/// Files of other folders.
const PHYSX_FILES: [&str; 9] = [
    "source/geomutils/src/pcm/GuPCMContactCapsuleMesh.cpp",
    "source/geomutils/src/pcm/GuPCMContactConvexCommon.cpp",
    "source/geomutils/src/pcm/GuPCMContactGenBoxConvex.cpp",
    "source/geomutils/src/pcm/GuPCMContactGenSphereCapsule.cpp",
    "source/geomutils/src/pcm/GuPCMContactGenUtil.cpp",
    "source/geomutils/src/pcm/GuPCMShapeConvex.cpp",
    "source/geomutils/src/pcm/GuPCMTriangleContactGen.cpp",
    "source/geomutils/src/pcm/GuPersistentContactManifold.cpp",
    "source/physxextensions/src/ExtGjkQueryExt.cpp",
];
/// Folders of which only headers are needed.
const PHYSX_HEADERS: [&str; 11] = [
    "include",
    "include/common",
    "include/cooking",
    "include/extensions",
    "include/geometry",
    "source/common/include",
    "source/foundation/include",
    "source/geomutils/include",
    "source/geomutils/src/ccd",
    "source/geomutils/src/pcm",
    "source/pvd/include",
];

/// A library of a Debian package. If its header is there, the build sets the condition `name`, and the variable `version`.
struct Debian {
    name: &'static str,
    package: &'static str,
    /// The file that defines the macro `version_macro`.
    header: &'static str,
    version_macro: &'static str,
    version: &'static str,
    glue: &'static str,
    library: &'static str,
}

const DEBIAN: [Debian; 2] = [
    Debian {
        name: "embree",
        package: "libembree-dev",
        header: "/usr/include/embree3/rtcore_config.h",
        version_macro: "RTC_VERSION_STRING",
        version: "PEER_EMBREE_VERSION",
        glue: "embree.c",
        library: "embree3",
    },
    Debian {
        name: "fcl",
        package: "libfcl-dev",
        header: "/usr/include/fcl/config.h",
        version_macro: "FCL_VERSION",
        version: "PEER_FCL_VERSION",
        glue: "fcl.cpp",
        library: "fcl",
    },
];

fn main() -> Result<(), Stop> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=glue");
    let [box3d, jolt, physx] = packages(["boxddd-sys-", "joltc-sys-", "physx-sys-"])?;
    build_box3d(&box3d.join("third-party/box3d"))?;
    build_jolt(&jolt.join("JoltC/JoltPhysics"))?;
    build_physx(&physx.join("physx"))?;
    DEBIAN.iter().try_for_each(build_debian)
}

/// The folders of packages, whose names start so.
fn packages<const N: usize>(names: [&str; N]) -> Result<[PathBuf; N], Stop> {
    let manifest = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("Cargo.toml");
    let output = Command::new(env::var("CARGO")?)
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path"])
        .arg(manifest)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let folder = |name: &str| {
        let manifests = text.split('"').filter(|part| part.ends_with("Cargo.toml"));
        let mut folders = manifests.filter_map(|manifest| Path::new(manifest).parent());
        folders.find(|folder| {
            folder.file_name().is_some_and(|f| f.to_string_lossy().starts_with(name))
        })
    };
    let mut found = names.map(|_| PathBuf::new());
    for (found, name) in found.iter_mut().zip(names) {
        let folder =
            folder(name).ok_or_else(|| format!("cargo metadata lists no package {name}"))?;
        *found = folder.to_path_buf();
    }
    Ok(found)
}

/// A build without warnings about code that is not ours.
fn build() -> cc::Build {
    let mut build = cc::Build::new();
    build.include("glue").define("NDEBUG", None).warnings(false);
    build.flag_if_supported("-w").flag("-ffunction-sections").flag("-fdata-sections");
    build
}

/// Compiles a file of `glue`, and the files of an engine with the same options. The versions of the engines are fixed, so
/// their files are compiled again only if this script has changed.
fn compile(build: &cc::Build, glue: &str, files: Vec<PathBuf>) -> Result<(), Stop> {
    let name = format!("peer_{}", glue.split('.').next().unwrap_or(glue));
    let out = PathBuf::from(env::var("OUT_DIR")?);
    build.clone().file(Path::new("glue").join(glue)).compile(&format!("{name}_glue"));
    let compiled_by = out.join(format!("{name}.script"));
    if std::fs::read(&compiled_by).is_ok_and(|script| script == include_bytes!("build.rs")) {
        println!("cargo:rustc-link-lib=static={name}");
    } else {
        build.clone().files(files).compile(&name);
        std::fs::write(compiled_by, include_bytes!("build.rs"))?;
    }
    if build.get_compiler().is_like_gnu() || build.get_compiler().is_like_clang() {
        println!("cargo:rustc-link-lib=pthread");
    }
    Ok(())
}

/// The source files of a folder.
fn sources(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, Stop> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        files.push(entry?.path());
    }
    files.retain(|file| file.extension().is_some_and(|found| found == extension));
    files.sort();
    Ok(files)
}

fn build_box3d(root: &Path) -> Result<(), Stop> {
    let mut build = build();
    build.std("c17").opt_level(2).flag("-ffp-contract=off");
    build.include(root.join("include")).include(root.join("src"));
    compile(&build, "box3d.c", sources(&root.join("src"), "c")?)
}

fn build_jolt(root: &Path) -> Result<(), Stop> {
    let mut build = build();
    build.cpp(true).std("c++17").opt_level(3).include(root);
    build.flag("-ffp-contract=off").flag("-fno-rtti").flag("-fno-exceptions");
    build.define("JPH_OBJECT_LAYER_BITS", "16");
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64") {
        JOLT_AVX2.iter().for_each(|flag| {
            build.flag(flag);
        });
        for define in JOLT_DEFINES {
            build.define(&format!("JPH_USE_{define}"), None);
        }
    }
    let files = JOLT.map(|file| root.join("Jolt").join(file).with_extension("cpp"));
    compile(&build, "jolt.cpp", files.to_vec())
}

fn build_physx(root: &Path) -> Result<(), Stop> {
    let mut build = build();
    build.cpp(true).std("c++17").opt_level(3).flag("-fno-strict-aliasing");
    build.define("PX_PHYSX_STATIC_LIB", None).define("DISABLE_CUDA_PHYSX", None);
    build.define("PX_SUPPORT_PVD", "0");
    build.include(root.join("pxshared/include"));
    let root = root.join("physx");
    for folder in PHYSX_HEADERS.iter().chain(&PHYSX) {
        build.include(root.join(folder));
    }
    let mut files: Vec<_> = PHYSX_FILES.map(|file| root.join(file)).to_vec();
    for folder in PHYSX {
        files.extend(sources(&root.join(folder), "cpp")?);
    }
    compile(&build, "physx.cpp", files)
}

/// Compiles the glue and links the library, if it is installed.
fn build_debian(debian: &Debian) -> Result<(), Stop> {
    let Debian { name, package, header, version_macro, version, glue, library } = debian;
    println!("cargo:rustc-check-cfg=cfg({name})");
    let Ok(text) = std::fs::read_to_string(header) else {
        println!("cargo:warning={name} is left out: install {package}, and touch engines/build.rs");
        return Ok(());
    };
    println!("cargo:rerun-if-changed={header}");
    let define =
        text.lines().find_map(|line| line.strip_prefix("#define ")?.strip_prefix(version_macro));
    let found = define.and_then(|rest| rest.split('"').nth(1));
    let found = found.ok_or_else(|| format!("{header} does not define {version_macro}"))?;
    println!("cargo:rustc-cfg={name}");
    println!("cargo:rustc-env={version}={found}");
    let mut build = build();
    build.opt_level(3).include("/usr/include/eigen3");
    let cpp = glue.ends_with("cpp");
    build.cpp(cpp).std(if cpp { "c++17" } else { "c17" });
    build.file(Path::new("glue").join(glue)).compile(&format!("peer_{name}_glue"));
    println!("cargo:rustc-link-lib={library}");
    Ok(())
}
