//! The description of the API, served.

use std::sync::OnceLock;

use axum::body::Bytes;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;

pub(super) async fn document() -> Response {
    static TEXT: OnceLock<Bytes> = OnceLock::new();
    let text = TEXT.get_or_init(|| {
        pergola_api::openapi::document()
            .to_json()
            .expect("a description is strings and numbers")
            .into()
    });
    ([(CONTENT_TYPE, "application/json")], text.clone()).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::access::Access;
    use super::super::routes;

    fn document() -> serde_json::Value {
        serde_json::to_value(pergola_api::openapi::document()).unwrap()
    }

    fn described() -> BTreeSet<(String, String, bool)> {
        let mut all = BTreeSet::new();
        for (path, methods) in document()["paths"].as_object().unwrap() {
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
        let token = &document()["components"]["securitySchemes"]["token"];
        assert_eq!(
            (token["type"].as_str(), token["scheme"].as_str()),
            (Some("http"), Some("bearer"))
        );
    }
}
