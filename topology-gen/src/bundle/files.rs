//! Puts everything into a folder, which appears whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use serde_json::Value;

use super::plan::Plan;
use super::{Place, compose, config, kubernetes, local, newsroom, readme, secrets, yaml};
use crate::draw;
use crate::folder::{self, FolderError};
use crate::graph::{Graph, Link};
use crate::mesh::Mesh;

/// For everybody.
const OPEN: u32 = 0o644;
/// For everybody, to be run.
const PROGRAM: u32 = 0o755;
/// For the owner alone.
const CLOSED: u32 = 0o600;

/// Writes the bundle. `made_by` is the command that makes it again, `inputs` the mesh files that it was made
/// from, if it was: their names and texts.
///
/// # Errors
/// When the folder is not empty or cannot be written; then nothing is left behind.
pub fn write(
    path: &Path,
    plan: &Plan,
    (mesh, graph, links): (&Mesh, &Graph, &[Link]),
    made_by: &str,
    inputs: &[(String, String)],
) -> Result<(), FolderError> {
    folder::write(path, |folder| {
        let mut json = Vec::new();
        graph.write_json(mesh, &mut json)?;
        file(&folder.join("graph.json"), OPEN, &json)?;
        let picture = draw::rings(mesh, links).map_err(io::Error::other)?;
        picture.write(&folder.join("graph.svg")).map_err(io::Error::other)?;
        for (name, text) in inputs {
            file(&folder.join(name), OPEN, text.as_bytes())?;
        }
        let names: Vec<&str> = inputs.iter().map(|(name, _)| name.as_str()).collect();
        let text = readme::text(plan, made_by, &names);
        file(&folder.join("README.md"), OPEN, text.as_bytes())?;
        match plan.options.place {
            Place::Kubernetes => manifests(folder, plan),
            Place::Compose => {
                nodes(folder, plan)?;
                file(&folder.join("compose.yaml"), OPEN, compose::text(plan).as_bytes())
            }
            Place::Local => {
                nodes(folder, plan)?;
                file(&folder.join("mesh"), PROGRAM, local::text(plan).as_bytes())
            }
        }
    })
}

/// Configurations, tokens and the world, each a file.
fn nodes(folder: &Path, plan: &Plan) -> io::Result<()> {
    fs::create_dir(folder.join("nodes"))?;
    let secrets = folder.join("secrets");
    fs::DirBuilder::new().mode(0o700).create(&secrets)?;
    for node in &plan.nodes {
        let text = config::text(plan, node);
        file(&folder.join(format!("nodes/{}.toml", node.name)), OPEN, text.as_bytes())?;
        // A container's user is none of this machine and has to be able to read it; nobody else gets into
        // the folder.
        let mode = if plan.options.place == Place::Compose { 0o444 } else { CLOSED };
        let token = format!("{}\n", secrets::token()?);
        file(&secrets.join(format!("{}.token", node.name)), mode, token.as_bytes())?;
    }
    // What must not be shown around stays out of repositories.
    file(&folder.join(".gitignore"), OPEN, b"/secrets/\n/data/\n/logs/\n/run/\n")?;
    world(folder, plan)
}

fn world(folder: &Path, plan: &Plan) -> io::Result<()> {
    match plan.options.newsroom {
        true => file(&folder.join("newsroom.toml"), OPEN, newsroom::text(plan).as_bytes()),
        false => Ok(()),
    }
}

fn manifests(folder: &Path, plan: &Plan) -> io::Result<()> {
    let place = folder.join("kubernetes");
    fs::create_dir(&place)?;
    let write = |name: &str, mode, objects: &[Value]| {
        let documents: Vec<String> = objects.iter().map(yaml::document).collect();
        let text = format!("# Written by topology-gen.\n---\n{}", documents.join("---\n"));
        file(&place.join(name), mode, text.as_bytes())
    };
    // Applied in the order of their names, so the namespace is first.
    write("00-mesh.yaml", OPEN, &kubernetes::shared(plan))?;
    let mut secrets = Vec::new();
    for node in &plan.nodes {
        let objects = kubernetes::node(plan, node, &config::text(plan, node));
        write(&format!("node-{}.yaml", node.host), OPEN, &objects)?;
        secrets.push(kubernetes::secret(plan, node, &secrets::token()?));
    }
    write("01-secrets.yaml", CLOSED, &secrets)?;
    file(&folder.join(".gitignore"), OPEN, b"/kubernetes/01-secrets.yaml\n")?;
    match plan.options.newsroom {
        true => write("newsroom.yaml", OPEN, &kubernetes::newsroom(plan, &newsroom::text(plan))),
        false => Ok(()),
    }
}

/// A new file with exactly these rights, on the disk.
fn file(path: &Path, mode: u32, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    // Whatever the mask of the process takes away.
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    file.write_all(bytes)?;
    file.sync_all()
}
