//! Logging in, and what is left when a session has ended.

use maud::{Markup, html};

use crate::frame::{Frame, Place, Viewer};

/// What the page of the login says besides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Login<'a> {
    /// Leads from the page to the node's own address.
    pub root: &'a str,
    /// Nobody has an account, so nobody can log in.
    pub no_users: bool,
    /// The name as it was typed.
    pub name: &'a str,
    /// Where to go afterwards: a path of this node.
    pub next: &'a str,
    /// What people call the OpenID provider at which they can log in.
    pub elsewhere: Option<&'a str>,
    /// Where somebody who has logged out here logs out at the provider.
    pub out: Option<&'a str>,
    /// Something to know.
    pub note: Option<&'a str>,
    /// Why it was not possible.
    pub wrong: Option<&'a str>,
}

/// The form to log in.
pub fn page(login: &Login<'_>) -> Markup {
    let content = html! {
        section.card.narrow {
            h1 { "Log in" }
            @if let Some(note) = login.note { p role="status" { (note) } }
            @if let (Some(out), Some(label)) = (login.out, login.elsewhere) {
                p { "At " (label) " you may still be logged in. " a href=(out) { "Log out there as well" } }
            }
            @if let Some(wrong) = login.wrong { p.wrong role="alert" { (wrong) } }
            @if login.no_users {
                p {
                    "Nobody has an account at this node. Whoever runs it adds the first one: "
                    code { "pergola user add NAME --password-stdin" }
                }
            } @else {
                form.stacked method="post" action={ (login.root) "login" } {
                    input type="hidden" name="next" value=(login.next);
                    label for="name" { "Name" }
                    input #name name="name" value=(login.name) autocomplete="username"
                        autocapitalize="none" spellcheck="false" required
                        autofocus[login.name.is_empty()];
                    label for="password" { "Password" }
                    input #password name="password" type="password" required
                        autocomplete="current-password" autofocus[!login.name.is_empty()];
                    p { button.main { "Log in" } }
                }
            }
            @if let Some(label) = login.elsewhere {
                p { a.button href={ (login.root) "login/openid?next=" (encoded(login.next)) } {
                    "Log in with " (label)
                } }
            }
        }
    };
    frame("Log in", login.root).page(html! {}, content)
}

/// What somebody had typed in a form that cannot be taken as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// By the names of fields; a secret is not kept.
    Fields(Vec<(String, Option<String>)>),
    /// A file was chosen, which is not kept.
    File,
    /// It is too long to be shown.
    TooLong,
}

/// A form was sent by somebody who is logged in no more: what was typed is not lost. `to` is where it was sent.
pub fn ended(root: &str, to: &str, typed: &Typed) -> Markup {
    let content = html! {
        section.card {
            h1 { "You are not logged in" }
            p {
                "Your session has ended, or you have logged out in another window. Nothing was changed. "
                a.button.main href={ (root) "login" } target="_blank" rel="noopener" { "Log in in another window" }
            }
            p { "Leave this page open meanwhile: it keeps what you have typed." }
            (resent((root, to), typed, "I have logged in: go on"))
        }
    };
    frame("You are not logged in", root).page(html! {}, content)
}

/// A form was sent that was opened before somebody logged in: what was typed can be sent again.
pub fn again(viewer: Viewer<'_>, root: &str, to: &str, typed: &Typed) -> Markup {
    let title = "Send it once more";
    let content = html! {
        section.card {
            h1 { (title) }
            p {
                "You have logged in since this form was opened, so this form belongs to another session. Nothing was \
                 changed. If this is what you want, send it now."
            }
            (resent((root, to), typed, "Send it"))
        }
    };
    Frame { title, root, place: None, viewer }.page(html! {}, content)
}

fn resent((root, to): (&str, &str), typed: &Typed, button: &str) -> Markup {
    let fields = match typed {
        Typed::Fields(fields) => fields,
        Typed::File => {
            return html! { p { "The file that you chose is not kept. Go back, load the page again and choose it once more." } };
        }
        Typed::TooLong => {
            return html! { p { "What you had typed is too long to be shown here. Go back: your browser has kept it. Copy it before you load the page again." } };
        }
    };
    html! {
        h2 { "What you had typed" }
        form.stacked method="post" action={ (root) (to) } {
            p.soft { "For " code { "/" (to) } }
            dl {
                @for (name, value) in fields {
                    @match value {
                        Some(value) => {
                            @if !value.trim().is_empty() { dt { (name) } dd { pre { (value) } } }
                            @if value.contains('\n') {
                                textarea name=(name) hidden { "\n" (value) }
                            } @else {
                                input type="hidden" name=(name) value=(value);
                            }
                        }
                        None => {
                            dt { (name) }
                            dd { input type="password" name=(name) required aria-label={ (name) ", once more" }; }
                        }
                    }
                }
            }
            p { button.main { (button) } }
        }
    }
}

/// Somebody who wants to log in elsewhere from now on goes there.
pub fn onward(viewer: Viewer<'_>, label: &str, address: &str) -> Markup {
    let title = format!("Connect your account with {label}");
    let content = html! {
        section.card.narrow {
            h1 { (title) }
            p { "You log in at " (label) " now, and come back here. From then on you can log in with it." }
            p { a.button.main href=(address) { "Go on to " (label) } }
            p { a href="../../settings/account" { "Back to your account" } }
        }
    };
    Frame { title: &title, root: "../../", place: Some(Place::Settings), viewer }
        .page(html! {}, content)
}

/// A value as it stands in an address.
fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

fn frame<'a>(title: &'a str, root: &'a str) -> Frame<'a> {
    Frame { title, root, place: None, viewer: Viewer::Anybody }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_stays_and_does_no_harm() {
        let evil = "\"><script>alert(1)</script>";
        let login = Login {
            root: "./",
            name: evil,
            next: evil,
            wrong: Some(evil),
            elsewhere: Some(evil),
            out: Some(evil),
            ..Login::default()
        };
        let text = page(&login).into_string();
        assert!(!text.contains("<script>alert") && text.contains("&lt;script&gt;"), "{text}");
        let typed = Typed::Fields(vec![(evil.into(), Some(evil.into())), (evil.into(), None)]);
        let viewer = Viewer::Inside { name: Some(evil), manages: true };
        for shown in [ended("../", evil, &typed), again(viewer, "../", evil, &typed)] {
            let text = shown.into_string();
            assert!(!text.contains("<script>alert") && text.contains("&lt;script&gt;"), "{text}");
        }
        let text = onward(viewer, evil, evil).into_string();
        assert!(!text.contains("<script>alert") && text.contains("&lt;script&gt;"), "{text}");
    }
}
