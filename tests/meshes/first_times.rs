//! First times of convex shapes and meshes, judged by the specification on every triangle.

use swath::convex::toi::ToiResult;
use testkit::draw::{Draw, how_many};
use testkit::finite::assert_finite;
use testkit::mesh_cases::{judged, mesh_case};

/// Goal: a first time is never late, no contact is missed, and the distance at an impact is that of the target. Method:
/// random shapes and meshes; the specification tests every triangle up to the reported time.
#[test]
fn first_times_of_meshes_keep_all_promises() {
    let mut draw = Draw::new(7);
    let (mut impacts, mut unresolved) = (0, 0);
    let cases = how_many(3_000);
    for index in 0..cases {
        let case = mesh_case(&mut draw);
        let found = case.asked();
        assert_finite(&found);
        unresolved += usize::from(matches!(found.toi.result, ToiResult::Unresolved { .. }));
        match judged(&case, &found) {
            Ok(impact) => impacts += usize::from(impact),
            Err(promise) => panic!("case {index}: {promise}: {found:?} for {case:?}"),
        }
    }
    assert!(impacts > cases / 4 && unresolved * 1000 < cases + 1000, "{impacts} {unresolved}");
}
