use pergola_wiring::grow::{Rules, grow};
use pergola_wiring::synthetic::Synthetic;
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::*;

fn wired(sources: usize, feeds: usize, seed: u64) -> (Mesh, Vec<Link>) {
    let size = Synthetic { sources, feeds, dictionary: 60, coverage: 0.2, radius: 0.95 };
    let mesh = size.make(&mut ChaCha8Rng::seed_from_u64(seed)).unwrap();
    let rules = Rules { radius: 0.95, fan_out: Some(2), ..Rules::default() };
    let links = grow(&mesh, &rules).unwrap().links();
    (mesh, links)
}

fn texts(drawing: &Drawing) -> Vec<&str> {
    let shown = drawing.shapes.iter().filter_map(|shape| match shape {
        Shape::Text(text) => Some(text.content.as_str()),
        _ => None,
    });
    shown.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn cards_do_not_overlap_and_every_line_leads_to_the_right(
        seed: u64,
        sources in 1..40_usize,
        feeds in 1..30_usize,
    ) {
        let (mesh, links) = wired(sources, feeds, seed);
        let columns = Columns::new(&mesh, &links);
        for (number, &(left, top)) in columns.feeds.iter().enumerate() {
            prop_assert!(top >= TOP - 0.01 && top + CARD.1 <= columns.height + 0.01);
            prop_assert!(left + CARD.0 <= columns.width + 0.01);
            for &(other_left, other_top) in &columns.feeds[number + 1..] {
                prop_assert!(left != other_left || (top - other_top).abs() >= CARD.1);
            }
        }
        for (path, link) in columns.paths.iter().zip(&links) {
            prop_assert!(path.windows(2).all(|pair| pair[0].0 < pair[1].0), "{path:?}");
            let (left, top) = columns.feeds[link.to as usize];
            prop_assert_eq!(path.last(), Some(&(left, top + CARD.1 / 2.0)));
        }
    }

    #[test]
    fn no_line_passes_behind_a_card(seed: u64) {
        let (mesh, links) = wired(12, 8, seed);
        let columns = Columns::new(&mesh, &links);
        for point in columns.paths.iter().flatten() {
            for &(left, top) in &columns.feeds {
                let inside = point.0 > left && point.0 < left + CARD.0;
                prop_assert!(!inside || point.1 <= top || point.1 >= top + CARD.1);
            }
        }
    }
}

#[test]
fn the_picture_shows_all_figures_and_is_the_same_every_time() {
    let (mesh, links) = wired(5, 3, 4);
    let known = Figures {
        heading: ["A heading".to_owned(), "and more".to_owned()],
        sources: vec!["17".to_owned(); 5],
        feeds: vec![vec!["234 items".to_owned(), "5 min".to_owned()]; 3],
        links: vec![Flow { label: "9 items".to_owned(), share: 0.5, lit: true }; links.len()],
    };
    let drawing = flow(&mesh, &links, &known).unwrap();
    let said = texts(&drawing);
    let between = links.iter().filter(|link| matches!(link.from, Vertex::Feed(_))).count();
    for (text, times) in [("17", 5), ("234 items", 3), ("9 items", between), ("A heading", 1)] {
        assert_eq!(said.iter().filter(|&&told| told == text).count(), times, "{text}");
    }
    assert_eq!(drawing.svg(), flow(&mesh, &links, &known).unwrap().svg());
    // Nothing moves when figures change.
    let bare = flow(&mesh, &links, &Figures::default()).unwrap();
    assert_eq!((bare.width, bare.height), (drawing.width, drawing.height));
}

#[test]
fn a_large_mesh_is_not_drawn_in_columns() {
    let (mesh, links) = wired(4, MOST_IN_COLUMNS + 1, 1);
    assert!(flow(&mesh, &links, &Figures::default()).is_none());
}
