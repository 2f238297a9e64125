//! Scratch.
mod simulate;
mod world;
use pergola_refresh::*;
use simulate::*;
use world::World;
use rayon::prelude::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args[1].as_str() {
        "table" => {
            let seeds: u64 = args[2].parse().unwrap();
            let kinds = ["2Steps","OnlyTau","TopKUtility","OnlySat","Uniform","Reference"];
            for k in kinds { for b in [10.0,30.0,50.0] {
                let o: Vec<Outcome> = (0..seeds).into_par_iter().map(|s| {
                    let w = World::published(s, 200, 100, None);
                    simulate(&w, &Run{strategy:k.parse().unwrap(), budget:b, knowing:Knowing::Truth, manner:Manner::Literal{threshold:10.0*HOUR}, taste:Taste::new(0.5,0.0).unwrap(), in_detail: true}).unwrap()
                }).collect();
                let m = |f: fn(&Outcome)->f64| o.iter().map(f).sum::<f64>()/o.len() as f64;
                println!("{k:12} {b} C {:.4} F {:.4} A {:.4} cost {:.0}", m(|o|o.completeness), m(|o|o.freshness), m(|o|o.freshness_in_window), m(|o|o.requests as f64));
            }}
        }
        "learnt" => {
            let seeds: u64 = args[2].parse().unwrap();
            for (k,know) in [("2Steps",0),("index",0),("index",1),("plan",0)] { for b in [10.0,30.0,50.0] {
                let o: Vec<Outcome> = (0..seeds).into_par_iter().map(|s| {
                    let w = World::published(s, 200, 300, None);
                    let mut knowing = Knowing::learnt(ModelKind::Gamma);
                    if know == 1 { knowing = Knowing::Truth; }
                    simulate(&w, &Run{strategy:k.parse().unwrap(), budget:b, knowing, manner:Manner::Steady{horizon:20.0}, taste:Taste::new(0.5,0.0).unwrap(), in_detail: true}).unwrap()
                }).collect();
                let m = |f: fn(&Outcome)->f64| o.iter().map(f).sum::<f64>()/o.len() as f64;
                println!("{k:12} {know} {b} C {:.4} F {:.4} A {:.4} cost {:.2}", m(|o|o.completeness), m(|o|o.freshness), m(|o|o.freshness_in_window), m(|o|o.requests as f64/300.0));
            }}
        }
        "replay" => {
            let trace = pergola_newsroom::Trace::read(std::path::Path::new(&args[2])).unwrap();
            let w = World::replay(&trace, 20, 1.0, 1);
            let bs: Vec<f64> = args[3].split(',').map(|x| x.parse().unwrap()).collect();
            let eq: f64 = args[4].parse().unwrap();
            let mut jobs = vec![];
            for sm in &args[5..] { for &b in &bs { jobs.push((sm.clone(), b)); } }
            jobs.par_iter().for_each(|(sm,b)| {
                let (s,m) = sm.split_once('/').unwrap();
                let t = std::time::Instant::now();
                let n = w.streams.len() as f64;
                let o = simulate(&w, &Run{strategy:s.parse().unwrap(), budget:b*n/12.0, knowing:Knowing::learnt(m.parse().unwrap()), manner:Manner::Steady{horizon:288.0}, taste:Taste::new(0.5,eq).unwrap(), in_detail: false}).unwrap();
                println!("{sm:24} {b} C {:.4} F {:.5} delay {:.3} / {:.3} used {:.4} lost {} [{:.1}s]", o.completeness, o.freshness_over_time, o.delay.mean/3600.0, o.delay_by_source/3600.0, o.requests as f64/(b*n/12.0*w.measured() as f64), o.lost, t.elapsed().as_secs_f64());
            });
        }
        _ => {}
    }
}
