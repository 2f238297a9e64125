//! Bundles: the files, their modes, and whether other programs accept them.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{Folder, MESH, printed};

/// The mesh that the project ships as an example.
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/mesh/mesh.toml");

fn bundle(folder: &Folder, mesh: &str, options: &[&str]) -> PathBuf {
    let place = folder.at("bundle");
    printed(&[&["bundle", &place, mesh], options].concat());
    place.into()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// The relative paths of all files.
fn files(folder: &Path) -> BTreeSet<String> {
    fn walk(folder: &Path, prefix: &str, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            match entry.file_type().unwrap().is_dir() {
                true => walk(&entry.path(), &format!("{name}/"), found),
                false => _ = found.insert(name),
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(folder, "", &mut found);
    found
}

/// Whether a program is missing. Then the test says so and is skipped.
fn missing(program: &str, test: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
        return false;
    }
    let required = std::env::var_os("PERGOLA_REQUIRE_ALL").is_some();
    assert!(!required, "{test} cannot run: `{program}` is not installed");
    eprintln!("skipped: {test}: `{program}` is not installed");
    true
}

/// The documents of a YAML file, as PyYAML reads them.
fn yaml(path: &Path) -> Option<Value> {
    let script = "import json, sys, yaml\n\
                  print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1], encoding='utf-8')))))";
    let output = Command::new("python3").args(["-c", script]).arg(path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if said.contains("No module named 'yaml'") {
        assert!(std::env::var_os("PERGOLA_REQUIRE_ALL").is_none(), "PyYAML is not installed");
        eprintln!("skipped: PyYAML is not installed");
        return None;
    }
    assert!(output.status.success(), "{}: {said}", path.display());
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn a_bundle_of_containers_is_complete() {
    let folder = Folder::new("compose");
    let place = bundle(&folder, EXAMPLE, &["--newsroom", "--keep-reach"]);
    let nodes = ["airports", "economy", "hazards", "nature", "outdoors", "transport", "world"];
    let shared = [
        ".gitignore",
        "README.md",
        "compose.yaml",
        "graph.json",
        "graph.svg",
        "mesh.toml",
        "newsroom.toml",
    ];
    let mut expected: BTreeSet<String> = shared.map(str::to_owned).into();
    expected.extend(nodes.map(|node| format!("nodes/{node}.toml")));
    expected.extend(nodes.map(|node| format!("secrets/{node}.token")));
    assert_eq!(files(&place), expected);
    assert_eq!(read(&place.join("mesh.toml")), read(Path::new(EXAMPLE)));
    assert_eq!(mode(&place.join("secrets")), 0o700);
    let compose = read(&place.join("compose.yaml"));
    for hardened in [
        "read_only: true",
        "no-new-privileges:true",
        "- ALL",
        "user: \"65532:65532\"",
        "mem_limit: 128m",
    ] {
        assert!(compose.contains(hardened), "{hardened} is missing");
    }
    assert!(compose.contains("\"127.0.0.1:8101:8080\"") && !compose.contains("0.0.0.0:8101"));
    let readme = read(&place.join("README.md"));
    for said in
        ["docker-compose up -d", "down -v", "topology-gen bundle FOLDER mesh.toml", "/truth"]
    {
        assert!(readme.contains(said), "{said} is missing");
    }
}

#[test]
fn each_node_may_reach_its_neighbours_only() {
    let folder = Folder::new("neighbours");
    let place = bundle(&folder, EXAMPLE, &["--newsroom", "--keep-reach", "--cooperate", "watch"]);
    let config = |node: &str| -> toml::Table {
        toml::from_str(&read(&place.join(format!("nodes/{node}.toml")))).unwrap()
    };
    let hazards = config("hazards");
    let hosts = hazards["hosts"].as_table().unwrap();
    assert_eq!(hosts.keys().collect::<Vec<_>>(), ["nature", "world"]);
    assert!(hosts.values().all(|host| host["private"].as_bool() == Some(true)));
    assert!(hosts.values().all(|host| host["peer"].as_bool() == Some(true)));
    let query = hazards["feed"][0]["query"].as_str().unwrap();
    assert!(query.contains("PEER \"http://nature:8080\" FEED Nature"), "{query}");
    assert!(!hazards.contains_key("source"));
    assert_eq!(hazards["peers"]["cooperate"].as_array().unwrap().len(), 1);
    assert_eq!(hazards["node"]["public_url"].as_str(), Some("http://hazards:8080/"));
    // Two subscriptions, each refreshed once a minute.
    assert_eq!(hazards["budget"]["refreshes_per_minute"].as_float(), Some(2.0));
    let airports = config("airports");
    assert!(airports["hosts"]["newsroom"]["peer"].as_bool() == Some(false));
    assert_eq!(airports["source"][0]["title"].as_str(), Some("volcano-observatory"));
    let url = airports["source"][0]["url"].as_str();
    assert_eq!(url, Some("http://newsroom:8080/sources/volcano-observatory"));
}

#[test]
fn sources_outside_the_mesh_are_read_at_their_own_url() {
    let folder = Folder::new("outside");
    let mesh = MESH.replace(
        "name = \"weather\"",
        "name = \"weather\"\nurl = \"http://192.168.1.5/weather.xml\"",
    );
    let mesh = folder.write("mesh.toml", &mesh);
    let place = bundle(&folder, &mesh, &["--nodes", "1"]);
    let config: toml::Table = toml::from_str(&read(&place.join("nodes/node-0.toml"))).unwrap();
    // The mesh file names a private address, so the node may reach it, and no other.
    let hosts = config["hosts"].as_table().unwrap();
    assert_eq!(hosts.keys().collect::<Vec<_>>(), ["192.168.1.5"]);
    let queries: Vec<&str> = config["feed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|feed| feed["query"].as_str().unwrap())
        .collect();
    // Feeds of one node read each other directly, and a feed comes after those that it reads.
    assert!(
        queries[0].starts_with("CREATE FEED everything AS\nRETURN \"https://volcanoes"),
        "{queries:?}"
    );
    assert!(queries.iter().any(|query| query.contains("FEED everything")), "{queries:?}");
    // Conditions are kept.
    assert!(queries.iter().any(|query| query.contains("AND NOT TITLE CONTAINS")), "{queries:?}");
}

#[test]
fn the_same_mesh_gives_the_same_files_except_for_secrets() {
    let (one, other) = (Folder::new("one"), Folder::new("other"));
    let options = ["--newsroom", "--nodes", "3", "--sources", "4", "--feeds", "12", "--seed", "7"];
    let make = |folder: &Folder| {
        let place = folder.at("bundle");
        printed(&[&["bundle", &place], &options[..]].concat());
        PathBuf::from(place)
    };
    let (one, other) = (make(&one), make(&other));
    assert_eq!(files(&one), files(&other));
    for name in files(&one) {
        let same = read(&one.join(&name)) == read(&other.join(&name));
        assert_eq!(same, !name.starts_with("secrets/"), "{name}");
    }
}

#[test]
fn docker_compose_accepts_the_file() {
    if missing("docker-compose", "docker_compose_accepts_the_file") {
        return;
    }
    let folder = Folder::new("accepted");
    let options =
        ["--newsroom", "--publish", "airports", "--image", "registry.example.org/pergola:1"];
    let place = bundle(&folder, EXAMPLE, &options);
    let output = Command::new("docker-compose")
        .args(["-f", "compose.yaml", "config"])
        .current_dir(&place)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.to_lowercase().contains("warn"), "{said}");
    let seen = folder.path().join("seen.yaml");
    fs::write(&seen, &output.stdout).unwrap();
    let Some(seen) = yaml(&seen) else { return };
    let services = seen[0]["services"].as_object().unwrap();
    assert_eq!(services.len(), 8);
    for (name, service) in services {
        assert_eq!(service["image"], "registry.example.org/pergola:1");
        assert_eq!(service["read_only"], true, "{name}");
        assert_eq!(service["cap_drop"], serde_json::json!(["ALL"]));
        assert!(service["healthcheck"]["test"].as_array().unwrap().len() > 2);
        // Only the newsroom and the one node that was named have ports.
        let published = service.get("ports").is_some();
        assert_eq!(published, ["newsroom", "airports"].contains(&name.as_str()), "{name}");
    }
    assert_eq!(services["airports"]["secrets"][0]["source"], "airports-token");
}

#[test]
fn manifests_are_hardened_and_complete() {
    let folder = Folder::new("kubernetes");
    let place = bundle(&folder, EXAMPLE, &["--kubernetes", "--newsroom", "--namespace", "news"]);
    let secrets = place.join("kubernetes/01-secrets.yaml");
    assert_eq!(mode(&secrets), 0o600);
    assert!(read(&place.join(".gitignore")).contains("01-secrets.yaml"));
    assert!(read(&place.join("README.md")).contains("kubectl apply -f kubernetes/"));
    if missing("python3", "manifests_are_hardened_and_complete") {
        return;
    }
    let mut kinds: Vec<(String, String)> = Vec::new();
    for name in files(&place.join("kubernetes")) {
        let Some(documents) = yaml(&place.join("kubernetes").join(&name)) else { return };
        for object in documents.as_array().unwrap() {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let kind = text(&object["kind"]);
            if kind != "Namespace" {
                assert_eq!(object["metadata"]["namespace"], "news", "{name}");
            }
            if let Some(pod) = object["spec"]["template"]["spec"].as_object() {
                let container = &pod["containers"][0];
                assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
                assert_eq!(pod["automountServiceAccountToken"], false);
                let rights = &container["securityContext"];
                assert_eq!(rights["readOnlyRootFilesystem"], true);
                assert_eq!(rights["allowPrivilegeEscalation"], false);
                assert_eq!(rights["capabilities"]["drop"][0], "ALL");
                assert!(container["resources"]["limits"]["memory"].is_string());
                assert!(container["livenessProbe"].is_object());
                let selector = &object["spec"]["selector"]["matchLabels"];
                let labels = &object["spec"]["template"]["metadata"]["labels"];
                let instance = "app.kubernetes.io/instance";
                assert_eq!(selector[instance], labels[instance]);
            }
            kinds.push((kind, text(&object["metadata"]["name"])));
        }
    }
    let count = |kind: &str| kinds.iter().filter(|(other, _)| other == kind).count();
    assert_eq!((count("Namespace"), count("NetworkPolicy")), (1, 1));
    assert_eq!((count("StatefulSet"), count("Secret")), (8, 7));
    assert_eq!((count("Service"), count("ConfigMap")), (8, 8));
    // The configuration survives the conversion to YAML.
    let node = yaml(&place.join("kubernetes/node-hazards.yaml")).unwrap();
    let config: toml::Table =
        toml::from_str(node[0]["data"]["pergola.toml"].as_str().unwrap()).unwrap();
    assert_eq!(config["node"]["data"].as_str(), Some("/data"));
}

#[test]
fn the_script_is_valid_sh_and_executable() {
    let folder = Folder::new("local");
    let place =
        bundle(&folder, EXAMPLE, &["--local", "--newsroom", "--speed", "60", "--port", "9000"]);
    let script = place.join("mesh");
    assert_eq!(mode(&script), 0o755);
    assert_eq!(mode(&place.join("secrets/world.token")), 0o600);
    let text = read(&script);
    assert!(text.starts_with("#!/bin/sh\n") && !text.contains('@'.to_string().repeat(2).as_str()));
    assert!(text.contains("\n0 newsroom 9000\n") && text.contains("\nspeed=60\n"), "{text}");
    let syntax = Command::new("sh").arg("-n").arg(&script).output().unwrap();
    assert!(syntax.status.success(), "{syntax:?}");
    let config: toml::Table = toml::from_str(&read(&place.join("nodes/world.toml"))).unwrap();
    assert_eq!(config["clock"]["speed"].as_float(), Some(60.0));
    assert_eq!(config["node"]["listen"].as_str(), Some("127.0.0.1:9001"));
}
