//! Who has an account: adding, changing and removing users.

use maud::{Markup, html};
use pergola_api::Instant;
use pergola_api::user::{UserDetail, UserRole, UserStatus};
use pergola_feed::Timestamp;

use crate::frame::{Frame, Place, Viewer};
use crate::words::{counted, time};

/// What the page of users shows besides them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told<'a> {
    /// Leads from the page to the node's own address.
    pub root: &'a str,
    /// What has been done.
    pub note: Option<&'a str>,
    /// Why something was not possible.
    pub wrong: Option<&'a str>,
    /// The name of a new user, as it was typed.
    pub name: &'a str,
}

/// The people who have an account.
pub fn page(viewer: Viewer<'_>, users: &[UserStatus], told: &Told<'_>) -> Markup {
    let content = html! {
        p.soft { a href={ (told.root) "settings" } { "Settings" } " › Users" }
        h1 { "Users" }
        @if let Some(note) = told.note { p.card.note role="status" { (note) } }
        @if let Some(wrong) = told.wrong { p.card.wrong role="alert" { (wrong) } }
        @if users.is_empty() {
            p.card {
                "Nobody has an account. Whoever runs the node uses it without a login, on this machine. As soon as \
                 you add the first user, everybody logs in, also on this machine; the first user should be you."
            }
        } @else {
            ul.users { @for user in users { li.card { (one(told.root, user)) } } }
        }
        (add(told.root, users.is_empty(), told.name))
    };
    let frame = Frame { title: "Users", root: told.root, place: Some(Place::Settings), viewer };
    frame.page(html! {}, content)
}

fn one(root: &str, user: &UserStatus) -> Markup {
    let name = user.name.as_str();
    let is_admin = user.role == UserRole::Admin;
    let other = if is_admin { UserRole::Reader } else { UserRole::Admin };
    html! {
        h2 { (name) }
        p.soft {
            (user.role.name()) " · since " (time(date(user.created_at)))
            @if !user.has_password { " · no password" }
        }
        div.row {
            form method="post" action={ (root) "settings/users/role" } {
                input type="hidden" name="name" value=(name);
                input type="hidden" name="role" value=(other.name());
                button { "Make " (name) " " @if is_admin { "a reader" } @else { "an admin" } }
            }
            a.button href={ (root) "settings/users/remove?name=" (encoded(name)) } { "Remove " (name) "…" }
        }
        details {
            summary { "New password" }
            form.stacked method="post" action={ (root) "settings/users/password" } {
                input type="hidden" name="name" value=(name);
                label { "New password of " (name)
                    input type="password" name="password" required minlength="10"
                        autocomplete="new-password"; }
                p.soft { "All sessions of " (name) " end." }
                p { button { "Change the password" } }
            }
        }
    }
}

fn add(root: &str, first: bool, name: &str) -> Markup {
    html! {
        section.card {
            h2 { @if first { "Add the first user" } @else { "Add a user" } }
            form.stacked method="post" action={ (root) "settings/users" } {
                label for="new-name" { "Name" }
                input #new-name name="name" value=(name) required maxlength="40" autocomplete="off"
                    autocapitalize="none" spellcheck="false";
                label for="new-password" { "Password, at least 10 characters" }
                input #new-password name="password" type="password" required minlength="10"
                    autocomplete="new-password";
                fieldset {
                    legend { "Role" }
                    label {
                        input type="radio" name="role" value="admin" checked[first];
                        " Admin: changes everything"
                    }
                    label {
                        input type="radio" name="role" value="reader" checked[!first];
                        " Reader: reads, and subscribes to what it may read"
                    }
                }
                p { button.main { "Add" } }
            }
        }
    }
}

/// What goes with a user, before it is removed.
pub fn removal(viewer: Viewer<'_>, detail: &UserDetail, wrong: Option<&str>) -> Markup {
    let name = detail.user.name.as_str();
    let title = format!("Remove {name}?");
    let content = html! {
        section.card {
            h1 { (title) }
            @if let Some(wrong) = wrong { p.wrong role="alert" { (wrong) } }
            p { "This cannot be undone. With " (name) " go:" }
            ul {
                li { (counted(detail.subscriptions as u64, "subscription")) }
                li { (counted(detail.starred as u64, "starred item")) }
                li { "what " (name) " has read" }
                li { (counted(detail.sessions as u64, "open session")) }
                li { (counted(detail.app_passwords as u64, "app password")) }
            }
            div.row {
                form method="post" action="remove" {
                    input type="hidden" name="name" value=(name);
                    button.danger { "Remove " (name) }
                }
                a.button href="../users" { "Keep " (name) }
            }
        }
    };
    let frame = Frame { title: &title, root: "../../", place: Some(Place::Settings), viewer };
    frame.page(html! {}, content)
}

fn date(at: Instant) -> Timestamp {
    Timestamp::from_unix(at.unix() as i64)
}

/// A value as it stands in an address.
fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_no_harm_wherever_they_stand() {
        let evil = "\"><script>alert(1)</script>";
        let (role, created_at) = (UserRole::Reader, Instant::from_unix(0.0));
        let user = UserStatus { name: evil.into(), role, has_password: false, created_at };
        let viewer = Viewer::Inside { name: Some(evil), manages: true };
        let told = Told { root: "../", note: Some(evil), wrong: Some(evil), name: evil };
        let text = page(viewer, std::slice::from_ref(&user), &told).into_string();
        assert!(!text.contains("<script>alert") && text.contains("&lt;script&gt;"), "{text}");
        let detail =
            UserDetail { user, subscriptions: 1, starred: 2, sessions: 0, app_passwords: 0 };
        let text = removal(viewer, &detail, Some(evil)).into_string();
        assert!(!text.contains("<script>alert"), "{text}");
        assert!(text.contains("1 subscription<") && text.contains("2 starred items"), "{text}");
    }
}
