//! What every page has: head, navigation, and the headers that protect it.

use maud::{DOCTYPE, Markup, html};

use crate::assets;

/// The headers of a page that anybody may see: nothing runs in it, and nothing comes from elsewhere.
pub const HEADERS: [(&str, &str); 3] = [
    (
        "content-security-policy",
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; \
         frame-ancestors 'none'",
    ),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
];

/// The policy of pages for those who read and manage: our own scripts may run in them.
pub const LIVE_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
     media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// A place in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Overview,
    Read,
    Feeds,
    Sources,
    Mesh,
    Settings,
    Search,
    About,
}

impl Place {
    /// Where anybody may go.
    const PUBLIC: [Self; 3] = [Self::Feeds, Self::Search, Self::About];
    /// Where those go who read and manage the node.
    const INSIDE: [Self; 6] =
        [Self::Overview, Self::Read, Self::Feeds, Self::Sources, Self::Mesh, Self::Settings];
    /// Where those go who only read.
    const READING: [Self; 3] = [Self::Read, Self::Search, Self::About];

    fn label(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Read => "Read",
            Self::Feeds => "Feeds",
            Self::Sources => "Sources",
            Self::Mesh => "Mesh",
            Self::Settings => "Settings",
            Self::Search => "Search",
            Self::About => "About",
        }
    }

    /// From the node's own address.
    fn path(self) -> &'static str {
        match self {
            Self::Overview => "",
            Self::Read => "read",
            Self::Feeds => "feeds",
            Self::Sources => "sources",
            Self::Mesh => "mesh",
            Self::Settings => "settings",
            Self::Search => "search",
            Self::About => "about",
        }
    }
}

/// Who looks at a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer<'a> {
    /// Anybody, or nobody knows who: the page is the same for all.
    Anybody,
    /// Somebody who reads and manages the node, by name; without one if nobody needs to log in.
    Inside {
        /// The name.
        name: Option<&'a str>,
        /// It may change sources, feeds and settings.
        manages: bool,
    },
}

/// The frame of a page.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// What the page is called.
    pub title: &'a str,
    /// Leads from the page to the node's own address.
    pub root: &'a str,
    /// Which place of the navigation it is in.
    pub place: Option<Place>,
    pub viewer: Viewer<'a>,
}

impl Frame<'_> {
    /// The page with its content, and what its head holds besides.
    pub fn page(&self, head: Markup, content: Markup) -> Markup {
        let Self { title, root, .. } = *self;
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) }
                    link rel="icon" type="image/svg+xml" href=(assets::address(root, "icon.svg"));
                    link rel="stylesheet" href=(assets::address(root, "style.css"));
                    @if matches!(self.viewer, Viewer::Inside { .. }) {
                        script src=(assets::address(root, "pergola.js")) defer {}
                    }
                    (head)
                }
                body {
                    a.skip href="#content" { "Skip to the content" }
                    header { (self.navigation()) }
                    main #content { (content) }
                }
            }
        }
    }

    fn navigation(&self) -> Markup {
        let root = self.root;
        let places: &[Place] = match self.viewer {
            Viewer::Anybody => &Place::PUBLIC,
            Viewer::Inside { manages: true, .. } => &Place::INSIDE,
            Viewer::Inside { manages: false, .. } => &Place::READING,
        };
        html! {
            nav aria-label="This node" {
                a.brand href=(root) { "Pergola" }
                @for &place in places {
                    a href={ (root) (place.path()) }
                        aria-current=[(self.place == Some(place)).then_some("page")] { (place.label()) }
                }
                @if self.viewer == Viewer::Anybody { a href={ (root) "login" } rel="nofollow" { "Log in" } }
                @if let Viewer::Inside { name: Some(name), .. } = self.viewer {
                    a.account href={ (root) "settings/account" }
                        aria-label={ "Your account, " (name) } { (name) }
                    form.leave method="post" action={ (root) "logout" } {
                        button.plain title={ "Log out " (name) } { "Log out" }
                    }
                }
            }
        }
    }
}
