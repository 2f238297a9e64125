//! `pergola-lab live` starts the nodes of a bundle, measures them, and leaves nothing behind.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use super::*;
use crate::harness::{eventually, lab};

/// The lab on a bundle, with a folder for its temporary files.
fn live(bundle: &Path, meanwhile: &TempDir, options: &[&str]) -> Command {
    let mut command = lab();
    command.arg("live").arg("--mesh").arg(bundle).args(options);
    command.env("TMPDIR", meanwhile.path()).arg("--pergola").arg(pergola_binary());
    command
}

fn is_empty(folder: &TempDir) -> bool {
    fs::read_dir(folder.path()).unwrap().next().is_none()
}

/// A chain of two nodes.
fn chain(folder: &Path) -> String {
    let path = folder.join("chain.toml");
    let mesh = r#"
        sources = [{ name = "wire", keywords = ["storm", "flood", "rain"], items_per_day = 14400 }]
        feeds = [
            { name = "Weather", keywords = ["storm", "flood"] },
            { name = "Storms", keywords = ["storm"] },
        ]
    "#;
    fs::write(&path, mesh).unwrap();
    path.to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn real_nodes_stand_beside_the_prediction_and_leave_nothing_behind() {
    let (folder, meanwhile) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let bundle = Bundle::new(&chain(folder.path()), &["--speed", "600"]).await;
    let csv = folder.path().join("live.csv");
    let mut command = live(&bundle.path(), &meanwhile, &["--mode", "none", "--mode", "watch"]);
    command.args(["--warmup", "0.5", "--measured", "1", "--plays", "2", "--json", "--csv"]);
    command.arg(&csv);
    let output = run(command).await;
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stderr.contains("watch: 2 nodes are ready"), "{}", output.stderr);
    let json: Value = serde_json::from_str(&output.stdout).unwrap();
    for mode in json["modes"].as_array().unwrap() {
        assert_eq!(mode["unknown_items"], 0, "{mode}");
    }
    let rows = json["rows"].as_array().unwrap();
    let row = |mode: &str, place: &str| {
        let mut found = rows.iter().filter(|row| row["mode"] == mode && row["where"] == place);
        found.next().unwrap_or_else(|| panic!("{mode}, {place}: {rows:?}"))
    };
    let figure = |mode: &str, place: &str, name: &str, whose: &str| {
        row(mode, place)[name][whose].as_f64().unwrap()
    };
    for mode in ["none", "watch"] {
        for place in ["hop 1", "hop 2", "all"] {
            // Some 600 items were published, and at least a third is about storms.
            assert!(row(mode, place)["items"].as_u64().unwrap() > 50, "{}", row(mode, place));
            for whose in ["live", "lab"] {
                for share in ["completeness", "freshness"] {
                    let share = figure(mode, place, share, whose);
                    assert!((0.3..=1.0).contains(&share), "{whose}: {}", row(mode, place));
                }
                assert!(figure(mode, place, "requests", whose) > 0.0);
            }
        }
        let delay = |place: &str| figure(mode, place, "delay_median", "live");
        assert!(delay("hop 1") <= delay("hop 2"), "an item was at the leaf first: {rows:?}");
    }
    let at_the_leaf = |mode: &str| figure(mode, "hop 2", "delay_median", "live");
    assert!(at_the_leaf("watch") < at_the_leaf("none"), "{rows:?}");
    assert!(fs::read_to_string(&csv).unwrap().lines().count() > 8);
    assert!(is_empty(&meanwhile) && !bundle.path().join("data").exists());
    assert!(bundle.newsroom().try_get("/truth").await.is_err(), "the newsroom still answers");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_run_stops_its_nodes_and_removes_them() {
    let (folder, meanwhile) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let bundle = Bundle::new(&two_nodes(folder.path()), &["--speed", "10"]).await;
    let mut command = live(&bundle.path(), &meanwhile, &["--mode", "none"]);
    let mut running = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let said = BufReader::new(running.stderr.take().unwrap());
    let mut said = said.lines().map(Result::unwrap);
    assert!(said.next().unwrap().contains("2 nodes are ready"));
    assert!(bundle.newsroom().try_get("/truth").await.is_ok());
    kill(running.id(), "-INT");
    let said: String = said.collect();
    assert!(said.contains("interrupted"), "{said}");
    assert_eq!(running.wait().unwrap().code(), Some(2));
    assert!(is_empty(&meanwhile));
    assert!(bundle.newsroom().try_get("/truth").await.is_err(), "the newsroom still answers");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_run_is_told_before_anything_is_started() {
    let (folder, meanwhile) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let refused = async |bundle: &Path, options: &[&str]| {
        let output = run(live(bundle, &meanwhile, options)).await;
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{output:?}");
        assert!(is_empty(&meanwhile));
        output.stderr
    };
    let said = refused(folder.path(), &[]).await;
    assert!(said.contains("not a bundle") && said.contains("topology-gen bundle"), "{said}");

    let containers = folder.path().join("containers");
    let mut command = topology_gen();
    command.arg("bundle").arg(&containers).arg(two_nodes(folder.path())).arg("--newsroom");
    assert_eq!(run(command).await.code, Some(0));
    let said = refused(&containers, &[]).await;
    assert!(said.contains("not of processes") && said.contains("--local"), "{said}");

    let bundle = Bundle::new(&two_nodes(folder.path()), &["--speed", "60"]).await;
    let said = refused(&bundle.path(), &["--mode", "push"]).await;
    assert!(said.contains("nodes have only hints, watch and archive"), "{said}");
    let said = refused(&bundle.path(), &["--measured", "-1"]).await;
    assert!(said.contains("--measured is -1"), "{said}");
    let mut command = lab();
    command.arg("live").arg("--mesh").arg(bundle.path()).args(["--pergola", "/no/such/program"]);
    let output = run(command).await;
    assert!(
        output.stderr.contains("--pergola /no/such/program: there is no such file"),
        "{output:?}"
    );

    bundle.does(&["start", "newsroom"]).await;
    eventually("the newsroom", async || bundle.newsroom().try_get("/truth").await.map(drop)).await;
    let said = refused(&bundle.path(), &["--mode", "none"]).await;
    assert!(said.contains("in use"), "{said}");
    bundle.does(&["stop"]).await;
}
