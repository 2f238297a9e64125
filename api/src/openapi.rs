//! The OpenAPI description of all routes.

use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};

/// The description.
pub fn document() -> Document {
    Description::openapi()
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Pergola",
        description = "The REST API of a Pergola node. Errors are problem details (RFC 9457) with a code.",
    ),
    paths(
        routes::status,
        routes::list_sources,
        routes::add_source,
        routes::folders,
        routes::look,
        routes::show_source,
        routes::change_source,
        routes::remove_source,
        routes::restore_source,
        routes::refresh_source,
        routes::removed,
        routes::list_feeds,
        routes::run_statements,
        routes::show_feed,
        routes::drop_feed,
        routes::restore_feed,
        routes::readers,
        routes::set_readers,
        routes::notifications,
        routes::add_notification,
        routes::remove_notification,
        routes::resume_notification,
        routes::test_notification,
        routes::explain_feed,
        routes::explain_query,
        routes::suggestions,
        routes::items,
        routes::profiles,
        routes::search,
        routes::export_opml,
        routes::import_opml,
        routes::config,
        routes::keys,
        routes::names,
        routes::neighbours,
        routes::set_key,
        routes::unset_key,
        routes::reload,
        routes::set_budget,
        routes::predict_budgets,
        routes::history,
        routes::list_users,
        routes::add_user,
        routes::show_user,
        routes::change_user,
        routes::remove_user,
        routes::export_user,
        routes::import_user,
        routes::backup,
        routes::alive,
        routes::ready,
        routes::metrics,
        routes::description,
    ),
    modifiers(&Token)
)]
struct Description;

/// Adds the token to the description.
struct Token;

impl Modify for Token {
    fn modify(&self, document: &mut Document) {
        let mut token = Http::new(HttpAuthScheme::Bearer);
        let said = "api.token of the node's configuration. By the socket in the node's data folder none is needed.";
        token.description = Some(said.to_owned());
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(token));
    }
}

/// One function for each route, to carry its description. Nobody calls them.
#[expect(dead_code, reason = "utoipa reads the attributes; the functions are never called")]
mod routes {
    use crate::feed::{
        AppliedList, ExplainRequest, Explained, FeedDetail, FeedList, FeedReaders, FeedStatus,
        QueryRequest,
    };
    use crate::item::{ItemPage, ItemRange};
    use crate::mesh::{MeshFile, ProfilesRequest};
    use crate::neighbours::Neighbours;
    use crate::next::RefreshRequest;
    use crate::notification::{AddNotification, NotificationList, NotificationStatus};
    use crate::operation::{
        BudgetPrediction, BudgetRequest, ExportRequest, History, HistoryRange, ImportRequest,
        Imported, KeyList, KeySetting, Names, NodeStatus, PredictionRequest, Readiness, Reloaded,
        SetKeyRequest,
    };
    use crate::problem::Problem;
    use crate::search::{SearchRequest, SearchResults, SuggestRequest};
    use crate::source::{
        AddSourceRequest, AddedSource, ChangeSourceRequest, FolderList, LookRequest, Looked,
        Refreshed, RemovedList, SourceDetail, SourceFilter, SourcePage, SourceStatus,
    };
    use crate::user::{
        AddUserRequest, ChangeUserRequest, TakenOver, UserDetail, UserList, UserStatus,
    };

    /// The state of the node.
    #[utoipa::path(get, path = "/api/v1/status", responses((status = 200, body = NodeStatus)))]
    fn status() {}

