//! Every key there is, with its default as it would be written in the file.
//!
//! This table is the only list of keys: what is unknown, what a variable is called, which default holds
//! and what the example file must mention all follow from it.

/// A table of the file.
#[derive(Debug)]
pub(super) struct Section {
    /// Its name in the file.
    pub(super) name: &'static str,
    /// Its keys.
    pub(super) keys: &'static [Key],
}

/// A key and its default.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
    /// As TOML; without it the key may be left out and means nothing then, or follows from others.
    pub(super) default: Option<&'static str>,
}

const fn key(name: &'static str, default: &'static str) -> Key {
    Key { name, default: Some(default) }
}

const fn optional(name: &'static str) -> Key {
    Key { name, default: None }
}

impl Section {
    /// The key of that name.
    pub(super) fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

/// The tables that are there once. Each of their keys is a variable, too.
pub(super) static SECTIONS: [Section; 12] = [
    Section {
        name: "node",
        keys: &[
            key("name", "\"pergola\""),
            key("listen", "\"127.0.0.1:8080\""),
            optional("public_url"),
            key("data", "\"pergola-data\""),
            optional("contact"),
            key("connections", "4096"),
        ],
    },
    Section {
        name: "store",
        keys: &[optional("backend"), key("keep", "\"90 days\""), key("cache", "\"32 MiB\"")],
    },
    Section {
        name: "budget",
        keys: &[
            key("refreshes_per_minute", "30"),
            optional("bytes_per_hour"),
            optional("freshness"),
            key("max_refreshes_per_minute", "60"),
            optional("burst"),
        ],
    },
    Section {
        name: "schedule",
        keys: &[
            key("cycle", "\"10 s\""),
            key("strategy", "\"auto\""),
            key("model", "\"auto\""),
            key("page_model", "\"auto\""),
            key("completeness", "0.5"),
            key("equity", "0.5"),
            key("novelty", "false"),
            key("profiles", "5000"),
        ],
    },
    Section {
        name: "crawl",
        keys: &[
            key("parallel", "64"),
            key("connect_timeout", "\"10 s\""),
            key("timeout", "\"30 s\""),
            key("max_body", "\"10 MiB\""),
            key("max_redirects", "5"),
            key("max_items", "10000"),
            key("floor", "\"60 min\""),
            key("floor_known", "\"15 min\""),
            key("spacing", "\"2 s\""),
            key("per_domain", "1"),
            key("extra_ca", "[]"),
            key("allow_private", "[]"),
            optional("proxy"),
        ],
    },
    Section { name: "feeds", keys: &[key("window", "50"), key("most", "10000")] },
    Section {
        name: "websub",
        keys: &[
            key("hub", "true"),
            key("subscribe", "true"),
            key("most", "10000"),
            key("per_feed", "1000"),
            key("per_host", "1000"),
            key("lease_min", "\"5 min\""),
            key("lease", "\"10 days\""),
            key("lease_max", "\"30 days\""),
            key("parallel", "128"),
            key("tries", "8"),
            key("backoff", "\"1 min\""),
            key("poll", "\"1 day\""),
        ],
    },
    Section { name: "api", keys: &[optional("token"), optional("token_file")] },
    Section {
        name: "tls",
        keys: &[
            optional("certificate"),
            optional("key"),
            optional("client_ca"),
            key("clients", "\"optional\""),
        ],
    },
    Section {
        name: "peers",
        keys: &[
            key("enabled", "true"),
            key("cooperate", "[\"hints\", \"archive\"]"),
            key("streams", "256"),
            key("requests_per_minute", "6000"),
            key("max_message", "\"4 MiB\""),
        ],
    },
    Section { name: "clock", keys: &[key("speed", "1.0"), optional("epoch")] },
    Section { name: "log", keys: &[key("level", "\"info\""), key("format", "\"text\"")] },
];

/// A table per host: `[hosts."example.org"]`.
pub(super) static HOST: Section = Section {
    name: "hosts",
    keys: &[
        optional("spacing"),
        optional("per_domain"),
        optional("floor"),
        key("private", "false"),
        optional("group"),
        key("peer", "false"),
        optional("token"),
        optional("token_file"),
        optional("ca"),
        optional("certificate"),
        optional("key"),
    ],
};

/// One of many: `[[reader]]`.
pub(super) static READER: Section = Section {
    name: "reader",
    keys: &[
        optional("name"),
        optional("token"),
        optional("token_file"),
        optional("certificate"),
        optional("streams"),
        optional("requests_per_minute"),
        optional("max_message"),
    ],
};

/// One of many: `[[source]]`.
pub(super) static SOURCE: Section = Section {
    name: "source",
    keys: &[
        optional("url"),
        optional("title"),
        key("importance", "1.0"),
        key("list", "false"),
        optional("cooperate"),
        optional("page.item"),
        optional("page.title"),
        optional("page.link"),
        optional("page.date"),
        optional("page.content"),
    ],
};

/// One of many: `[[feed]]`.
pub(super) static FEED: Section =
    Section { name: "feed", keys: &[optional("query"), optional("file"), optional("readers")] };

/// The one key whose value is never shown, whichever table it is in.
pub(super) const SECRET: &str = "token";

/// Variables that begin like ours and are no keys.
const OTHER_VARIABLES: [&str; 3] = ["PERGOLA_CONFIG", "PERGOLA_LOG", "PERGOLA_REQUIRE_ALL"];

/// Whether a variable must be one of our keys. Kubernetes sets some of its own for a service that is
/// called pergola.
pub(super) fn is_ours(name: &str, value: &str) -> bool {
    let Some(rest) = name.strip_prefix("PERGOLA_") else { return false };
    let of_kubernetes = rest.starts_with("SERVICE_")
        || rest.starts_with("PORT_")
        || (rest == "PORT" && value.contains("://"));
    !of_kubernetes && !OTHER_VARIABLES.contains(&name)
}

/// The variable of a key.
pub(super) fn variable(section: &str, key: &str) -> String {
    format!("PERGOLA_{}__{}", section.to_uppercase(), key.to_uppercase())
}
