//! Answers in JSON. What apps expect to be a text is one, also where it is a number.

use serde::Serialize;

/// Who is logged in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserInfo {
    pub user_id: String,
    pub user_name: String,
    pub user_profile_id: String,
    pub user_email: String,
}

/// What the user follows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SubscriptionList {
    pub subscriptions: Vec<Subscription>,
}

/// Something that the user follows. Addresses that are not told are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    pub id: String,
    pub title: String,
    pub categories: Vec<Category>,
    /// Its place among the others: eight hexadecimal digits.
    pub sortid: String,
    /// Milliseconds.
    pub firstitemmsec: String,
    pub url: String,
    pub html_url: String,
    pub icon_url: String,
}

/// A folder that a subscription is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Category {
    pub id: String,
    pub label: String,
}

/// The states and labels of a user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TagList {
    pub tags: Vec<Tag>,
}

/// A state or a label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tag {
    pub id: String,
    pub sortid: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
}

/// How much is unread.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UnreadCounts {
    pub max: u32,
    pub unreadcounts: Vec<UnreadCount>,
}

/// How much is unread in a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnreadCount {
    pub id: String,
    pub count: u32,
    pub newest_item_timestamp_usec: String,
}

/// A page of a stream without contents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemIds {
    pub item_refs: Vec<ItemRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continuation: Option<String>,
}

/// An item of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemRef {
    /// The short form.
    pub id: String,
    pub direct_stream_ids: Vec<String>,
    pub timestamp_usec: String,
}

/// A page of a stream with contents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Contents {
    pub direction: &'static str,
    pub id: String,
    pub title: String,
    /// Seconds.
    pub updated: i64,
    pub items: Vec<Article>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continuation: Option<String>,
}

/// An item with its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Article {
    /// The long form.
    pub id: String,
    pub crawl_time_msec: String,
    pub timestamp_usec: String,
    /// Seconds.
    pub published: i64,
    /// Seconds.
    pub updated: i64,
    pub title: String,
    pub canonical: Vec<Href>,
    pub alternate: Vec<Link>,
    pub categories: Vec<String>,
    pub origin: Origin,
    pub summary: Content,
    pub author: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub enclosure: Vec<Enclosure>,
}

/// An address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Href {
    pub href: String,
}

/// An address and what is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    pub href: String,
    #[serde(rename = "type")]
    pub media_type: &'static str,
}

/// The feed that an item is in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    pub stream_id: String,
    pub title: String,
    pub html_url: String,
}

/// HTML.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Content {
    pub direction: &'static str,
    pub content: String,
}

/// A file that belongs to an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Enclosure {
    pub href: String,
    #[serde(rename = "type")]
    pub media_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
}

/// What became of a feed that was to be added at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuickAdded {
    /// One if it was added, else zero.
    pub num_results: u32,
    pub query: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_name: Option<String>,
    /// Why it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Preferences: none are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Preferences {
    pub prefs: [(); 0],
}

/// Preferences of streams: none are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StreamPreferences {
    pub streamprefs: Empty,
}

/// An object without members.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Empty {}

/// Friends: there are none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Friends {
    pub friends: [(); 0],
}

/// A login, for apps that ask for it in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Login<'k> {
    #[serde(rename = "SID")]
    pub sid: &'k str,
    #[serde(rename = "LSID")]
    pub lsid: &'k str,
    #[serde(rename = "Auth")]
    pub auth: &'k str,
}

/// The direction of texts.
pub const DIRECTION: &str = "ltr";

/// A place among others, as apps expect it.
pub fn sort_id(place: usize) -> String {
    format!("{:08X}", place as u32)
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use super::*;

    #[test]
    fn the_last_page_has_no_continuation() {
        let empty = to_value(ItemIds::default()).unwrap();
        assert_eq!(empty, json!({"itemRefs": []}));
        let more = ItemIds { continuation: Some("7-1".into()), ..ItemIds::default() };
        assert_eq!(to_value(more).unwrap()["continuation"], "7-1");
        assert!(to_value(Contents::default()).unwrap().get("continuation").is_none());
    }

    #[test]
    fn empty_lists_and_objects_are_what_apps_expect() {
        assert_eq!(to_value(Preferences::default()).unwrap(), json!({"prefs": []}));
        assert_eq!(to_value(StreamPreferences::default()).unwrap(), json!({"streamprefs": {}}));
        assert_eq!(to_value(Friends::default()).unwrap(), json!({"friends": []}));
    }

    #[test]
    fn the_names_of_members_are_those_of_the_api() {
        let subscription = to_value(Subscription::default()).unwrap();
        let mut names: Vec<_> = subscription.as_object().unwrap().keys().cloned().collect();
        names.sort();
        let wanted =
            ["categories", "firstitemmsec", "htmlUrl", "iconUrl", "id", "sortid", "title", "url"];
        assert_eq!(names, wanted);
        let count =
            UnreadCount { id: "feed/1".into(), count: 3, newest_item_timestamp_usec: "5".into() };
        assert_eq!(
            to_value(count).unwrap(),
            json!({"id": "feed/1", "count": 3, "newestItemTimestampUsec": "5"})
        );
        let tag = Tag { id: "user/-/label/A".into(), sortid: sort_id(10), kind: Some("folder") };
        assert_eq!(
            to_value(tag).unwrap(),
            json!({"id": "user/-/label/A", "sortid": "0000000A", "type": "folder"})
        );
    }
}
