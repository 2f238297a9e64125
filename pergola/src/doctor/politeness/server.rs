//! The scoring server: many hosts on loopback that answer by the script of their trials, and a log of
//! what was asked.
//!
//! It speaks HTTP/1.1 by hand, because some of its answers misbehave, and because the log must hold what
//! came byte for byte. An exchange is logged with the instant *before* its answer was sent, so that a wait
//! measured from there is never too short, however loaded the machine is.

use std::collections::{BTreeMap, HashMap};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use pergola_outside::clock::Clock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

use super::reply::{Body, Reply, TrialRequest, http_date};
use super::trials::Trial;

const LONGEST_HEAD: usize = 64 * 1024;
/// What a body that never ends sends at a time, and at most.
const PIECE: usize = 64 * 1024;
const ENDLESS: usize = 64 << 20;
/// A body that drips sends a byte so often, and so many.
const DRIP: Duration = Duration::from_millis(100);
const DRIPS: usize = 600;

/// One exchange, as the server saw it. Instants are those of the shared clock.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The trial that it belongs to.
    pub trial: &'static str,
    /// The host, as the last number of its address.
    pub host: u8,
    /// Path and query, as they came.
    pub target: String,
    /// When it had come in.
    pub at: f64,
    /// When it was about to be answered; of a misbehaving body, when the client left.
    pub answered: f64,
    /// Names in lower case and values byte for byte.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Which connection it came by.
    pub connection: u64,
    /// Whether the host had no other request open.
    pub alone: bool,
    /// The status of the answer.
    pub status: u16,
    /// The validators of the answer: ETag and Last-Modified.
    pub validators: [Option<Vec<u8>>; 2],
    /// Bytes of the body that the client let itself be sent.
    pub sent: usize,
}

impl Seen {
    /// A header of the request.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| &value[..])
    }

    /// Whether any validator was sent.
    pub fn is_conditional(&self) -> bool {
        self.header("if-none-match").is_some() || self.header("if-modified-since").is_some()
    }

    /// What follows the trial's name in the path.
    pub fn part(&self) -> &str {
        let path = self.target.split('?').next().unwrap_or_default();
        path.trim_start_matches('/').split_once('/').map_or("", |(_, part)| part)
    }
}

/// A running scoring server; it ends when it is dropped.
pub struct Server {
    shared: Arc<Shared>,
    addresses: BTreeMap<u8, SocketAddr>,
    _serving: JoinSet<()>,
}

struct Shared {
    clock: Clock,
    trials: HashMap<&'static str, Trial>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    log: Vec<Seen>,
    counts: HashMap<String, u32>,
    open: HashMap<u8, u32>,
    connections: u64,
}

impl Server {
    /// Listens for these trials, each host at an address of its own.
    ///
    /// # Errors
    /// When an address of loopback cannot be had.
    pub async fn start(clock: Clock, trials: &[Trial]) -> anyhow::Result<Self> {
        let shared = Arc::new(Shared {
            clock,
            trials: trials.iter().map(|trial| (trial.name, *trial)).collect(),
            state: Mutex::default(),
        });
        let mut addresses = BTreeMap::new();
        let mut serving = JoinSet::new();
        for host in trials.iter().map(|trial| trial.host) {
            if addresses.contains_key(&host) {
                continue;
            }
            let address = Ipv4Addr::new(127, 0, 0, host);
            let listener = TcpListener::bind((address, 0)).await.with_context(|| {
                format!(
                    "cannot listen on {address}; the politeness test needs all of 127.0.0.0/8 on \
                     loopback, as Linux has it (elsewhere add it as an alias of lo0)"
                )
            })?;
            addresses.insert(host, listener.local_addr()?);
            serving.spawn(accept(listener, host, Arc::clone(&shared)));
        }
        Ok(Self { shared, addresses, _serving: serving })
    }

    /// The addresses of a trial's sources.
    pub fn sources(&self, trial: &Trial) -> Vec<Url> {
        let Some(address) = self.addresses.get(&trial.host) else { return Vec::new() };
        let path = |part: &&str| match part.is_empty() {
            true => trial.name.to_owned(),
            false => format!("{}/{part}", trial.name),
        };
        let urls = trial.sources.iter().map(path);
        urls.filter_map(|path| Url::parse(&format!("http://{address}/{path}")).ok()).collect()
    }

    /// The hosts, as they stand in addresses.
    pub fn hosts(&self) -> impl Iterator<Item = String> {
        self.addresses.values().map(|address| address.ip().to_string())
    }

    /// Everything that was asked so far, in the order in which it came.
    pub fn log(&self) -> Vec<Seen> {
        let mut log = locked(&self.shared.state).log.clone();
        log.sort_by(|one, other| one.at.total_cmp(&other.at));
        log
    }

