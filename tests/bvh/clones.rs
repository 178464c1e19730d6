//! Clones of trees, finders and pipelines.

use swath::pipeline::Config;
use swath::{
    Aabb, Bvh, Exec, Filter, FixedBoxes, Level, MovingBox, MovingBoxStore, PairFinder, Pipeline,
    Scene, Threads,
};
use testkit::draw::Draw;

fn boxes(draw: &mut Draw, count: usize) -> Vec<MovingBox> {
    let one = |_| {
        let min = [(); 3].map(|()| draw.between(0.0, 20.0));
        let aabb = Aabb { min, max: min.map(|x| x + 1.0) };
        MovingBox { aabb, delta: [(); 3].map(|()| draw.between(-2.0, 2.0)) }
    };
    (0..count).map(one).collect()
}

/// Goal: a clone of fixed boxes, or of a tree, has the same results as the original, and neither changes the other. Method: several trees
/// with filters, from which boxes were removed, and in which boxes have moved; changes of both in turn, compared with a set built anew.
#[test]
fn clones_of_trees_are_independent() {
    let mut draw = Draw::new(3);
    let (fixed, movers) = (boxes(&mut draw, 3_000), boxes(&mut draw, 500));
    let rows: Vec<u32> = (0..3_000).collect();
    let aabbs: Vec<Aabb> = fixed.iter().map(|moving| moving.aabb).collect();
    let mut original = FixedBoxes::new();
    for part in [0..2_000, 2_000..2_900, 2_900..3_000] {
        original.put(&rows[part.clone()], &aabbs[part]).expect("valid");
    }
    original.set_filters(&rows[..500], &[Filter::NONE; 500]).expect("they exist");
    original.remove(&rows[600..1_900]).expect("they exist");
    let moved: Vec<Aabb> =
        aabbs[1_900..2_500].iter().map(|aabb| aabb.translated([0.01; 3]).expect("near")).collect();
    original.put(&rows[1_900..2_500], &moved).expect("valid");
    let mut copy = original.clone();
    assert_eq!(copy.len(), original.len());
    let pairs = |of: &mut FixedBoxes| of.swept_pairs(&movers).expect("no limit").sorted().to_vec();
    let before = pairs(&mut original);
    assert!(before.len() > 100 && pairs(&mut copy) == before);
    original.clear();
    assert_eq!(pairs(&mut copy), before);
    copy.remove(&rows[2_000..2_100]).expect("they exist");
    copy.put(&rows[600..700], &aabbs[600..700]).expect("valid");
    let mut anew = FixedBoxes::new();
    anew.put(&rows[500..600], &aabbs[500..600]).expect("valid");
    anew.put(&rows[600..700], &aabbs[600..700]).expect("valid");
    anew.put(&rows[1_900..2_000], &moved[..100]).expect("valid");
    anew.put(&rows[2_100..2_500], &moved[200..]).expect("valid");
    anew.put(&rows[2_500..], &aabbs[2_500..]).expect("valid");
    assert_eq!(pairs(&mut copy), pairs(&mut anew));
    assert!(!pairs(&mut copy).is_empty() && original.is_empty());

    let mut tree = Bvh::with_exec(Level::PORTABLE4);
    tree.build(&aabbs).expect("valid");
    let copy = tree.clone();
    tree.build(&aabbs[..1]).expect("valid");
    assert_eq!((copy.len(), copy.exec.level), (3_000, Level::PORTABLE4));
    let (place, mut found) = (Aabb { min: [5.0; 3], max: [8.0; 3] }, Vec::new());
    copy.queries().overlap(&place).expect("valid").all(&mut found);
    let wanted: Vec<u32> =
        rows.iter().copied().filter(|&row| aabbs[row as usize].overlaps(&place)).collect();
    assert!(found == wanted && found.len() > 10);
}

/// Goal: a clone of a finder or a pipeline has its settings and no memory, and gives the same results.
#[test]
fn clones_of_finders_and_pipelines_have_the_settings() {
    let movers = boxes(&mut Draw::new(5), 400);
    let exec = Exec { level: Level::PORTABLE4, threads: Threads::one(), pairs_max: 10_000 };
    let mut finder = PairFinder::with_exec(exec.clone());
    let pairs = finder.swept_pairs(&movers).expect("few pairs").sorted().to_vec();
    let mut copy = finder.clone();
    assert_eq!((copy.memory_usage(), copy.exec.pairs_max), (0, 10_000));
    assert_eq!(copy.swept_pairs(&movers).expect("few pairs").sorted(), pairs);
    assert!(!pairs.is_empty() && copy.exec.level == Level::PORTABLE4);
    let store: MovingBoxStore = movers.iter().copied().collect();
    let mut config = Config::default();
    config.impacts_per_body = 77;
    let mut pipeline = Pipeline::with_exec(config, exec);
    let impacts =
        pipeline.tick(&Scene::new(store.columns())).map(|output| output.impacts().to_vec());
    let mut copy = pipeline.clone();
    assert_eq!((copy.memory_usage(), copy.config()), (0, pipeline.config()));
    assert_eq!(copy.exec.pairs_max, 10_000);
    let again = copy.tick(&Scene::new(store.columns())).map(|output| output.impacts().to_vec());
    assert_eq!(format!("{again:?}"), format!("{impacts:?}"));
}
