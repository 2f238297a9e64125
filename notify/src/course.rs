//! When a delivery is due, and what follows from its result. Pure.

use pergola_manners::backoff::{backoff, lengthened};
use pergola_store::archive::{Every, Notification, Trouble, Way};

/// Entries in one delivery to a webhook.
pub(crate) const ENTRIES: u64 = 20;
/// Entries in one digest. It says how many older ones it leaves out.
pub(crate) const IN_DIGEST: u64 = 200;
/// Seconds before the second try. They double from try to try …
const FIRST_WAIT: f64 = 30.0;
/// … up to this.
const LONGEST_WAIT: f64 = 6.0 * 3600.0;
/// A notification that has failed for so long is paused.
const PATIENCE: f64 = 3.0 * 86_400.0;

/// Why a delivery failed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failed {
    pub(crate) why: String,
    /// Seconds that the other side asked us to wait.
    pub(crate) retry_after: Option<f64>,
    /// It will never take anything again.
    pub(crate) gone: bool,
}

impl Failed {
    pub(crate) fn because(why: impl Into<String>) -> Self {
        Self { why: why.into(), retry_after: None, gone: false }
    }
}

/// A notification of entries from number `next` on.
pub(crate) fn begun(id: String, way: Way, next: u64, now: f64) -> Notification {
    let due_at = now + wait_between(&way);
    Notification {
        id,
        way,
        since: now,
        next,
        until: next,
        due_at,
        delivered_at: None,
        trouble: None,
        paused: false,
    }
}

/// Seconds between two deliveries that succeed.
fn wait_between(way: &Way) -> f64 {
    match way {
        Way::Webhook { .. } => 0.0,
        Way::Mail { every: Every::Hour, .. } => 3600.0,
        Way::Mail { every: Every::Day, .. } => 86_400.0,
        Way::Mail { every: Every::Week, .. } => 7.0 * 86_400.0,
    }
}

/// When something is to be sent, of a feed whose next entry gets the number `come`; never, if nothing is.
pub(crate) fn due(notification: &Notification, come: u64) -> Option<f64> {
    let waits = notification.until > notification.next || come > notification.next;
    (waits && !notification.paused).then_some(notification.due_at)
}

/// Decides what the next delivery holds, unless one has begun that is to be sent again. Says whether it did.
pub(crate) fn bound(notification: &mut Notification, come: u64) -> bool {
    if notification.until > notification.next || come <= notification.next {
        return false;
    }
    notification.until = match notification.way {
        Way::Webhook { .. } => come.min(notification.next + ENTRIES),
        Way::Mail { .. } => come,
    };
    true
}

/// The name of the delivery that has begun: the same whenever it is sent.
pub(crate) fn delivery_id(notification: &Notification) -> String {
    let Notification { id, next, until, .. } = notification;
    format!("{id}-{}-{until}", next + 1)
}

/// The delivery up to `until` was taken.
pub(crate) fn delivered(notification: &mut Notification, until: u64, now: f64) {
    notification.next = until;
    notification.until = notification.until.max(until);
    notification.due_at = now + wait_between(&notification.way);
    notification.delivered_at = Some(now);
    notification.trouble = None;
    notification.paused = false;
}

/// The delivery was not taken; it is tried again later, or somebody has to look after it.
pub(crate) fn failed(notification: &mut Notification, failed: Failed, now: f64, chance: f64) {
    let Failed { why, retry_after, gone } = failed;
    let (since, tries) =
        notification.trouble.as_ref().map_or((now, 0), |trouble| (trouble.since, trouble.tries));
    let tries = tries.saturating_add(1);
    let wait = lengthened(backoff(FIRST_WAIT, 2.0, tries).min(LONGEST_WAIT), chance);
    notification.due_at = now + wait.max(retry_after.unwrap_or(0.0).clamp(0.0, LONGEST_WAIT));
    notification.paused = gone || now - since >= PATIENCE;
    notification.trouble = Some(Trouble { since, tries, last: why });
}

