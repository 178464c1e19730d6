//! Tests that a batch of pairs gives the results of single pairs, for any threads and with invalid rows.

use scenes::convex::{Hulls, Moves, meetings};
use swath::convex::gjk::Distance;
use swath::convex::toi::{PairsError, Settings, Toi, ToiError, ToiInput, ToiResult};
use swath::convex::{gjk, toi};
use swath::{Invalid, Motion, Pair, Pose, Shape, Threads};

/// Bodies, and pairs of them that touch.
fn bodies(hulls: &Hulls) -> (Vec<Shape<'_>>, Vec<Motion>, Vec<Pair>) {
    let (mut shapes, mut motions, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for meeting in meetings(hulls, Moves::Spinning, 1500, 20) {
        let a = shapes.len() as u32;
        pairs.push(Pair { a, b: a + 1 });
        shapes.extend(meeting.shapes);
        motions.extend(meeting.motions);
    }
    (shapes, motions, pairs)
}

fn threads() -> Vec<Threads> {
    let pools = [
        Threads::one(),
        Threads::current(),
        #[cfg(feature = "rayon")]
        pool(1),
        #[cfg(feature = "rayon")]
        pool(5),
    ];
    pools.into()
}

#[cfg(feature = "rayon")]
fn pool(threads: usize) -> Threads {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    Threads::of_pool(pool.into())
}

/// Goal: a batch gives the results of its pairs, and threads change no bit. Method: every result is compared
/// with that of the pair alone; with a window for each pair and without; with invalid rows among them.
#[test]
fn batches_give_the_results_of_single_pairs() {
    let hulls = Hulls::new(21);
    let (shapes, mut motions, pairs) = bodies(&hulls);
    motions[5].spin[1] = f32::NAN;
    motions[40].pose.rotation = [0.0; 4];
    let windows: Vec<[f32; 2]> =
        (0..pairs.len()).map(|row| [0.0, 0.5 + 0.5 * (row % 2) as f32]).collect();
    for windows in [&[][..], &windows[..]] {
        let meetings = ToiInput { shapes: &shapes, motions: &motions, pairs: &pairs, windows };
        for threads in threads() {
            let mut out = vec![Toi::default(); pairs.len()];
            let mut rejected = Vec::new();
            let settings = Settings::default();
            toi::pairs(&meetings, &settings, &threads, &mut rejected, &mut out).expect("valid");
            let listed: Vec<_> = rejected.iter().map(|row| (row.row, row.reason)).collect();
            assert_eq!(listed, [(5, Invalid::Spin), (40, Invalid::Rotation)]);
            for (index, &Pair { a, b }) in pairs.iter().enumerate() {
                let window = windows.get(index).copied().unwrap_or([0.0, 1.0]);
                let settings = Settings { window, ..settings };
                let (a, b) = (a as usize, b as usize);
                let alone =
                    toi::one_to_one(&shapes[a], &motions[a], &shapes[b], &motions[b], &settings);
                assert_eq!(out[index], alone.unwrap_or_default(), "{index}");
            }
            assert_eq!(out[2], Toi { result: ToiResult::Separated, rounds: 0, supports: 0 });
            assert!(out.iter().filter(|toi| toi.impact().is_some()).count() > 300);
        }
    }
}

/// Goal: the same for distances, cold and from the last results. Method: as above; a second call begins with
/// the results of the first.
#[test]
fn batches_of_distances_give_the_results_of_single_pairs() {
    let hulls = Hulls::new(22);
    let (shapes, motions, pairs) = bodies(&hulls);
    let mut poses: Vec<Pose> = motions.iter().map(|motion| motion.pose).collect();
    poses[7].position[0] = f32::INFINITY;
    for threads in threads() {
        let mut out = vec![Distance::default(); pairs.len()];
        let mut rejected = Vec::new();
        gjk::pairs(&shapes, &poses, &pairs, &threads, &mut rejected, &mut out).expect("valid");
        assert_eq!(rejected.len(), 1);
        assert_eq!(rejected[0].row, 7);
        let cold = out.clone();
        gjk::pairs(&shapes, &poses, &pairs, &threads, &mut rejected, &mut out).expect("valid");
        for (index, &Pair { a, b }) in pairs.iter().enumerate() {
            let (a, b) = (a as usize, b as usize);
            match gjk::distance(&shapes[a], &poses[a], &shapes[b], &poses[b]) {
                Ok(alone) => {
                    assert_eq!(cold[index], alone, "{index}");
                    let warm = out[index].distance;
                    assert!((warm - alone.distance).abs() < 1e-5, "{warm} {alone:?}");
                }
                Err(_) => assert_eq!(cold[index].distance, f32::INFINITY, "{index}"),
            }
        }
    }
}

/// Goal: the same for overlaps, whatever was in the output. Method: pairs that touch in the tick, at the start and at the middle of both; the output
/// of the first call is that of the second one, inverted.
#[test]
fn batches_of_overlaps_give_the_results_of_single_pairs() {
    let hulls = Hulls::new(23);
    let (shapes, motions, pairs) = bodies(&hulls);
    let mut poses: Vec<Pose> = motions.iter().map(|motion| motion.pose).collect();
    for &Pair { a, b } in pairs.iter().step_by(2) {
        poses[a as usize].position = poses[b as usize].position;
    }
    (poses[7].position[0], poses[60].rotation) = (f32::INFINITY, [0.0; 4]);
    for threads in threads() {
        let mut out = vec![false; pairs.len()];
        let mut rejected = Vec::new();
        for _ in 0..2 {
            out.iter_mut().for_each(|overlaps| *overlaps = !*overlaps);
            gjk::overlaps_of_pairs(&shapes, &poses, &pairs, &threads, &mut rejected, &mut out)
                .expect("valid");
            let listed: Vec<_> = rejected.iter().map(|row| (row.row, row.reason)).collect();
            assert_eq!(
                listed,
                [(7, poses[7].validate().expect_err("infinite")), (60, Invalid::Rotation)]
            );
            for (index, &Pair { a, b }) in pairs.iter().enumerate() {
                let (a, b) = (a as usize, b as usize);
                let alone = gjk::overlaps(&shapes[a], &poses[a], &shapes[b], &poses[b]);
                assert_eq!(out[index], alone.unwrap_or(false), "{index}");
            }
        }
        let count = out.iter().filter(|&&overlaps| overlaps).count();
        assert!(count > 500 && pairs.len() - count > 500, "{count}");
    }
}

/// Goal: an invalid call for overlaps is an error, and nothing is written. Method: each error once.
#[test]
fn failed_call_for_overlaps_writes_nothing() {
    let (shapes, poses) = ([Shape::point(); 2], [Pose::IDENTITY; 2]);
    let pairs = [Pair { a: 0, b: 1 }, Pair { a: 2, b: 1 }];
    let failed = |poses: &[Pose], pairs: &[Pair], rows: usize| {
        let (mut out, mut rejected) = (vec![false; rows], Vec::new());
        let one = Threads::one();
        let result = gjk::overlaps_of_pairs(&shapes, poses, pairs, &one, &mut rejected, &mut out);
        assert!(out.iter().all(|&overlaps| overlaps == result.is_ok()));
        result.err()
    };
    assert_eq!(failed(&poses, &pairs[..1], 1), None);
    assert!(matches!(failed(&poses[..1], &pairs[..1], 1), Some(PairsError::Length(_))));
    assert!(matches!(failed(&poses, &pairs[..1], 2), Some(PairsError::Length(_))));
    let no_row = PairsError::NoSuchRow { index: 1, row: 2, rows: 2 };
    assert_eq!(failed(&poses, &pairs, 2), Some(no_row));
}

/// Goal: an invalid call is an error, and nothing is written. Method: each error once.
#[test]
fn failed_call_writes_nothing() {
    let shapes = [Shape::point(); 2];
    let motions = [Motion::default(); 2];
    let pairs = [Pair { a: 0, b: 1 }, Pair { a: 1, b: 2 }];
    let ask = |motions: &[Motion], pairs: &[Pair], windows: &[[f32; 2]], rows: usize| {
        let meetings = ToiInput { shapes: &shapes, motions, pairs, windows };
        let mut out = vec![Toi { rounds: 77, ..Toi::default() }; rows];
        let mut rejected = Vec::new();
        let settings = Settings::default();
        let error =
            toi::pairs(&meetings, &settings, &Threads::one(), &mut rejected, &mut out).err();
        assert!(out.iter().all(|toi| toi.rounds == 77 || error.is_none()), "nothing is written");
        error
    };
    let good = &pairs[..1];
    assert_eq!(ask(&motions, good, &[], 1), None);
    assert!(matches!(ask(&motions[..1], good, &[], 1), Some(PairsError::Length(_))));
    assert!(matches!(ask(&motions, good, &[], 2), Some(PairsError::Length(_))));
    assert!(matches!(ask(&motions, good, &[[0.0, 1.0]; 2], 1), Some(PairsError::Length(_))));
    let no_row = PairsError::NoSuchRow { index: 1, row: 2, rows: 2 };
    assert_eq!(ask(&motions, &pairs, &[], 2), Some(no_row));
    let window = PairsError::Toi(ToiError::Window);
    assert_eq!(ask(&motions, good, &[[1.0, 0.0]], 1), Some(window));
}
