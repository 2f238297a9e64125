//! Writes the files of a bundle.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use pergola_wiring::graph::{Graph, Link};
use pergola_wiring::mesh::Mesh;
use serde_json::Value;

use super::options::Platform;
use super::plan::Plan;
use super::{compose, config, kubernetes, local, newsroom, readme, secrets, yaml};
use crate::draw;
use crate::folder::{self, FolderError};
use crate::graph_file;

/// The mode of a file that everyone may read.
const OPEN: u32 = 0o644;
/// The mode of a program.
const PROGRAM: u32 = 0o755;
/// The mode of a file that only its owner may read.
const CLOSED: u32 = 0o600;

/// Writes the bundle. `made_by` is the command that makes it again, `inputs` are the names and texts of the
/// mesh files.
///
/// # Errors
/// When the folder is not empty or cannot be written. Then nothing is left behind.
pub fn write(
    path: &Path,
    plan: &Plan,
    (mesh, graph, links): (&Mesh, &Graph, &[Link]),
    made_by: &str,
    inputs: &[(String, String)],
) -> Result<(), FolderError> {
    folder::write(path, |folder| {
        let mut json = Vec::new();
        graph_file::write_json(graph, mesh, &mut json)?;
        file(&folder.join("graph.json"), OPEN, &json)?;
        let picture = draw::rings(mesh, links).map_err(io::Error::other)?;
        picture.write(&folder.join("graph.svg")).map_err(io::Error::other)?;
        for (name, text) in inputs {
            file(&folder.join(name), OPEN, text.as_bytes())?;
        }
        let names: Vec<&str> = inputs.iter().map(|(name, _)| name.as_str()).collect();
        let text = readme::text(plan, made_by, &names);
        file(&folder.join("README.md"), OPEN, text.as_bytes())?;
        match plan.options.platform {
            Platform::Kubernetes => manifests(folder, plan),
            Platform::Compose => {
                nodes(folder, plan)?;
                file(&folder.join("compose.yaml"), OPEN, compose::text(plan).as_bytes())
            }
            Platform::Local => {
                nodes(folder, plan)?;
                file(&folder.join("mesh"), PROGRAM, local::text(plan).as_bytes())
            }
        }
    })
}

/// Writes the configuration and the token of each node, and the file of the newsroom.
fn nodes(folder: &Path, plan: &Plan) -> io::Result<()> {
    fs::create_dir(folder.join("nodes"))?;
    let secrets = folder.join("secrets");
    fs::DirBuilder::new().mode(0o700).create(&secrets)?;
    for node in &plan.nodes {
        let text = config::text(plan, node);
        file(&folder.join(format!("nodes/{}.toml", node.name)), OPEN, text.as_bytes())?;
        // The user in a container has no account on this machine, so the file itself is open to all. The mode
        // of the folder keeps other users of the machine out.
        let mode = if plan.options.platform == Platform::Compose { 0o444 } else { CLOSED };
        let token = format!("{}\n", secrets::token()?);
        file(&secrets.join(format!("{}.token", node.name)), mode, token.as_bytes())?;
    }
    // Keeps secrets and data out of a repository.
    file(&folder.join(".gitignore"), OPEN, b"/secrets/\n/data/\n/logs/\n/run/\n")?;
    match plan.options.newsroom {
        true => file(&folder.join("newsroom.toml"), OPEN, newsroom::text(plan).as_bytes()),
        false => Ok(()),
    }
}

fn manifests(folder: &Path, plan: &Plan) -> io::Result<()> {
    let manifests = folder.join("kubernetes");
    fs::create_dir(&manifests)?;
    let write = |name: &str, mode, objects: &[Value]| {
        let documents: Vec<String> = objects.iter().map(yaml::document).collect();
        let text = format!("# Written by topology-gen.\n---\n{}", documents.join("---\n"));
        file(&manifests.join(name), mode, text.as_bytes())
    };
    // kubectl applies files in the order of their names, so the namespace comes first.
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

/// Creates a file with exactly this mode and syncs it to disk.
fn file(path: &Path, mode: u32, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    // Restores what the umask has removed.
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    file.write_all(bytes)?;
    file.sync_all()
}
