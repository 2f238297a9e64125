//! Who is sent the new entries of a feed.

use pergola_api::ClientError;
use pergola_api::notification::{AddNotification, Mail, Often, Webhook};
use pergola_pages::inside::feeds::Typed;

use crate::form::Fields;
use crate::site::Site;

/// What came of a change.
pub(super) enum Done {
    /// The page says so after it is shown again.
    Led(&'static str),
    /// A webhook was added; its secret is shown once.
    Secret(String),
}

/// Does what a button of the section says.
pub(super) async fn change(
    site: &Site,
    feed: &str,
    button: &str,
    fields: &Fields,
) -> Result<Done, ClientError> {
    let (client, id) = (&site.client, fields.get("notification"));
    match button {
        "webhook" => {
            let url = fields.get("webhook").to_owned();
            let new = AddNotification::Webhook(Webhook { url, secret: None });
            let added = client.add_notification(feed, &new).await?;
            Ok(added.secret.map_or(Done::Led("notified"), Done::Secret))
        }
        "mail" => {
            let address = fields.get("mail").to_owned();
            let new = AddNotification::Mail(Mail { address, every: often(fields.get("every")) });
            client.add_notification(feed, &new).await.map(|_| Done::Led("notified"))
        }
        "test" => client.test_notification(feed, id).await.map(|_| Done::Led("tested")),
        "resume" => client.resume_notification(feed, id).await.map(|_| Done::Led("resumed")),
        _ => client.remove_notification(feed, id).await.map(|()| Done::Led("unnotified")),
    }
}

/// What was typed, to be shown again if it was not taken.
pub(super) fn typed(fields: &Fields) -> Typed<'_> {
    Typed {
        webhook: fields.get("webhook"),
        mail: fields.get("mail"),
        every: often(fields.get("every")),
    }
}

fn often(name: &str) -> Often {
    let all = [Often::Hour, Often::Day, Often::Week];
    all.into_iter().find(|often| often.name() == name).unwrap_or_default()
}
