//! The description of the API, made from the code that answers.

use std::sync::OnceLock;

use axum::body::Bytes;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};

use super::{backup, feeds, health, items, lists, operation, profiles, search, sources};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Pergola",
        description = "What can be asked of a Pergola node. Errors are problem details (RFC 9457).",
    ),
    paths(
        operation::status,
        sources::list,
        sources::add,
        sources::show,
        sources::remove,
        sources::refresh,
        feeds::list,
        feeds::run,
        feeds::show,
        feeds::remove,
        feeds::readers,
        feeds::set_readers,
        feeds::explain,
        feeds::explain_query,
        profiles::mesh,
        search::search,
        search::suggestions,
        items::list,
        lists::export,
        lists::import,
        operation::config,
        operation::reload,
        operation::budget,
        operation::history,
        backup::download,
        health::alive,
        health::ready,
        health::metrics,
        document,
    ),
    modifiers(&Token)
)]
struct Description;

/// Adds the token to the description.
struct Token;

impl Modify for Token {
    fn modify(&self, document: &mut Document) {
        let mut token = Http::new(HttpAuthScheme::Bearer);
        let said = "api.token of the node's configuration; without one, callers on its own machine";
        token.description = Some(said.to_owned());
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(token));
    }
}

/// This description.
#[utoipa::path(get, path = "/api/openapi.json", responses((status = 200, body = Object)))]
pub(super) async fn document() -> Response {
    static TEXT: OnceLock<Bytes> = OnceLock::new();
    let text = TEXT.get_or_init(|| {
        Description::openapi().to_json().expect("a description is strings and numbers").into()
    });
    ([(CONTENT_TYPE, "application/json")], text.clone()).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::access::Access;
    use super::super::routes;
    use super::*;

    fn described() -> BTreeSet<(String, String, bool)> {
        let text = Description::openapi().to_json().unwrap();
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut all = BTreeSet::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let secured = operation["security"].is_array();
                all.insert((path.clone(), method.to_uppercase(), secured));
            }
        }
        all
    }

    #[test]
    fn every_route_is_described_with_who_may_use_it_and_nothing_else_is() {
        let there: BTreeSet<_> = routes()
            .into_iter()
            .map(|route| {
                let secured = route.access == Access::Operator;
                (route.path.to_owned(), route.method.to_string(), secured)
            })
            .collect();
        assert_eq!(there, described());
    }

    #[test]
    fn the_description_names_how_the_token_is_sent() {
        let text = Description::openapi().to_json().unwrap();
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let token = &document["components"]["securitySchemes"]["token"];
        assert_eq!(
            (token["type"].as_str(), token["scheme"].as_str()),
            (Some("http"), Some("bearer"))
        );
    }
}
