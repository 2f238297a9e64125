//! The token that every form of a session carries, so that no other site can send it.
//!
//! Pages write plain forms. The token is added to all of them in one place, when a page is sent to somebody who has
//! logged in, so that no form can be forgotten.

use maud::{Markup, html};

/// The field that holds the token. It is the first one of a form.
pub const FIELD: &str = "form_token";

/// A page, with the token in every form that changes something.
///
/// Reads what maud has written: in a tag, every `<` and `>` of a value is escaped.
pub fn with_token(page: &str, token: &str) -> String {
    let field = field(token).into_string();
    let mut out = String::with_capacity(page.len() + 8 * field.len());
    let mut rest = page;
    while let Some(at) = rest.find("<form") {
        let end = rest[at..].find('>').map_or(rest.len(), |length| at + length + 1);
        out.push_str(&rest[..end]);
        if rest[at..end].contains("method=\"post\"") {
            out.push_str(&field);
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

fn field(token: &str) -> Markup {
    html! { input type="hidden" name=(FIELD) value=(token); }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_that_changes_something_carries_the_token_first() {
        let page = html! {
            form method="get" { input name="q"; }
            form.small method="post" action="a>b" { button { "Go" } }
            p { "<form method=\"post\">" }
            form action="x" method="post" {}
        };
        let page = with_token(&page.into_string(), "abc");
        let field = "<input type=\"hidden\" name=\"form_token\" value=\"abc\">";
        assert_eq!(page.matches(field).count(), 2, "{page}");
        assert!(page.contains(&format!("action=\"a&gt;b\">{field}<button>")), "{page}");
        assert!(page.contains(&format!("method=\"post\">{field}</form>")), "{page}");
        assert_eq!(with_token("no form <form", "abc"), "no form <form");
    }
}
