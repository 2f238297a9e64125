//! The fast search finds what the reference implementation finds. Small trees are computed by hand.

use proptest::prelude::*;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::plain::grow_plainly;
use super::*;
use crate::mesh::{Feed, Source};
use crate::profile::{Dictionary, Profile};
use crate::synthetic::Synthetic;

fn mesh(sources: &[&[u32]], feeds: &[&[u32]]) -> Mesh {
    let mut dictionary = Dictionary::default();
    (0..30).for_each(|word| _ = dictionary.add(&format!("w{word}")));
    let profile = |words: &&[u32]| Profile::new(words.to_vec());
    let sources = (0..).zip(sources).map(|(n, words)| Source {
        name: format!("s{n}"),
        profile: profile(words),
        ..Source::default()
    });
    let feeds = (0..).zip(feeds).map(|(n, words)| Feed {
        name: format!("f{n:03}"),
        profile: profile(words),
        ..Feed::default()
    });
    Mesh { dictionary, sources: sources.collect(), feeds: feeds.collect(), nodes: Vec::new() }
}

fn edges(mesh: &Mesh, rules: &Rules) -> Vec<(String, String, u32)> {
    let graph = grow(mesh, rules).unwrap();
    assert_eq!(graph.cycle(mesh.feeds.len()), None);
    let edge = |edge: &Edge| {
        (mesh.name(edge.from).to_owned(), mesh.feeds[edge.to as usize].name.clone(), edge.hops)
    };
    graph.edges.iter().map(edge).collect()
}

fn named(from: &str, to: &str, hops: u32) -> (String, String, u32) {
    (from.to_owned(), to.to_owned(), hops)
}

#[test]
fn a_small_tree_is_the_one_grown_by_hand() {
    // f0 has the keywords of the source. The distance of f1 = {1,2} to both is 1/2. The distance of
    // f2 = {1} to the source and to f0 is 3/4, to f1 1/2.
    let mesh = mesh(&[&[1, 2, 3, 4]], &[&[1, 2, 3, 4], &[1, 2], &[1]]);
    let rules = |alpha| Rules { alpha, ..Rules::default() };
    // α = 2: f1 costs 1 at the source and 2 at f0; f2 costs 1.5 at the source, 2.5 at f0, 2 at f1.
    let star = [named("s0", "f000", 1), named("s0", "f001", 1), named("s0", "f002", 1)];
    assert_eq!(edges(&mesh, &rules(2.0)), star);
    // α = 4: f2 costs 3 at the source and 1 + 2 at f1. The tie goes to fewer hops.
    assert_eq!(edges(&mesh, &rules(4.0)), star);
    // α = 5: 3.75 against 1 + 2.5.
    let chain = [named("s0", "f000", 1), named("s0", "f001", 1), named("f001", "f002", 2)];
    assert_eq!(edges(&mesh, &rules(5.0)), chain);
}

#[test]
fn with_keep_reach_a_parent_lets_through_all_that_its_child_wants() {
    // f1 wants 1 and 9 of the source. f0 is much nearer, but lacks 9.
    let mesh = mesh(&[&[1, 2, 3, 9]], &[&[1, 2, 5, 6, 7], &[1, 5, 6, 7, 9]]);
    let rules = Rules { alpha: 20.0, ..Rules::default() };
    assert_eq!(edges(&mesh, &rules)[1], named("f000", "f001", 2));
    let keep = Rules { keep_reach: true, ..rules };
    assert_eq!(edges(&mesh, &keep)[1], named("s0", "f001", 1));
    let impossible = Rules { fan_out: Some(1), ..keep };
    let error = grow(&mesh, &impossible).unwrap_err().to_string();
    assert!(
        error.contains("`f001`") && error.contains("keep back") && error.contains("--keep-reach"),
        "{error}"
    );
}

#[test]
fn rules_out_of_range_are_refused_with_advice() {
    let mesh = mesh(&[&[1, 2]], &[&[1, 2], &[7]]);
    let refused = |rules: Rules| grow(&mesh, &rules).unwrap_err().to_string();
    assert!(refused(Rules { radius: 1.5, ..Rules::default() }).contains("between 0 and 1"));
    assert!(refused(Rules { radius: f64::NAN, ..Rules::default() }).contains("between 0 and 1"));
    assert!(refused(Rules { alpha: -1.0, ..Rules::default() }).contains("α is -1"));
    assert!(refused(Rules { fan_out: Some(0), ..Rules::default() }).contains("--fan-out"));
    let far = refused(Rules::default());
    assert!(
        far.contains("`f001`") && far.contains("`s0` at 1.000") && far.contains("--radius"),
        "{far}"
    );
    let deep = Rules { radius: 1.0, depth: Some(1), fan_out: Some(1), ..Rules::default() };
    assert!(refused(deep).contains("raise --fan-out or --depth"));
}

fn profiles(most: usize) -> impl Strategy<Value = Vec<Vec<u32>>> {
    prop::collection::vec(prop::collection::vec(0_u32..25, 1..12), 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_fast_search_finds_what_the_plain_one_finds(
        sources in profiles(4),
        feeds in profiles(60),
        alpha in prop::sample::select(vec![0.0, 0.5, 1.0, 4.0, 7.3, 20.0, 100.0]),
        fan_out in prop::option::weighted(0.3, 1_u32..5),
        depth in prop::option::weighted(0.3, 1_u32..4),
        keep_reach in prop::bool::weighted(0.3),
    ) {
        let mesh = mesh(
            &sources.iter().map(Vec::as_slice).collect::<Vec<_>>(),
            &feeds.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        );
        let rules = Rules { radius: 1.0, alpha, fan_out, depth, keep_reach };
        let plain = grow_plainly(&mesh, &rules);
        prop_assert_eq!(grow(&mesh, &rules).ok().map(|graph| graph.edges), plain);
    }

    #[test]
    fn synthetic_meshes_are_wired_as_the_plain_search_wires_them(
        seed: u64,
        coverage in 0.02..0.5_f64,
        radius in 0.5..1.0_f64,
    ) {
        let size = Synthetic { sources: 4, feeds: 150, dictionary: 60, coverage, radius };
        let mesh = size.make(&mut ChaCha8Rng::seed_from_u64(seed)).unwrap();
        let rules = Rules { radius, ..Rules::default() };
        let graph = grow(&mesh, &rules).unwrap();
        prop_assert_eq!(graph.cycle(mesh.feeds.len()), None);
        prop_assert_eq!(Some(graph.edges), grow_plainly(&mesh, &rules));
    }
}
