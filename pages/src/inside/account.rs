//! The page of a user's own account.

use maud::{Markup, html};
use pergola_feed::Timestamp;

use crate::frame::{Frame, Place, Viewer};
use crate::words::time;

/// An account.
#[derive(Debug, Clone, Default)]
pub struct Account {
    /// Leads from the page to the node's own address.
    pub root: &'static str,
    /// It has no password.
    pub without_password: bool,
    /// How it logs in elsewhere, if it can.
    pub elsewhere: Option<Elsewhere>,
    /// Newest last.
    pub app_passwords: Vec<AppPassword>,
    pub sessions: Vec<Session>,
    /// A password for another program that was made just now: its name, and the password.
    pub made: Option<(String, String)>,
    /// What has been done.
    pub note: Option<&'static str>,
    /// Why something was not possible.
    pub wrong: Option<String>,
}

/// A provider at which people log in.
#[derive(Debug, Clone)]
pub struct Elsewhere {
    /// What people call it.
    pub label: String,
    /// This account is connected with somebody there.
    pub connected: bool,
}

/// A password for another program.
#[derive(Debug, Clone)]
pub struct AppPassword {
    pub number: u32,
    pub name: String,
    pub created_at: Timestamp,
    pub used_at: Option<Timestamp>,
}

/// Somebody who has logged in.
#[derive(Debug, Clone)]
pub struct Session {
    /// What it is known by here.
    pub key: String,
    pub agent: String,
    pub created_at: Timestamp,
    pub seen_at: Timestamp,
    /// It is the one that asks.
    pub own: bool,
}

/// The account of whoever asks.
pub fn page(viewer: Viewer<'_>, name: &str, account: &Account) -> Markup {
    let content = html! {
        h1 { "Your account, " (name) }
        @if let Some(note) = account.note { p.card.note role="status" { (note) } }
        @if let Some(wrong) = &account.wrong { p.card.wrong role="alert" { (wrong) } }
        @if !account.without_password { (password(account.root)) }
        @if let Some(elsewhere) = &account.elsewhere { (connection(account, elsewhere)) }
        (app_passwords(account))
        (sessions(account.root, &account.sessions))
        (export(account.root))
    };
    frame(viewer, account.root).page(html! {}, content)
}

/// The same for whoever runs a node where nobody has an account.
pub fn without(viewer: Viewer<'_>) -> Markup {
    let content = html! {
        h1 { "Your account" }
        p.card {
            "Nobody has an account at this node, so you need none. "
            a href="users" { "Add a user" } " if others should read here, or if you want to use a reader app."
        }
        (export("../"))
    };
    frame(viewer, "../").page(html! {}, content)
}

fn frame<'a>(viewer: Viewer<'a>, root: &'a str) -> Frame<'a> {
    Frame { title: "Your account", root, place: Some(Place::Settings), viewer }
}

fn password(root: &str) -> Markup {
    html! {
        section.card {
            h2 { "Password" }
            details {
                summary { "Change the password" }
                form.stacked method="post" action={ (root) "settings/account/password" } {
                    label for="current" { "The password until now" }
                    input #current name="password" type="password" required
                        autocomplete="current-password";
                    label for="new" { "The new password, at least 10 characters" }
                    input #new name="new_password" type="password" required minlength="10"
                        autocomplete="new-password";
                    p.soft { "Your other sessions end." }
                    p { button.main { "Change it" } }
                }
            }
        }
    }
}

fn connection(account: &Account, elsewhere: &Elsewhere) -> Markup {
    let (root, label) = (account.root, &elsewhere.label);
    html! {
        section.card #elsewhere {
            h2 { (label) }
            @if !elsewhere.connected {
                p.soft { "Connect your account, and you can log in with " (label) "." }
                form method="post" action={ (root) "settings/account/openid" } {
                    p { button { "Connect with " (label) } }
                }
            } @else if account.without_password {
                p { "You log in with " (label) ". You have no password here." }
            } @else {
                p { "You can log in with " (label) ", or with your password." }
                form method="post" action={ (root) "settings/account/openid/disconnect" } {
                    p { button { "Disconnect from " (label) } }
                }
            }
        }
    }
}

