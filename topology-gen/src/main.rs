//! `topology-gen`.
fn main() {
    let args: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let mesh = pergola_topology::synthetic::Synthetic {
        sources: args[0],
        feeds: args[1],
        dictionary: args[2],
        coverage: std::env::var("C").map_or(0.01, |c| c.parse().unwrap()),
        seed: 1,
        radius: 0.9,
    }
    .make()
    .unwrap();
    let t = std::time::Instant::now();
    let graph = pergola_topology::grow::grow(&mesh, &Default::default()).unwrap();
    let depth = graph.edges.iter().map(|e| e.hops).max().unwrap();
    let mut per = vec![0u32; depth as usize + 1];
    graph.edges.iter().for_each(|e| per[e.hops as usize] += 1);
    println!(
        "{:?} edges {} levels {:?} mean size {}",
        t.elapsed(),
        graph.edges.len(),
        per,
        mesh.feeds.iter().map(|f| f.profile.len()).sum::<usize>() as f64 / mesh.feeds.len() as f64
    );
    println!("{}", graph.check(mesh.feeds.len()));
}
