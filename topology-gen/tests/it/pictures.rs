//! Pictures, and the shapes of the published figure in numbers.

use crate::{Folder, MESH, json, printed};

#[test]
fn small_and_large_meshes_are_drawn_in_both_formats() {
    let folder = Folder::new("pictures");
    let mesh = folder.write("mesh.toml", MESH);
    let small = folder.at("small.svg");
    printed(&["draw", &mesh, "--plot", &small]);
    let svg = std::fs::read_to_string(&small).unwrap();
    for name in ["volcano-news", "weather", "ash-clouds", "islands"] {
        assert!(svg.contains(&format!(">{name}</text>")), "{name} is not named");
    }
    let (large, degrees) = (folder.at("large.png"), folder.at("degrees.svg"));
    let size = ["--sources", "12", "--feeds", "1500"];
    printed(&[&["draw", "--plot", &large, "--degrees", &degrees], &size[..]].concat());
    assert!(std::fs::read(&large).unwrap().starts_with(b"\x89PNG"));
    assert!(std::fs::read_to_string(&degrees).unwrap().contains("exponent"));
}

#[test]
fn drawing_twice_gives_the_same_bytes() {
    let folder = Folder::new("same");
    let draw = |name: &str| {
        let path = folder.at(name);
        printed(&["draw", "--sources", "5", "--feeds", "300", "--plot", &path]);
        std::fs::read(path).unwrap()
    };
    assert_eq!(draw("one.svg"), draw("other.svg"));
}

#[test]
fn points_in_the_plane_have_the_published_shapes() {
    let folder = Folder::new("plane");
    let (plot, degrees) = (folder.at("plane.svg"), folder.at("degrees.svg"));
    let figures = json(&["plane", "--points", "10000", "--plot", &plot, "--degrees", &degrees]);
    let number = |row: usize, name: &str| figures["rows"][row][name].as_f64().unwrap();
    let exponent = |row: usize| figures["rows"][row]["tail"]["exponent"].as_f64().unwrap();
    // α = 4: like a star. Many points read the source directly.
    assert!(number(0, "source_share") > 0.1, "{figures}");
    // α = 20: clusters. Nearly all points are leaves of few hubs, whose sizes have a heavy tail.
    assert!(number(1, "source_share") < 0.1 * number(0, "source_share"), "{figures}");
    assert!(number(1, "max_out_degree") > 3.0 * number(2, "max_out_degree"), "{figures}");
    assert!(exponent(1) < 3.0, "{figures}");
    // α = 100: like a random tree. No point has many readers.
    assert!(number(2, "leaves") < number(1, "leaves"), "{figures}");
    assert!(std::fs::metadata(plot).unwrap().len() > 100_000);
    assert!(std::fs::metadata(degrees).unwrap().len() > 1_000);
}