fn app_passwords(account: &Account) -> Markup {
    html! {
        section.card #app-passwords {
            h2 { "App passwords" }
            p.soft {
                "A reader app logs in with your name and a password of its own. If you lose a device, revoke its password."
            }
            @if let Some((name, password)) = &account.made {
                div.note role="status" {
                    p { "The password for " strong { (name) } ", which is shown only now:" }
                    p { code.address { (password) } }
                }
            }
            @for own in &account.app_passwords {
                div.row {
                    span {
                        (own.name) " "
                        span.soft {
                            "made " (time(own.created_at)) ", "
                            @match own.used_at {
                                Some(at) => { "last used " (time(at)) }
                                None => "never used",
                            }
                        }
                    }
                    form method="post" action={ (account.root) "settings/account/revoke" } {
                        input type="hidden" name="number" value=(own.number);
                        button aria-label={ "Revoke the password for " (own.name) } { "Revoke" }
                    }
                }
            }
            form.row method="post" action={ (account.root) "settings/account/app-passwords" } {
                label { "What is it for? "
                    input name="name" required maxlength="100" placeholder="Phone"; }
                button { "Make an app password" }
            }
        }
    }
}

fn sessions(root: &str, sessions: &[Session]) -> Markup {
    html! {
        section.card #sessions {
            h2 { "Sessions" }
            p.soft { "Where you are logged in." }
            @for session in sessions {
                div.row {
                    span {
                        @if session.agent.is_empty() { "An unknown program" } @else { (session.agent) }
                        @if session.own { " " strong { "(this one)" } } " "
                        span.soft {
                            "since " (time(session.created_at)) ", last seen " (time(session.seen_at))
                        }
                    }
                    @if !session.own {
                        form method="post" action={ (root) "settings/account/close" } {
                            input type="hidden" name="session" value=(session.key);
                            button { "End it" }
                        }
                    }
                }
            }
            @if sessions.len() > 1 {
                form method="post" action={ (root) "settings/account/close-others" } {
                    p { button { "End all others" } }
                }
            }
        }
    }
}

fn export(root: &str) -> Markup {
    html! {
        section.card {
            h2 { "Take your data with you" }
            ul {
                li { a href={ (root) "settings/account/export/everything.zip" } { "Everything that is yours, as a ZIP file" } ": for another Pergola node" }
                li { a href={ (root) "settings/account/export/subscriptions.opml" } { "Your subscriptions, as OPML" } }
                li { a href={ (root) "settings/account/export/starred.json" } { "Your starred items, as JSON Feed" } }
            }
            p { a href={ (root) "settings/account/import" } { "Import from another reader" } ": FreshRSS, Miniflux, another Pergola node, or an OPML file." }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_agents_do_no_harm() {
        let evil = "\"><script>alert(1)</script>";
        let at = Timestamp::from_unix(0);
        let session = Session {
            key: evil.into(),
            agent: evil.into(),
            created_at: at,
            seen_at: at,
            own: false,
        };
        let password =
            AppPassword { number: 1, name: evil.into(), created_at: at, used_at: Some(at) };
        let account = Account {
            root: "../",
            without_password: false,
            elsewhere: Some(Elsewhere { label: evil.into(), connected: true }),
            app_passwords: vec![password],
            sessions: vec![session],
            made: Some((evil.into(), evil.into())),
            note: None,
            wrong: Some(evil.into()),
        };
        let viewer = Viewer::Inside { name: Some(evil), manages: false };
        let text = page(viewer, evil, &account).into_string();
        assert!(!text.contains("<script>alert") && text.contains("&lt;script&gt;"), "{text}");
    }
}
