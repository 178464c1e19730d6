//! scratch
#[path = "../benches/worlds/convex.rs"]
mod convex;
use convex::*;
use swath::advance::{self,*};
use swath::gjk;
use std::time::Instant;
fn main(){
    let hulls=Hulls::new(1);
    let n: usize = std::env::args().nth(1).and_then(|a|a.parse().ok()).unwrap_or(20000);
    for moves in [Moves::Linear,Moves::Accelerated,Moves::Spinning]{
        let many=meetings(&hulls,moves,n,2);
        let mut best=f64::MAX; let mut out=vec![];
        for _ in 0..7{
            out.clear();
            let s=cpu_time::ThreadTime::now();
            for m in &many { let [a,b]=&m.shapes; let [ma,mb]=&m.motions; out.push(advance::one_to_one(a,ma,b,mb,&Settings::default()).unwrap()); }
            best=best.min(s.elapsed().as_secs_f64());
        }
        let mut rounds:Vec<u32>=out.iter().map(|t|t.rounds).collect(); rounds.sort();
        let mut sup:Vec<u32>=out.iter().map(|t|t.supports).collect(); sup.sort();
        let hits=out.iter().filter(|t|t.impact().is_some()).count();
        let un=out.iter().filter(|t|matches!(t.advance,Advance::Unresolved{..})).count();
        let ov=out.iter().filter(|t|matches!(t.advance,Advance::Overlapping{..})).count();
        let mean=|v:&[u32]| v.iter().map(|&x|x as f64).sum::<f64>()/v.len() as f64;
        println!("{moves:?}: {:.0} ns; hits {hits} unresolved {un} overlap {ov}; rounds mean {:.2} p99 {} max {}; supports mean {:.2} p99 {} max {}",best*1e9/n as f64,mean(&rounds),rounds[n*99/100],rounds[n-1],mean(&sup),sup[n*99/100],sup[n-1]);
        let h:Vec<f64>=out.iter().filter(|t|t.impact().is_some()).map(|t|t.supports as f64).collect();
        let hr:Vec<f64>=out.iter().filter(|t|t.impact().is_some()).map(|t|t.rounds as f64).collect();
        println!("   hits only: supports {:.2} rounds {:.2}",h.iter().sum::<f64>()/h.len() as f64,hr.iter().sum::<f64>()/hr.len() as f64);
    }
    let many=meetings(&hulls,Moves::Linear,n,2);
    let mut best=f64::MAX; let mut acc=0.0;
    for _ in 0..7{ let s=cpu_time::ThreadTime::now(); for m in &many { let [a,b]=&m.shapes; let [ma,mb]=&m.motions; acc+=gjk::distance(a,&ma.pose,b,&mb.pose).unwrap().distance; } best=best.min(s.elapsed().as_secs_f64()); }
    println!("distance {:.0} ns {acc}",best*1e9/n as f64);
    let _=Instant::now();
}
