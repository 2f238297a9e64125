//! Settings: the budget and what it brings, and single keys.

use pergola_config::BudgetRule;
use serde_json::Value;

use crate::origin::{Origin, Reply};
use crate::place::Place;

/// A node with a small budget that has read a source.
async fn with_source() -> (Place, Origin) {
    let item = "<item><title>One</title><guid>urn:1</guid></item>";
    let document = format!("<rss version=\"2.0\"><channel><title>S</title>{item}</channel></rss>");
    let origin = Origin::builder().page("/rss", Reply::ok(document)).start().await;
    let place = Place::with(|config| {
        config.budget.rule = BudgetRule::Refreshes { per_minute: 0.01 };
    })
    .await;
    let query = format!("CREATE FEED All AS RETURN \"{}\";", origin.url("/rss"));
    let (status, _, page) = place.send("/feeds/new", &[("query", &query), ("do", "save")]).await;
    assert_eq!(status, 303, "{page}");
    (place, origin)
}

async fn json(place: &Place, path: &str) -> Value {
    let answer = place.client.get(place.url(path)).send().await.unwrap();
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn more_budget_is_predicted_to_be_no_worse_and_the_saved_one_is_in_force() {
    let (place, _origin) = with_source().await;
    let path = "/api/v1/budget/prediction?refreshes_per_minute=0.04,0.0001,0.001,0.01";
    let told = json(&place, path).await;
    assert_eq!((&told["in_force"], &told["polled"]), (&0.01.into(), &1.into()), "{told}");
    let budgets = told["budgets"].as_array().unwrap();
    let all = |field: &str| -> Vec<f64> {
        budgets.iter().map(|budget| budget[field].as_f64().unwrap()).collect()
    };
    assert_eq!(all("refreshes_per_minute"), [0.0001, 0.001, 0.01, 0.04]);
    for share in ["freshness", "completeness"] {
        // Up to rounding.
        assert!(all(share).is_sorted_by(|a, b| a - 1e-9 <= *b), "{told}");
    }
    assert!(all("freshness")[0] < all("freshness")[3], "{told}");
    assert!(all("delay").is_sorted_by(|a, b| a >= b), "{told}");
    assert!(all("delay")[0] > all("delay")[3], "{told}");

    let (status, page) = place.page("/settings?refreshes_per_minute=0.03").await;
    assert_eq!(status, 200, "{page}");
    assert!(page.contains("value=\"0.03\"") && page.contains("0.01 (now)"), "{page}");
    assert!(page.contains("<tr aria-current=\"true\"><th class=\"number\" scope=\"row\">0.03"));
    let fragment = place.page("/settings/prediction?refreshes_per_minute=0.03").await.1;
    assert!(fragment.contains("<table>") && !fragment.contains("<html"), "{fragment}");

    let saved = [("refreshes_per_minute", "0.5"), ("do", "budget")];
    let (status, leads, page) = place.send("/settings", &saved).await;
    assert_eq!((status, leads.as_deref()), (303, Some("settings?note=budget")), "{page}");
    assert_eq!(json(&place, "/api/v1/status").await["budget_per_minute"], 0.5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_that_is_none_is_told_in_the_form_and_changes_nothing() {
    let (place, _origin) = with_source().await;
    for wrong in ["many", "0", "-1", "1e9", "<b>"] {
        let fields = [("refreshes_per_minute", wrong), ("do", "budget")];
        let (status, _, page) = place.send("/settings", &fields).await;
        assert_eq!(status, 400, "{wrong}");
        let kept = format!("value=\"{}\"", wrong.replace('<', "&lt;").replace('>', "&gt;"));
        assert!(page.contains("role=\"alert\"") && page.contains(&kept), "{page}");
        assert!(!page.contains("<b>"));
    }
    assert_eq!(json(&place, "/api/v1/status").await["budget_per_minute"], 0.01);
    let (status, _) = place.page("/settings?refreshes_per_minute=many").await;
    assert_eq!(status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_key_is_there_with_its_value_and_where_it_was_set_and_can_be_found() {
    let place = Place::start().await;
    let keys = json(&place, "/api/v1/config/keys").await;
    let keys = keys["keys"].as_array().unwrap();
    let (_, page) = place.page("/settings").await;
    for key in keys {
        let name = key["key"].as_str().unwrap();
        assert!(page.contains(&format!("<code>{name}</code>")), "{name}");
    }
    assert!(page.contains(&format!("{0} of {0} keys", keys.len())), "{page}");
    assert!(page.contains("href=\"api/v1/backup\""));
    let (_, found) = place.page("/settings?find=floor_known").await;
    assert!(found.contains("crawl.floor_known") && !found.contains("<code>crawl.spacing</code>"));
}

#[tokio::test(flavor = "multi_thread")]
async fn retention_and_equity_are_saved_and_a_mistake_is_told_beside_them() {
    let place = Place::with_file().await;
    let keep = async |value: &str| {
        let fields = [("key", "store.keep"), ("value", value), ("do", "set")];
        place.send("/settings", &fields).await
    };
    let (status, leads, page) = keep("30 days").await;
    assert_eq!((status, leads.as_deref()), (303, Some("settings?note=set")), "{page}");
    let (_, page) = place.page("/settings").await;
    assert!(page.contains("value=\"30 days\"") && page.contains("stored in "), "{page}");
    assert_eq!(place.node.config().store.keep.as_secs(), 30 * 86_400);
    let (status, _, page) = keep("for <ever>").await;
    assert_eq!(status, 422, "{page}");
    assert!(
        page.contains("value=\"for &lt;ever&gt;\"") && page.contains("role=\"alert\""),
        "{page}"
    );

    let equity = [("key", "schedule.equity"), ("value", "0.9"), ("do", "set")];
    assert_eq!(place.send("/settings", &equity).await.0, 303);
    assert_eq!(place.node.config().schedule.equity, 0.9);
    let forget = [("key", "schedule.equity"), ("do", "unset")];
    assert_eq!(place.send("/settings", &forget).await.0, 303);
    assert_eq!(place.node.config().schedule.equity, 0.5);
}
