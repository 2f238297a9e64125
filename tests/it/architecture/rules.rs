//! The rules. Change them here, and nowhere else.

/// Lines of a function outside of tests, from `fn` to its last brace.
pub(super) const LONGEST_FUNCTION: usize = 80;
/// Lines in the `src` folder of a crate.
pub(super) const LARGEST_CRATE: usize = 25_000;

/// A crate, by its folder, and the crates of ours that it may depend on.
pub(super) type CrateRule = (&'static str, &'static [&'static str]);

/// Every crate, from the bottom up: each may depend only on crates before it. Development dependencies are free.
/// Nothing depends on `sim`, `lab`, `pergola` or `tests`.
pub(super) const CRATES: &[CrateRule] = &[
    ("refresh", &[]),
    ("query", &[]),
    ("feed", &[]),
    ("proto", &[]),
    ("report", &[]),
    ("wiring", &[]),
    ("api", &[]),
    ("accounts", &[]),
    ("profile", &["query"]),
    ("index", &["query"]),
    ("openid", &[]),
    ("reader-api", &["feed"]),
    ("takeout", &["feed"]),
    ("newsroom", &["feed", "refresh"]),
    ("manners", &["feed", "refresh"]),
    ("pages", &["api", "feed", "manners", "query"]),
    ("store", &["accounts", "feed", "index", "manners", "profile", "query", "refresh"]),
    ("config", &["feed", "manners", "query", "refresh", "store"]),
    ("outside", &["config", "feed", "manners", "store"]),
    ("peers", &["feed", "manners", "outside", "proto", "store"]),
    ("port", &["accounts", "api", "config", "manners", "outside", "store"]),
    ("notify", &["api", "config", "feed", "manners", "outside", "store"]),
    ("topology-gen", &["api", "proto", "query", "report", "wiring"]),
    (
        "node",
        &[
            "accounts", "api", "config", "feed", "manners", "notify", "outside", "pages", "peers",
            "port", "profile", "proto", "query", "refresh", "store",
        ],
    ),
    (
        "site",
        &[
            "accounts",
            "api",
            "config",
            "feed",
            "node",
            "openid",
            "outside",
            "pages",
            "port",
            "reader-api",
            "store",
            "takeout",
        ],
    ),
    ("sim", &["config", "node", "outside", "proto", "store"]),
    ("lab", &["api", "newsroom", "profile", "query", "refresh", "report", "wiring"]),
    (
        "pergola",
        &[
            "accounts",
            "api",
            "config",
            "feed",
            "manners",
            "newsroom",
            "node",
            "outside",
            "port",
            "proto",
            "refresh",
            "report",
            "site",
            "store",
            "topology-gen",
            "wiring",
        ],
    ),
    ("tests", &[]),
];

/// What a crate may not use: packages that it may not depend on, and paths that may not stand in its code.
pub(super) struct Forbidden {
    pub(super) package: &'static str,
    pub(super) dependencies: &'static [&'static str],
    pub(super) paths: &'static [&'static str],
    pub(super) why: &'static str,
}

pub(super) const FORBIDDEN: &[Forbidden] = &[
    Forbidden {
        package: "accounts",
        dependencies: &["tokio", "reqwest", "hyper", "axum", "tonic", "rand"],
        paths: &["std::time::Instant", "std::time::SystemTime", "ring::rand"],
        why: "it decides; its callers tell it the time and give it random bytes",
    },
    Forbidden {
        package: "openid",
        dependencies: &["tokio", "reqwest", "hyper", "axum", "tonic", "rand"],
        paths: &["std::time::Instant", "std::time::SystemTime", "ring::rand"],
        why: "it decides; its callers tell it the time and give it random bytes",
    },
    Forbidden {
        package: "manners",
        dependencies: &["tokio", "reqwest", "hyper", "hyper-util", "tonic", "axum"],
        paths: &[
            "std::net::TcpStream",
            "std::net::TcpListener",
            "std::net::UdpSocket",
            "std::os::unix::net",
            "std::time::Instant",
            "std::time::SystemTime",
        ],
        why: "it decides and does no I/O; its callers tell it the time and what was answered",
    },
    Forbidden {
        package: "index",
        dependencies: &["tokio", "redb", "sled", "pergola-store"],
        paths: &["std::fs", "std::net", "std::time::Instant", "std::time::SystemTime"],
        why: "it computes; where its rows are kept is the business of store",
    },
    Forbidden {
        package: "store",
        dependencies: &["reqwest", "hyper", "hyper-util", "axum", "tonic"],
        paths: &[],
        why: "it keeps rows and knows nothing of HTTP and gRPC",
    },
    Forbidden {
        package: "api",
        dependencies: &["pergola-node", "axum", "tonic"],
        paths: &[],
        why: "clients use it without the node",
    },
    Forbidden {
        package: "outside",
        dependencies: &["axum", "tonic", "clap"],
        paths: &[],
        why: "it asks and is asked for connections; what is said on them is the node's business",
    },
    Forbidden {
        package: "node",
        dependencies: &[
            "clap",
            "hickory-resolver",
            "reqwest",
            "indicatif",
            "pergola-newsroom",
            "pergola-report",
            "pergola-topology",
        ],
        paths: &[],
        why: "it is a library; the command line is in pergola",
    },
    Forbidden {
        package: "pages",
        dependencies: &["tokio", "axum", "http", "reqwest", "pergola-store", "pergola-node"],
        paths: &["std::time::Instant", "std::time::SystemTime"],
        why: "a page is a function of what it shows",
    },
    Forbidden {
        package: "wiring",
        dependencies: &["pergola-report", "pergola-topology", "tokio", "tonic", "clap"],
        paths: &[],
        why: "it computes; drawing and files are in topology-gen",
    },
    Forbidden {
        package: "report",
        dependencies: &["tokio"],
        paths: &["std::time::Instant", "std::time::SystemTime"],
        why: "equal reports give equal bytes",
    },
];

/// An access to the outside world, and the files of `outside/src` in which it is allowed; in `node` it is not.
/// Everything else receives it at construction, so that tests and simulations can replace it. A folder ends in `/`.
pub(super) struct Edge {
    /// Identifiers joined by `::`, as they stand in the code.
    pub(super) path: &'static str,
    pub(super) what: &'static str,
    pub(super) files: &'static [&'static str],
}

pub(super) const EDGES: &[Edge] = &[
    Edge { path: "Instant::now", what: "a clock", files: &["clock.rs"] },
    Edge { path: "SystemTime::now", what: "a clock", files: &["clock.rs"] },
    Edge { path: "RandomState", what: "randomness", files: &["surroundings/"] },
    Edge { path: "rand::rng", what: "randomness", files: &["surroundings/"] },
    Edge { path: "SystemRandom", what: "randomness", files: &["surroundings/"] },
    Edge { path: "getrandom", what: "randomness", files: &["surroundings/"] },
    Edge { path: "TcpListener::bind", what: "a socket", files: &["surroundings/"] },
    Edge { path: "TcpStream::connect", what: "a socket", files: &["surroundings/"] },
    Edge { path: "UdpSocket::bind", what: "a socket", files: &["surroundings/"] },
    Edge { path: "reqwest::Client", what: "an HTTP exchange", files: &["surroundings/"] },
    Edge { path: "lookup_host", what: "name resolution", files: &["surroundings/"] },
    Edge { path: "hickory_resolver", what: "name resolution", files: &["surroundings/"] },
    Edge { path: "spawn_blocking", what: "blocking work", files: &["surroundings/"] },
    Edge { path: "pergola_store::open", what: "the store", files: &["surroundings.rs"] },
];