    /// The sources, filtered, sorted and in pages.
    #[utoipa::path(get, path = "/api/v1/sources", params(SourceFilter), security(("token" = [])),
        responses((status = 200, body = SourcePage), (status = 400, body = Problem)))]
    fn list_sources() {}

    /// Adds a source.
    #[utoipa::path(post, path = "/api/v1/sources", request_body = AddSourceRequest,
        security(("token" = [])),
        responses((status = 201, body = AddedSource), (status = 200, body = AddedSource),
            (status = 400, body = Problem), (status = 422, body = Problem)))]
    fn add_source() {}

    /// The folders that sources are in.
    #[utoipa::path(get, path = "/api/v1/folders", security(("token" = [])),
        responses((status = 200, body = FolderList)))]
    fn folders() {}

    /// Looks at an address without adding it: what is there, which feeds it leads to, what selectors find.
    #[utoipa::path(post, path = "/api/v1/look", request_body = LookRequest, security(("token" = [])),
        responses((status = 200, body = Looked), (status = 400, body = Problem),
            (status = 422, body = Problem), (status = 429, body = Problem)))]
    fn look() {}

    /// Everything about one source.
    #[utoipa::path(get, path = "/api/v1/sources/{id}", security(("token" = [])),
        params(("id" = String, Path, description = "its number, or its URL percent-encoded")),
        responses((status = 200, body = SourceDetail), (status = 404, body = Problem)))]
    fn show_source() {}

    /// Changes a source: its title, importance and folders, whether it is paused, what it is shown to let the node in, and whether its
    /// address is published.
    #[utoipa::path(patch, path = "/api/v1/sources/{id}", security(("token" = [])),
        params(("id" = String, Path, description = "its number, or its URL percent-encoded")),
        request_body = ChangeSourceRequest,
        responses((status = 200, body = SourceStatus), (status = 400, body = Problem),
            (status = 404, body = Problem)))]
    fn change_source() {}

    /// The sources and feeds that were removed within the last week.
    #[utoipa::path(get, path = "/api/v1/removed", security(("token" = [])),
        responses((status = 200, body = RemovedList)))]
    fn removed() {}

    /// Crawls a source again that was removed within the last week.
    #[utoipa::path(post, path = "/api/v1/sources/{id}/restore", security(("token" = [])),
        params(("id" = String, Path, description = "its number, or its URL percent-encoded")),
        responses((status = 200, body = SourceStatus), (status = 404, body = Problem),
            (status = 409, body = Problem)))]
    fn restore_source() {}

    /// Publishes a feed again that was dropped within the last week, with its items.
    #[utoipa::path(post, path = "/api/v1/feeds/{name}/restore", params(("name" = String, Path)),
        security(("token" = [])),
        responses((status = 200, body = FeedStatus), (status = 404, body = Problem),
            (status = 409, body = Problem)))]
    fn restore_feed() {}

    /// Removes a source that no feed reads. It can be restored for a week.
    #[utoipa::path(delete, path = "/api/v1/sources/{id}", security(("token" = [])),
        params(("id" = String, Path, description = "its number, or its URL percent-encoded")),
        responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
    fn remove_source() {}

    /// Refreshes a source now, if it may be asked. If not, the problem says why not, until when, and which key
    /// of the configuration changes that.
    #[utoipa::path(post, path = "/api/v1/sources/{id}/refresh", security(("token" = [])),
        params(("id" = String, Path, description = "its number, or its URL percent-encoded"),
            RefreshRequest),
        responses((status = 200, body = Refreshed), (status = 404, body = Problem),
            (status = 429, body = Problem)))]
    fn refresh_source() {}

    /// All feeds that the caller may read.
    #[utoipa::path(get, path = "/api/v1/feeds", responses((status = 200, body = FeedList)))]
    fn list_feeds() {}

    /// Runs statements. All are checked, and the addresses that are new in them tried, before the first one
    /// changes anything.
    #[utoipa::path(post, path = "/api/v1/feeds", request_body = QueryRequest,
        security(("token" = [])),
        responses((status = 200, body = AppliedList), (status = 400, body = Problem),
            (status = 409, body = Problem), (status = 422, body = Problem)))]
    fn run_statements() {}

    /// Everything about one feed.
    #[utoipa::path(get, path = "/api/v1/feeds/{name}", params(("name" = String, Path)),
        responses((status = 200, body = FeedDetail), (status = 404, body = Problem)))]
    fn show_feed() {}

    /// Drops a feed that no other feed reads. It can be restored for a week.
    #[utoipa::path(delete, path = "/api/v1/feeds/{name}", params(("name" = String, Path)),
        security(("token" = [])),
        responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
    fn drop_feed() {}

    /// Who may read a feed.
    #[utoipa::path(get, path = "/api/v1/feeds/{name}/readers", params(("name" = String, Path)),
        security(("token" = [])),
        responses((status = 200, body = FeedReaders), (status = 404, body = Problem)))]
    fn readers() {}

    /// Restricts a feed to these readers, or opens it to anybody.
    #[utoipa::path(put, path = "/api/v1/feeds/{name}/readers", params(("name" = String, Path)),
        request_body = FeedReaders, security(("token" = [])),
        responses((status = 200, body = FeedReaders), (status = 400, body = Problem),
            (status = 404, body = Problem), (status = 409, body = Problem)))]
    fn set_readers() {}

    /// Who is sent the new entries of a feed.
    #[utoipa::path(get, path = "/api/v1/feeds/{name}/notifications", params(("name" = String, Path)),
        security(("token" = [])),
        responses((status = 200, body = NotificationList), (status = 404, body = Problem)))]
    fn notifications() {}

    /// Sends new entries of a feed to an address or a person from now on.
    #[utoipa::path(post, path = "/api/v1/feeds/{name}/notifications", params(("name" = String, Path)),
        request_body = AddNotification, security(("token" = [])),
        responses((status = 201, body = NotificationStatus), (status = 400, body = Problem),
            (status = 404, body = Problem), (status = 409, body = Problem)))]
    fn add_notification() {}

    /// Sends no more.
    #[utoipa::path(delete, path = "/api/v1/feeds/{name}/notifications/{id}",
        params(("name" = String, Path), ("id" = String, Path)), security(("token" = [])),
        responses((status = 204), (status = 404, body = Problem)))]
    fn remove_notification() {}

    /// Tries again now, also what was paused.
    #[utoipa::path(post, path = "/api/v1/feeds/{name}/notifications/{id}/resume",
        params(("name" = String, Path), ("id" = String, Path)), security(("token" = [])),
        responses((status = 200, body = NotificationStatus), (status = 404, body = Problem)))]
    fn resume_notification() {}

    /// Sends a message that says that it is only a test.
    #[utoipa::path(post, path = "/api/v1/feeds/{name}/notifications/{id}/test",
        params(("name" = String, Path), ("id" = String, Path)), security(("token" = [])),
        responses((status = 200, body = NotificationStatus), (status = 404, body = Problem),
            (status = 422, body = Problem)))]
    fn test_notification() {}

    /// What a feed reads, keeps and costs, and what it finds among the stored items.
    #[utoipa::path(get, path = "/api/v1/feeds/{name}/explain", params(("name" = String, Path)),
        security(("token" = [])),
        responses((status = 200, body = Explained), (status = 404, body = Problem)))]
    fn explain_feed() {}

    /// What a feed would read, keep and cost, and what it would find among the stored items.
    #[utoipa::path(post, path = "/api/v1/explain", request_body = ExplainRequest,
        security(("token" = [])),
        responses((status = 200, body = Explained), (status = 400, body = Problem),
            (status = 409, body = Problem)))]
    fn explain_query() {}

    /// Sources about the same subject that the feed does not read.
    #[utoipa::path(get, path = "/api/v1/feeds/{name}/suggestions",
        params(("name" = String, Path), SuggestRequest), security(("token" = [])),
        responses((status = 200, body = SearchResults), (status = 404, body = Problem)))]
    fn suggestions() {}

    /// The items of a feed after a number, or the newest.
    #[utoipa::path(get, path = "/api/v1/feeds/{name}/items",
        params(("name" = String, Path), ItemRange),
        responses((status = 200, body = ItemPage), (status = 400, body = Problem),
            (status = 404, body = Problem)))]
    fn items() {}

    /// What all sources and feeds are about, in the file format of topology-gen.
    #[utoipa::path(get, path = "/api/v1/profiles", params(ProfilesRequest), security(("token" = [])),
        responses((status = 200, body = MeshFile)))]
    fn profiles() {}

    /// Finds sources and feeds by what they are about. Callers other than the operator find the feeds that
    /// they may read.
    #[utoipa::path(get, path = "/api/v1/search", params(SearchRequest),
        responses((status = 200, body = SearchResults), (status = 400, body = Problem)))]
    fn search() {}

    /// The sources as OPML, in their folders. Lists are left out, but not what they name.
    #[utoipa::path(get, path = "/api/v1/opml", params(ExportRequest), security(("token" = [])),
        responses((status = 200, body = String, content_type = "text/x-opml")))]
    fn export_opml() {}

    /// Adds every source on a list. Entries that are no sources are told of; a list that is cut off adds nothing.
    #[utoipa::path(post, path = "/api/v1/opml", security(("token" = [])),
        request_body(content((ImportRequest = "application/json"), (String = "text/x-opml"))),
        responses((status = 200, body = Imported), (status = 400, body = Problem),
            (status = 409, body = Problem)))]
    fn import_opml() {}

    /// The configuration in force, as TOML, with secrets masked.
    #[utoipa::path(get, path = "/api/v1/config", security(("token" = [])),
        responses((status = 200, body = String, content_type = "text/plain")))]
    fn config() {}

    /// Every key of the configuration with its value and where it was set; secrets are masked.
    #[utoipa::path(get, path = "/api/v1/config/keys", security(("token" = [])),
        responses((status = 200, body = KeyList)))]
    fn keys() {}

    /// The names of folders and readers.
    #[utoipa::path(get, path = "/api/v1/names", security(("token" = [])),
        responses((status = 200, body = Names)))]
    fn names() {}

    /// The nodes that this one reads, and who reads it.
    #[utoipa::path(get, path = "/api/v1/neighbours", security(("token" = [])),
        responses((status = 200, body = Neighbours)))]
    fn neighbours() {}

    /// Sets a key that can change while the node runs, and stores it. It overrides the configuration file; an
    /// environment variable overrides it.
    #[utoipa::path(put, path = "/api/v1/config/{key}", request_body = SetKeyRequest,
        params(("key" = String, Path, description = "its full name, such as crawl.allow_private")),
        security(("token" = [])),
        responses((status = 200, body = KeySetting), (status = 404, body = Problem),
            (status = 409, body = Problem), (status = 422, body = Problem)))]
    fn set_key() {}

    /// Forgets what was stored for a key, so that the configuration file holds again.
    #[utoipa::path(delete, path = "/api/v1/config/{key}", security(("token" = [])),
        params(("key" = String, Path, description = "its full name, such as crawl.allow_private")),
        responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem),
            (status = 422, body = Problem)))]
    fn unset_key() {}

    /// Reads the configuration again and applies what can change without a restart.
    #[utoipa::path(post, path = "/api/v1/reload", security(("token" = [])),
        responses((status = 200, body = Reloaded), (status = 409, body = Problem),
            (status = 422, body = Problem)))]
    fn reload() {}

    /// Sets another budget, and stores it as the keys of `budget`.
    #[utoipa::path(post, path = "/api/v1/budget", request_body = BudgetRequest,
        security(("token" = [])),
        responses((status = 200, body = NodeStatus), (status = 400, body = Problem)))]
    fn set_budget() {}

    /// What budgets bring, as the node expects: how fresh, complete and late items would be.
    #[utoipa::path(get, path = "/api/v1/budget/prediction", params(PredictionRequest),
        security(("token" = [])),
        responses((status = 200, body = BudgetPrediction), (status = 400, body = Problem)))]
    fn predict_budgets() {}

    /// The node's figures, minute by minute.
    #[utoipa::path(get, path = "/api/v1/history", params(HistoryRange), security(("token" = [])),
        responses((status = 200, body = History), (status = 400, body = Problem)))]
    fn history() {}

    /// A consistent backup, taken while the node runs.
    #[utoipa::path(get, path = "/api/v1/backup", security(("token" = [])),
        responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream"),
            (status = 503, body = Problem)))]
    fn backup() {}

    /// The people who have an account.
    #[utoipa::path(get, path = "/api/v1/users", security(("token" = [])),
        responses((status = 200, body = UserList)))]
    fn list_users() {}

    /// Adds a user. From the first one on, people log in to see the pages of the node.
    #[utoipa::path(post, path = "/api/v1/users", request_body = AddUserRequest, security(("token" = [])),
        responses((status = 201, body = UserStatus), (status = 400, body = Problem),
            (status = 409, body = Problem)))]
    fn add_user() {}

    /// A user, and what belongs to it.
    #[utoipa::path(get, path = "/api/v1/users/{user}", security(("token" = [])),
        params(("user" = String, Path, description = "its name")),
        responses((status = 200, body = UserDetail), (status = 404, body = Problem)))]
    fn show_user() {}

    /// Changes the role or the password of a user. A new password ends all its sessions.
    #[utoipa::path(patch, path = "/api/v1/users/{user}", request_body = ChangeUserRequest,
        security(("token" = [])), params(("user" = String, Path, description = "its name")),
        responses((status = 200, body = UserStatus), (status = 400, body = Problem),
            (status = 404, body = Problem), (status = 409, body = Problem)))]
    fn change_user() {}

    /// Removes a user with everything that belongs to it. This cannot be undone.
    #[utoipa::path(delete, path = "/api/v1/users/{user}", security(("token" = [])),
        params(("user" = String, Path, description = "its name")),
        responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
    fn remove_user() {}

    /// Everything that a user owns, as a ZIP file: subscriptions in OPML, starred items in JSON Feed, what was read,
    /// settings. `import` takes it, at this node or another one.
    #[utoipa::path(get, path = "/api/v1/users/{user}/export", security(("token" = [])),
        params(("user" = String, Path, description = "its name; `operator` for the built-in user of a node without users")),
        responses((status = 200, body = Vec<u8>, content_type = "application/zip"), (status = 404, body = Problem)))]
    fn export_user() {}

    /// Takes over what a user has exported elsewhere: OPML, exports of FreshRSS, Miniflux and Pergola, JSON Feed. A file
    /// that is cut off changes nothing; entries that make no sense are left out and told.
    #[utoipa::path(post, path = "/api/v1/users/{user}/import", security(("token" = [])),
        request_body(content = Vec<u8>, content_type = "application/octet-stream"),
        params(("user" = String, Path, description = "its name; `operator` for the built-in user of a node without users")),
        responses((status = 200, body = TakenOver), (status = 400, body = Problem), (status = 404, body = Problem)))]
    fn import_user() {}

    /// Answers if the process is alive.
    #[utoipa::path(get, path = "/healthz", responses((status = 200, body = String)))]
    fn alive() {}

    /// Whether the store works and the crawler runs.
    #[utoipa::path(get, path = "/readyz",
        responses((status = 200, body = Readiness), (status = 503, body = Readiness)))]
    fn ready() {}

    /// Metrics for Prometheus.
    #[utoipa::path(get, path = "/metrics",
        responses((status = 200, body = String, content_type = "application/openmetrics-text")))]
    fn metrics() {}

    /// This description.
    #[utoipa::path(get, path = "/api/openapi.json", responses((status = 200, body = Object)))]
    fn description() {}
}
