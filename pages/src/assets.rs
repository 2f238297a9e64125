//! The stylesheet, the scripts and the icon. Their addresses carry a digest, so that browsers may keep them for ever.

use std::sync::LazyLock;

/// A file that pages load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asset {
    /// The name it is served under.
    pub name: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// What it holds.
    pub text: &'static str,
}

/// Every file that pages load.
pub const ASSETS: &[Asset] = &[
    Asset {
        name: "style.css",
        media_type: "text/css; charset=utf-8",
        text: concat!(
            include_str!("../assets/base.css"),
            include_str!("../assets/manage.css"),
            include_str!("../assets/feeds.css"),
            include_str!("../assets/read.css"),
        ),
    },
    Asset {
        name: "pergola.js",
        media_type: "text/javascript; charset=utf-8",
        text: include_str!("../assets/pergola.js"),
    },
    Asset {
        name: "live.js",
        media_type: "text/javascript; charset=utf-8",
        text: include_str!("../assets/live.js"),
    },
    Asset {
        name: "sources.js",
        media_type: "text/javascript; charset=utf-8",
        text: include_str!("../assets/sources.js"),
    },
    Asset {
        name: "editor.js",
        media_type: "text/javascript; charset=utf-8",
        text: include_str!("../assets/editor.js"),
    },
    Asset {
        name: "settings.js",
        media_type: "text/javascript; charset=utf-8",
        text: include_str!("../assets/settings.js"),
    },
    Asset {
        name: "read.js",
        media_type: "text/javascript; charset=utf-8",
        text: include_str!("../assets/read.js"),
    },
    Asset {
        name: "icon.svg",
        media_type: "image/svg+xml",
        text: include_str!("../assets/icon.svg"),
    },
];

/// Changes whenever a file does.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let texts: Vec<&str> = ASSETS.iter().map(|asset| asset.text).collect();
    format!("{:032x}", pergola_feed::digest(&texts)).chars().take(12).collect()
});

/// The file of a name.
pub fn find(name: &str) -> Option<Asset> {
    ASSETS.iter().find(|asset| asset.name == name).copied()
}

/// Where a page finds a file. `root` leads from the page to the node's own address.
pub(crate) fn address(root: &str, name: &str) -> String {
    debug_assert!(find(name).is_some(), "no such asset: {name}");
    format!("{root}assets/{name}?v={}", *VERSION)
}
