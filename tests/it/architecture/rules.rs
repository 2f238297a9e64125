//! The rules. Change them here, and nowhere else.

/// Lines of a function outside of tests, from `fn` to its last brace.
pub(super) const LONGEST_FUNCTION: usize = 80;
/// Lines in the `src` folder of a crate.
pub(super) const LARGEST_CRATE: usize = 25_000;

/// A crate, by its folder, and the crates of ours that it may depend on.
pub(super) type CrateRule = (&'static str, &'static [&'static str]);

/// Every crate, from the bottom up: each may depend only on crates before it. Development dependencies are free,
/// but nothing depends on `pergola`, `lab` or `tests`.
pub(super) const CRATES: &[CrateRule] = &[
    ("refresh", &[]),
    ("query", &[]),
    ("feed", &[]),
    ("proto", &[]),
    ("report", &[]),
    ("profile", &["query"]),
    ("wiring", &[]),
    ("newsroom", &["feed", "refresh"]),
    ("config", &["feed", "query", "refresh"]),
    ("manners", &["config", "feed", "query", "refresh"]),
    ("store", &["config", "feed", "manners", "profile", "query", "refresh"]),
    ("api", &["feed", "query", "refresh"]),
    ("topology-gen", &["api", "proto", "query", "report", "wiring"]),
    (
        "node",
        &[
            "api", "config", "feed", "manners", "profile", "proto", "query", "refresh", "store",
            "wiring",
        ],
    ),
    (
        "lab",
        &["api", "newsroom", "profile", "query", "refresh", "report", "topology-gen", "wiring"],
    ),
    (
        "pergola",
        &[
            "api", "config", "feed", "manners", "newsroom", "node", "profile", "proto", "query",
            "refresh", "report", "store", "wiring",
        ],
    ),
    ("tests", &[]),
];

/// What a crate may not use: packages that it may not depend on, and words that may not stand in its code.
pub(super) struct Forbidden {
    pub(super) package: &'static str,
    pub(super) dependencies: &'static [&'static str],
    pub(super) words: &'static [&'static str],
    pub(super) why: &'static str,
}

pub(super) const FORBIDDEN: &[Forbidden] = &[
    Forbidden {
        package: "manners",
        dependencies: &["tokio", "reqwest", "hyper", "hyper-util", "tonic", "axum"],
        words: &[
            "TcpStream",
            "TcpListener",
            "UdpSocket",
            "UnixStream",
            "UnixListener",
            "Instant",
            "SystemTime",
        ],
        why: "it decides and does no I/O; its callers tell it the time and what was answered",
    },
    Forbidden {
        package: "store",
        dependencies: &["reqwest", "hyper", "hyper-util", "axum", "tonic"],
        words: &[],
        why: "it keeps rows and knows nothing of HTTP and gRPC",
    },
    Forbidden {
        package: "api",
        dependencies: &["pergola-node", "axum", "tonic"],
        words: &[],
        why: "clients use it without the node",
    },
    Forbidden {
        package: "node",
        dependencies: &["clap", "indicatif", "pergola-newsroom", "pergola-report", "tiny-skia"],
        words: &[],
        why: "it is a library; the command line is in pergola",
    },
    Forbidden {
        package: "wiring",
        dependencies: &["pergola-report", "pergola-topology", "tokio", "tonic", "clap"],
        words: &[],
        why: "it computes; drawing and files are in topology-gen",
    },
    Forbidden {
        package: "report",
        dependencies: &["tokio"],
        words: &["Instant", "SystemTime"],
        why: "equal reports give equal bytes",
    },
];

/// An access to the outside world, and the files of `node/src` in which it is allowed. Everything else receives
/// it at construction, so that tests and simulations can replace it. A folder ends in `/`.
pub(super) struct Edge {
    /// Identifiers joined by `::`, as they stand in the code.
    pub(super) path: &'static str,
    pub(super) what: &'static str,
    pub(super) files: &'static [&'static str],
}

pub(super) const EDGES: &[Edge] = &[
    Edge { path: "Instant::now", what: "a clock", files: &["clock.rs"] },
    Edge { path: "SystemTime::now", what: "a clock", files: &["clock.rs"] },
    Edge { path: "RandomState", what: "randomness", files: &["outside/"] },
    Edge { path: "rand::rng", what: "randomness", files: &["outside/"] },
    Edge { path: "SystemRandom", what: "randomness", files: &["outside/"] },
    Edge { path: "getrandom", what: "randomness", files: &["outside/"] },
    Edge { path: "TcpListener::bind", what: "a socket", files: &["outside/"] },
    Edge { path: "TcpStream::connect", what: "a socket", files: &["outside/"] },
    Edge { path: "UdpSocket::bind", what: "a socket", files: &["outside/"] },
    Edge { path: "reqwest::Client", what: "an HTTP exchange", files: &["outside/"] },
    Edge { path: "lookup_host", what: "name resolution", files: &["outside/"] },
    Edge { path: "hickory_resolver", what: "name resolution", files: &["outside/"] },
    Edge { path: "spawn_blocking", what: "blocking work", files: &["outside/"] },
    Edge { path: "Store::open", what: "the store", files: &["outside/"] },
];
