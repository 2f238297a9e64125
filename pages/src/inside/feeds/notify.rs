//! Who is sent the new entries of a feed.

use maud::{Markup, html};
use pergola_api::Instant;
use pergola_api::notification::{NotificationStatus, Often};
use pergola_feed::Timestamp;

use crate::words::time;

/// What was typed into the forms and could not be taken.
#[derive(Debug, Clone, Copy, Default)]
pub struct Typed<'a> {
    pub webhook: &'a str,
    pub mail: &'a str,
    pub every: Often,
}

/// The section of a feed's page: who is notified, and forms to change that.
pub(super) fn section(
    notified: &[NotificationStatus],
    secret: Option<&str>,
    typed: Typed<'_>,
) -> Markup {
    html! {
        section.card aria-labelledby="its-notifications" {
            h2 #its-notifications { "Notifications" }
            p.soft {
                "New entries are posted to webhooks as they come, signed, and sent to people in digests. What fails is \
                 tried again for three days, then paused."
            }
            @if let Some(secret) = secret {
                p.note role="status" {
                    "The webhook was added. Its entries are signed with this secret, which is not shown again: "
                    code.address { (secret) }
                }
            }
            @if !notified.is_empty() {
                div.wide {
                    table {
                        thead {
                            tr {
                                th scope="col" { "To" }
                                th.number scope="col" { "Waiting" }
                                th scope="col" { "Last delivery" }
                                th scope="col" { "Next try" }
                                th scope="col" { "State" }
                                th scope="col" { "Change" }
                            }
                        }
                        tbody { @for one in notified { (row(one)) } }
                    }
                }
            }
            form.line method="post" action="manage" {
                label for="webhook" { "Webhook" }
                input #webhook name="webhook" type="url" required value=(typed.webhook)
                    placeholder="https://example.org/hook";
                button name="do" value="webhook" { "Add a webhook" }
            }
            form.line method="post" action="manage" {
                label for="mail" { "E-mail" }
                input #mail name="mail" type="email" required value=(typed.mail) placeholder="ada@example.org"
                   ;
                label for="every" { "every" }
                select #every name="every" {
                    @for often in [Often::Hour, Often::Day, Often::Week] {
                        option value=(often.name()) selected[often == typed.every] { (often.name()) }
                    }
                }
                button name="do" value="mail" { "Add a digest" }
            }
        }
    }
}

fn row(one: &NotificationStatus) -> Markup {
    let to = one.webhook.as_ref().or(one.mail.as_ref()).map_or("", String::as_str);
    html! {
        tr {
            th scope="row" {
                (to)
                @if let Some(every) = one.every { ", every " (every.name()) }
            }
            td.number { (one.waiting) }
            td { (instant(one.delivered_at)) }
            td { (instant(one.next_at)) }
            td {
                @match (&one.error, one.paused) {
                    (Some(error), true) => { strong { "paused: " } (error) }
                    (Some(error), false) => { "failing: " (error) }
                    (None, _) => "fine",
                }
            }
            td {
                form.line method="post" action="manage" {
                    input type="hidden" name="notification" value=(one.id);
                    button name="do" value="test" { "Test" }
                    @if one.error.is_some() { button name="do" value="resume" { "Try now" } }
                    button.danger name="do" value="unnotify" { "Remove" }
                }
            }
        }
    }
}

fn instant(at: Option<Instant>) -> Markup {
    html! {
        @match at {
            Some(at) => (time(Timestamp::from_unix(at.unix() as i64))),
            None => "–",
        }
    }
}