/// Somebody looked after it: it is tried now.
pub(crate) fn resumed(notification: &mut Notification, now: f64) {
    notification.paused = false;
    notification.trouble = None;
    notification.due_at = now;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn webhook() -> Notification {
        let way = Way::Webhook { url: "https://hook.example/".into(), secret: "sesame".into() };
        begun("ab".into(), way, 100, 1_000.0)
    }

    fn digest(every: Every) -> Notification {
        let way = Way::Mail { address: "ada@reader.example".into(), every };
        begun("cd".into(), way, 100, 1_000.0)
    }

    #[test]
    fn a_webhook_is_due_when_there_is_something_and_a_digest_when_its_time_has_come() {
        assert_eq!(due(&webhook(), 100), None);
        assert_eq!(due(&webhook(), 101), Some(1_000.0));
        assert_eq!(due(&digest(Every::Day), 100), None);
        assert_eq!(due(&digest(Every::Hour), 101), Some(4_600.0));
        assert_eq!(due(&digest(Every::Day), 101), Some(87_400.0));
        assert_eq!(due(&digest(Every::Week), 101), Some(605_800.0));
    }

    #[test]
    fn a_delivery_that_failed_keeps_its_bounds_and_its_id_although_more_has_come() {
        let mut hook = webhook();
        assert!(bound(&mut hook, 103));
        let id = delivery_id(&hook);
        failed(&mut hook, Failed::because("it answered 500"), 1_000.0, 0.0);
        assert!(!bound(&mut hook, 200));
        assert_eq!((hook.next, hook.until, delivery_id(&hook)), (100, 103, id));
        delivered(&mut hook, 103, 2_000.0);
        assert!(bound(&mut hook, 200));
        assert_eq!((hook.next, hook.until), (103, 103 + ENTRIES));
    }

    #[test]
    fn a_digest_holds_all_that_has_come() {
        let mut digest = digest(Every::Day);
        assert!(bound(&mut digest, 1_000));
        assert_eq!((digest.next, digest.until), (100, 1_000));
        delivered(&mut digest, 1_000, 90_000.0);
        assert_eq!((digest.next, digest.due_at), (1_000, 90_000.0 + 86_400.0));
    }

    #[test]
    fn waits_double_up_to_six_hours_and_the_other_side_may_ask_for_more() {
        let mut hook = webhook();
        bound(&mut hook, 101);
        let mut waits = Vec::new();
        for _ in 0..12 {
            failed(&mut hook, Failed::because("no"), 1_000.0, 0.0);
            waits.push(hook.due_at - 1_000.0);
        }
        assert_eq!(waits[..3], [30.0, 60.0, 120.0]);
        assert_eq!(waits[11], LONGEST_WAIT);
        let asked = Failed { retry_after: Some(600.0), ..Failed::because("not now") };
        let mut patient = webhook();
        failed(&mut patient, asked, 1_000.0, 1.0);
        assert_eq!(patient.due_at, 1_600.0);
        let absurd = Failed { retry_after: Some(1e12), ..Failed::because("never") };
        failed(&mut patient, absurd, 1_000.0, 0.0);
        assert_eq!(patient.due_at, 1_000.0 + LONGEST_WAIT);
    }

    #[test]
    fn what_fails_for_three_days_is_paused_until_somebody_resumes_it() {
        let mut hook = webhook();
        bound(&mut hook, 101);
        failed(&mut hook, Failed::because("no"), 1_000.0, 0.0);
        failed(&mut hook, Failed::because("no"), 1_000.0 + PATIENCE - 1.0, 0.0);
        assert!(!hook.paused);
        failed(&mut hook, Failed::because("no"), 1_000.0 + PATIENCE, 0.0);
        assert!(hook.paused);
        assert_eq!(due(&hook, 500), None);
        resumed(&mut hook, 400_000.0);
        assert_eq!(due(&hook, 500), Some(400_000.0));
        assert_eq!((hook.next, hook.until), (100, 101), "nothing is lost");
    }

    #[test]
    fn what_is_gone_is_paused_at_once() {
        let mut hook = webhook();
        failed(&mut hook, Failed { gone: true, ..Failed::because("gone") }, 1_000.0, 0.0);
        assert!(hook.paused);
    }
}
