//! How commands and scripts find a running node: `node.json` in its data folder, and the port file.
//!
//! Both exist only while the node answers. The node removes them before it releases the data folder, so it never
//! removes what its successor wrote.

use std::fs;
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

const FILE: &str = "node.json";

/// The node that uses a data folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Whereabouts {
    /// Its address, as seen from this machine.
    pub(super) address: SocketAddr,
    /// Its process id.
    pub(super) pid: u32,
    /// Whether it speaks TLS.
    #[serde(default)]
    pub(super) secure: bool,
}

impl Whereabouts {
    /// What the folder's last node wrote. A node that was killed could not remove it.
    pub(super) fn read(data: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(data.join(FILE)).ok()?).ok()
    }
}

/// The files, removed when dropped.
#[derive(Debug)]
pub(super) struct Presence {
    files: Vec<PathBuf>,
}

impl Presence {
    /// Writes the files.
    pub(super) fn announce(
        data: &Path,
        port_file: Option<&Path>,
        address: SocketAddr,
        secure: bool,
    ) -> io::Result<Self> {
        let mut presence = Self { files: Vec::new() };
        let node = Whereabouts { address: from_here(address), pid: std::process::id(), secure };
        presence.write(data.join(FILE), &serde_json::to_string(&node)?)?;
        if let Some(file) = port_file {
            presence.write(file.to_owned(), &address.to_string())?;
        }
        Ok(presence)
    }

    /// Writes a file in one step, so that nobody reads half of it.
    fn write(&mut self, path: PathBuf, line: &str) -> io::Result<()> {
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display()))
        };
        let unfinished = PathBuf::from(format!("{}.new", path.display()));
        // The port file may be for others.
        let written = match path.ends_with(FILE) {
            true => write_private(&unfinished, line),
            false => fs::write(&unfinished, format!("{line}\n")),
        };
        match written {
            // A node on a full disk serves all the same; commands find it by --node URL.
            Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                tracing::warn!(file = %path.display(), "the disk is full: commands do not find this node by its folder");
                let _ = fs::remove_file(&unfinished);
                return Ok(());
            }
            written => written.map_err(named)?,
        }
        fs::rename(&unfinished, &path).map_err(named)?;
        self.files.push(path);
        Ok(())
    }
}

/// Writes a file that only its owner can read.
pub(super) fn write_private(path: &Path, line: &str) -> io::Result<()> {
    let file = fs::File::options().create(true).truncate(true).write(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()))
}

impl Drop for Presence {
    fn drop(&mut self) {
        for file in &self.files {
            if let Err(error) = fs::remove_file(file) {
                tracing::warn!(file = %file.display(), %error, "a file could not be removed");
            }
        }
    }
}

/// The address from this machine of a node that listens on all addresses.
fn from_here(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_found_while_it_is_there_and_not_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let port_file = folder.path().join("port");
        let address = "0.0.0.0:8080".parse().unwrap();
        let presence = Presence::announce(folder.path(), Some(&port_file), address, true).unwrap();
        let found = Whereabouts::read(folder.path()).unwrap();
        assert_eq!(found.address.to_string(), "127.0.0.1:8080");
        assert_eq!((found.pid, found.secure), (std::process::id(), true));
        assert_eq!(fs::read_to_string(&port_file).unwrap(), "0.0.0.0:8080\n");
        drop(presence);
        assert_eq!(Whereabouts::read(folder.path()), None);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
