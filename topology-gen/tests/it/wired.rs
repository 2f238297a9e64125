//! Reading graphs that are wired already.

use crate::{Folder, MESH, json, printed, run};

fn refused(folder: &Folder, graph: &str, options: &[&str]) -> String {
    let path = folder.write("graph.json", graph);
    let output = run(&[&["stats", &path], options].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_generated_graph_can_be_drawn_and_measured() {
    let folder = Folder::new("wired");
    let mesh = folder.write("mesh.toml", MESH);
    let rules = ["--alpha", "1", "--radius", "1"];
    let wired = printed(&[&["generate", &mesh, "--json"], &rules[..]].concat());
    let graph = folder.write("graph.json", &wired);
    assert_eq!(printed(&["generate", &graph, "--json"]), wired);
    let counted = printed(&[&["stats", &mesh, "--json"], &rules[..]].concat());
    assert_eq!(printed(&["stats", &graph, "--json"]), counted);
    let picture = folder.at("graph.svg");
    printed(&["draw", &graph, "--plot", &picture]);
    assert!(std::fs::read_to_string(picture).unwrap().contains(">weather</text>"));
    let synthetic = ["--sources", "5", "--feeds", "200"];
    let made = printed(&[&["generate", "--json"], &synthetic[..]].concat());
    let graph = folder.write("synthetic.json", &made);
    let (again, before) = (json(&["stats", &graph]), json(&[&["stats"], &synthetic[..]].concat()));
    for name in ["edges", "subscriptions", "hops", "in_degree", "out_degree", "tail", "load"] {
        assert_eq!(again[name], before[name], "{name}");
    }
}

#[test]
fn rules_for_a_wired_graph_are_refused() {
    let folder = Folder::new("rules");
    let json = printed(&["generate", &folder.write("mesh.toml", MESH), "--json"]);
    let said = refused(&folder, &json, &["--alpha", "3"]);
    assert!(said.contains("is wired already"), "{said}");
}

#[test]
fn a_graph_whose_parts_do_not_fit_is_refused() {
    let folder = Folder::new("unfit");
    let graph = |edges: &str| {
        format!(
            r#"{{"sources":[{{"name":"s","keywords":[]}}],
                "feeds":[{{"name":"one","keywords":["a"]}},{{"name":"other","keywords":["a"]}}],
                "edges":[{edges}]}}"#
        )
    };
    let edge = |from: &str, to: &str, source: &str, hops: u32| {
        format!(r#"{{"from":"{from}","to":"{to}","source":"{source}","hops":{hops}}}"#)
    };
    let whole = [edge("s", "one", "s", 1), edge("one", "other", "s", 2)];
    let path = folder.write("whole.json", &graph(&whole.join(",")));
    assert!(printed(&["stats", &path]).contains("not known"));
    let said = refused(&folder, &graph(&whole[0]), &[]);
    assert!(said.contains("feed `other` reads nothing"), "{said}");
    let said = refused(&folder, &graph(&edge("s", "ohter", "s", 1)), &[]);
    assert!(said.contains("`ohter`") && said.contains("did you mean `other`?"), "{said}");
    let loose = [edge("s", "one", "s", 1), edge("other", "other", "s", 2)];
    let said = refused(&folder, &graph(&loose.join(",")), &[]);
    assert!(said.contains("does not come to `other`"), "{said}");
    let cycle = [&whole[..], &[edge("other", "one", "s", 3)]].concat();
    let said = refused(&folder, &graph(&cycle.join(",")), &[]);
    assert!(said.contains("in a cycle"), "{said}");
    let said = refused(&folder, "{\"edges\": 3}", &[]);
    assert!(said.contains("line 1"), "{said}");
}