    /// How often each trial was asked.
    pub fn counts(&self) -> HashMap<&'static str, usize> {
        let mut counts = HashMap::new();
        locked(&self.shared.state).log.iter().for_each(|seen| {
            *counts.entry(seen.trial).or_default() += 1;
        });
        counts
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, host: u8, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    // A connection that refuses the option is only slower.
                    let _ = stream.set_nodelay(true);
                    let number = {
                        let mut state = locked(&shared.state);
                        state.connections += 1;
                        state.connections
                    };
                    connections.spawn(converse(stream, host, number, Arc::clone(&shared)));
                }
                Err(error) => {
                    tracing::warn!(%error, "the scoring server could not accept a connection");
                    tokio::time::sleep(DRIP).await;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}

/// Answers the requests of one connection until either side ends it.
async fn converse(mut stream: TcpStream, host: u8, connection: u64, shared: Arc<Shared>) {
    let mut read = Vec::new();
    while let Some((target, headers)) = next_request(&mut stream, &mut read).await {
        let at = shared.clock.now();
        let path = target.split('?').next().unwrap_or_default().trim_matches('/').to_owned();
        let (name, part) = path.split_once('/').unwrap_or((&path, ""));
        let (nth, alone) = {
            let mut state = locked(&shared.state);
            let count = state.counts.entry(path.clone()).or_default();
            let nth = *count;
            *count += 1;
            let open = state.open.entry(host).or_default();
            *open += 1;
            (nth, *open == 1)
        };
        let trial = shared.trials.get(name);
        let reply = match trial {
            Some(trial) => (trial.reply)(TrialRequest { trial: trial.name, part, nth, now: at }),
            None => Reply::status(404),
        };
        tokio::time::sleep(reply.delay).await;
        let validator = |name: &str| {
            reply.headers.iter().find(|(other, _)| *other == name).map(|(_, value)| value.clone())
        };
        let mut seen = Seen {
            trial: trial.map_or("", |trial| trial.name),
            host,
            target,
            at,
            answered: shared.clock.now(),
            headers,
            connection,
            alone,
            status: reply.status,
            validators: [validator("ETag"), validator("Last-Modified")],
            sent: 0,
        };
        // Whatever comes after the last byte has gone out is the next request.
        locked(&shared.state).open.entry(host).and_modify(|open| *open -= 1);
        let goes_on = match &reply.body {
            Body::Whole(body) => {
                seen.sent = body.len();
                locked(&shared.state).log.push(seen);
                let mut bytes = head(&reply, Some(body.len()), at);
                bytes.extend_from_slice(body);
                stream.write_all(&bytes).await.is_ok()
            }
            misbehaving => {
                seen.sent = misbehave(&mut stream, misbehaving, &head(&reply, None, at)).await;
                seen.answered = shared.clock.now();
                locked(&shared.state).log.push(seen);
                false
            }
        };
        if !goes_on {
            return;
        }
    }
}

/// Sends what should not be sent until the client has had enough; returns how much it took.
async fn misbehave(stream: &mut TcpStream, body: &Body, head: &[u8]) -> usize {
    let (piece, pause, most) = match body {
        Body::Endless => (vec![b' '; PIECE], None, ENDLESS),
        Body::Dripping => (vec![b' '], Some(DRIP), DRIPS),
        Body::Hangup | Body::Whole(_) => return 0,
    };
    if stream.write_all(head).await.is_err() {
        return 0;
    }
    let mut sent = 0;
    while sent < most && stream.write_all(&piece).await.is_ok() {
        sent += piece.len();
        if let Some(pause) = pause {
            tokio::time::sleep(pause).await;
        }
    }
    sent
}

fn head(reply: &Reply, length: Option<usize>, now: f64) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {} Scripted\r\nDate: {}\r\n", reply.status, http_date(now));
    head.push_str("Set-Cookie: visitor=42; Path=/\r\n");
    match length {
        Some(_) if reply.status == 304 => {}
        Some(length) => head.push_str(&format!("Content-Length: {length}\r\n")),
        None => head.push_str("Connection: close\r\n"),
    }
    let mut head = head.into_bytes();
    for (name, value) in &reply.headers {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

type Headers = Vec<(String, Vec<u8>)>;

/// The target and headers of the next request; none when the client has left or talks nonsense.
async fn next_request(stream: &mut TcpStream, read: &mut Vec<u8>) -> Option<(String, Headers)> {
    let end = loop {
        if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if read.len() > LONGEST_HEAD || stream.read_buf(read).await.ok()? == 0 {
            return None;
        }
    };
    let head: Vec<u8> = read.drain(..end + 4).collect();
    let mut lines = head[..end].split(|byte| *byte == b'\n').map(|line| line.trim_ascii());
    let request = String::from_utf8_lossy(lines.next()?).into_owned();
    let target = request.split(' ').nth(1)?.to_owned();
    let header = |line: &[u8]| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let name = String::from_utf8_lossy(&line[..colon]).to_ascii_lowercase();
        Some((name, line[colon + 1..].trim_ascii().to_vec()))
    };
    Some((target, lines.filter_map(header).collect()))
}
