//! What the machine must offer: a clock, name servers, an address, a folder.

use std::path::Path;

use pergola_config::Config;
use pergola_node::node::open_files_needed;
use pergola_outside::clock::Clock;
use pergola_outside::open_files::OpenFiles;
use pergola_outside::surroundings::ResolverFiles;
use tokio::net::TcpListener;

use crate::doctor::Finding;

/// When this program was written; a clock before that is wrong (2026-01-01).
const WRITTEN: f64 = 1_767_225_600.0;
/// A clock after that is wrong, too (2100-01-01).
const UNLIKELY: f64 = 4_102_444_800.0;
/// Less is too little to begin with; the store itself refuses to write below 16 MiB.
const LITTLE_SPACE: u64 = 200 << 20;
const TOO_LITTLE_SPACE: u64 = 16 << 20;

pub(super) fn clock() -> Finding {
    let now = Clock::real().now();
    let shown = pergola_feed::Timestamp::from_unix(now as i64).to_rfc3339();
    match (WRITTEN..UNLIKELY).contains(&now) {
        true => Finding::well(format!("the clock shows {shown}")),
        false => Finding::wrong(
            format!("the clock shows {shown}, which cannot be"),
            "set it, and let NTP keep it: certificates and schedules depend on it",
        ),
    }
}

/// Whether there is somebody to ask for names; nobody is asked.
pub(super) fn name_servers(files: &ResolverFiles) -> Finding {
    let path = files.resolv_conf.display();
    let servers = match std::fs::read_to_string(&files.resolv_conf) {
        Ok(text) => text.lines().filter(|line| line.trim_start().starts_with("nameserver")).count(),
        Err(error) => {
            return Finding::wrong(
                format!("{path} cannot be read: {error}"),
                "without it only names in /etc/hosts are found; name a server there",
            );
        }
    };
    match servers {
        0 => Finding::wrong(
            format!("{path} names no name server"),
            "add a line such as `nameserver 192.0.2.53` with your resolver's address",
        ),
        count => Finding::well(format!("{count} name server(s) in {path}")),
    }
}

/// Whether as many files may be open as the connections and the rest of a node need.
pub(super) fn open_files(config: &Config, allowed: OpenFiles) -> Finding {
    let (connections, needed) = (config.node.connections, open_files_needed(config));
    let Some(hard) = allowed.hard else {
        return Finding::well("any number of files may be open");
    };
    match usize::try_from(hard).is_ok_and(|hard| hard < needed) {
        true => Finding::warning(
            format!(
                "{hard} files may be open here, and node.connections = {connections} needs {needed}: \
                 the node takes fewer connections"
            ),
            format!(
                "allow {needed} (LimitNOFILE= of a systemd service, `ulimits` of a container, \
                 `ulimit -Hn` of a shell), or lower node.connections"
            ),
        ),
        false => Finding::well(format!(
            "{hard} files may be open; {needed} are enough for node.connections = {connections}"
        )),
    }
}

/// Whether the address is free, if no node runs here.
pub(super) async fn address(config: &Config) -> Finding {
    let listen = config.node.listen;
    let taken = match TcpListener::bind(listen).await {
        Ok(_) => return Finding::well(format!("the address {listen} is free")),
        Err(error) => error,
    };
    match taken.kind() {
        std::io::ErrorKind::AddrInUse => Finding::wrong(
            format!("{listen} is taken by another program, or by a node with another data folder"),
            "stop it, or choose another with node.listen; --data names another data folder",
        ),
        _ => Finding::wrong(
            format!("cannot listen on {listen}: {taken}"),
            "choose another with node.listen (ports below 1024 need privileges)",
        ),
    }
}

/// Whether the data folder, or the one it will be made in, can be written to and has room.
pub(super) fn folder(data: &Path) -> Vec<Finding> {
    let there = data.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    let shown = data.display();
    let probe = tempfile::Builder::new().prefix(".pergola-doctor-").tempfile_in(there);
    let written = match probe {
        Ok(_) if there == data => Finding::well(format!("the data folder {shown} is writable")),
        Ok(_) => Finding::well(format!("the data folder {shown} can be made")),
        Err(error) => Finding::wrong(
            format!("the data folder {shown} cannot be written: {error}"),
            "give it to the user who runs the node, or name another with node.data",
        ),
    };
    let space = match rustix::fs::statvfs(there) {
        Ok(stat) => {
            let free = stat.f_bavail.saturating_mul(stat.f_frsize);
            let what = format!("{} MiB are free there", free >> 20);
            let advice = "make room: below 16 MiB nothing is written";
            match free {
                free if free < TOO_LITTLE_SPACE => Finding::wrong(what, advice),
                free if free < LITTLE_SPACE => Finding::warning(what, advice),
                _ => Finding::well(what),
            }
        }
        Err(error) => Finding::warning(
            format!("nobody knows how much space is free at {}: {error}", there.display()),
            "see what `df` says",
        ),
    };
    vec![written, space]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Grade;

    #[test]
    fn a_machine_without_name_servers_is_told_so() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("resolv.conf");
        let files = ResolverFiles { resolv_conf: file.clone(), ..ResolverFiles::default() };
        assert_eq!(name_servers(&files).grade, Grade::Wrong);
        std::fs::write(&file, "# nameserver 192.0.2.1\nsearch example.org\n").unwrap();
        assert_eq!(name_servers(&files).grade, Grade::Wrong);
        std::fs::write(&file, "nameserver 192.0.2.1\n").unwrap();
        assert_eq!(name_servers(&files).grade, Grade::Well);
    }

    #[test]
    fn open_files_are_compared_with_the_connections() {
        let mut config = Config::default();
        let allowed = |hard| OpenFiles { soft: Some(1_024), hard };
        assert_eq!(open_files(&config, allowed(None)).grade, Grade::Well);
        assert_eq!(open_files(&config, allowed(Some(16_384))).grade, Grade::Well);
        let few = open_files(&config, allowed(Some(4_096)));
        assert_eq!(few.grade, Grade::Warning);
        assert!(
            few.what.contains("4096 files") && few.what.contains("node.connections"),
            "{few:?}"
        );
        config.node.connections = 512;
        assert_eq!(open_files(&config, allowed(Some(4_096))).grade, Grade::Well);
    }

    #[tokio::test]
    async fn an_address_taken_by_a_stranger_is_wrong() {
        let stranger = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut config = Config::default();
        config.node.listen = stranger.local_addr().unwrap();
        let found = address(&config).await;
        assert_eq!(found.grade, Grade::Wrong);
        assert!(found.what.contains("taken by another program"), "{found:?}");
    }

    #[test]
    fn a_folder_that_is_not_there_can_be_made() {
        let folder = tempfile::tempdir().unwrap();
        let found = super::folder(&folder.path().join("a/b"));
        assert_eq!(found[0].grade, Grade::Well, "{found:?}");
        assert!(!folder.path().join("a").exists());
    }
}
