//! The Unix socket in the data folder: whoever may use the folder may manage the node, without a token.
//!
//! The system allows 107 bytes for the path of a socket. A folder with a longer path is opened first, and the socket
//! is reached through the open folder, so the socket is always in the same place.
//!
//! Never: a socket that others than the owner of the folder may use, not even for a moment.

use std::fs::{self, File, Permissions};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tokio::net::UnixListener;

use super::{Connection, Listener, Pending};

/// The name of the socket.
pub const SOCKET: &str = "node.sock";
/// Bytes of the longest path that the system takes for a socket.
const LONGEST: usize = 107;
/// What stands for whoever connects: this machine, without a port.
const HERE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// The way to the socket of a data folder; valid as long as this lives.
#[derive(Debug)]
pub struct WayToSocket {
    path: PathBuf,
    /// The open folder, if the path leads through it.
    _folder: Option<File>,
}

impl WayToSocket {
    /// The way to the socket of a folder, whether it is there or not.
    pub fn of(data: &Path) -> io::Result<Self> {
        let path = std::path::absolute(data.join(SOCKET))?;
        if path.as_os_str().len() <= LONGEST {
            return Ok(Self { path, _folder: None });
        }
        let folder = File::open(data)?;
        let path = PathBuf::from(format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd()));
        if !path.parent().is_some_and(Path::is_dir) {
            let (folder, bytes) = (data.display(), data.join(SOCKET).as_os_str().len());
            return Err(io::Error::other(format!(
                "the path of {folder} is too long for a socket ({bytes} bytes; at most {LONGEST}), and without /proc \
                 there is no other way: choose a shorter path for node.data"
            )));
        }
        Ok(Self { path, _folder: Some(folder) })
    }

    /// A path that the system takes for a socket.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The socket of a node that runs, removed when it is dropped.
pub struct FolderSocket {
    listener: UnixListener,
    way: WayToSocket,
}

impl FolderSocket {
    /// Listens in a data folder that this process has for itself: what a node that was killed left there is replaced.
    /// Nobody else may use the folder from now on.
    pub fn listen(data: &Path) -> io::Result<Self> {
        close_to_others(data)?;
        let way = WayToSocket::of(data)?;
        let file = data.join(SOCKET);
        match fs::symlink_metadata(&file) {
            Ok(left) if left.file_type().is_socket() => fs::remove_file(&file)?,
            Ok(_) => {
                let file = file.display();
                let what = format!("{file} is in the way: it is not a socket; move it elsewhere");
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
            }
            Err(_) => {}
        }
        let listener = UnixListener::bind(way.path())?;
        fs::set_permissions(&file, Permissions::from_mode(0o600))?;
        Ok(Self { listener, way })
    }
}

/// Takes a folder's permissions away from everybody but its owner. Where it belongs to somebody else, as volumes of
/// containers do, its owner decides; the socket is closed to others all the same.
fn close_to_others(folder: &Path) -> io::Result<()> {
    let mode = fs::metadata(folder)?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    if let Err(error) = fs::set_permissions(folder, Permissions::from_mode(mode & 0o7700)) {
        let folder = folder.display();
        tracing::warn!(%folder, %error, "others may use the data folder, and this node cannot change that");
    }
    Ok(())
}

impl Drop for FolderSocket {
    fn drop(&mut self) {
        // A node that is stopped leaves none; if that fails, the next one replaces it.
        let _ = fs::remove_file(self.way.path());
    }
}

impl Listener for FolderSocket {
    fn local_address(&self) -> io::Result<SocketAddr> {
        Ok(HERE)
    }

    fn accept(&self) -> Pending<'_, io::Result<(Connection, SocketAddr)>> {
        Box::pin(async move {
            let (stream, _) = self.listener.accept().await?;
            Ok((Box::new(stream) as Connection, HERE))
        })
    }
}

impl From<FolderSocket> for Box<dyn Listener> {
    fn from(socket: FolderSocket) -> Self {
        Box::new(socket)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[tokio::test]
    async fn only_the_owner_may_use_the_folder_and_its_socket() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let socket = FolderSocket::listen(folder.path()).unwrap();
        assert_eq!((mode(folder.path()), mode(&folder.path().join(SOCKET))), (0o700, 0o600));
        drop(socket);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn what_a_killed_node_left_is_replaced_and_a_file_of_somebody_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(SOCKET);
        std::mem::forget(FolderSocket::listen(folder.path()).unwrap());
        assert!(file.exists());
        let socket = FolderSocket::listen(folder.path()).unwrap();
        UnixStream::connect(&file).unwrap();
        let (_stream, caller) = Listener::accept(&socket).await.unwrap();
        assert!(caller.ip().is_loopback());
        drop(socket);
        fs::write(&file, "mine").unwrap();
        let refused = FolderSocket::listen(folder.path()).err().unwrap().to_string();
        assert!(refused.contains("node.sock is in the way"), "{refused}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    }

    #[tokio::test]
    async fn a_folder_with_a_long_path_has_its_socket_in_the_same_place() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a-long-name".repeat(10)).join("and-another".repeat(5));
        fs::create_dir_all(&deep).unwrap();
        let socket = FolderSocket::listen(&deep).unwrap();
        assert!(deep.join(SOCKET).exists());
        assert!(UnixStream::connect(deep.join(SOCKET)).is_err(), "too long for the system");
        let way = WayToSocket::of(&deep).unwrap();
        UnixStream::connect(way.path()).unwrap();
        Listener::accept(&socket).await.unwrap();
        drop(socket);
        assert!(!deep.join(SOCKET).exists());
    }
}
