//! How the node introduces itself, and for how many readers it asks.

use std::sync::Arc;

use http::HeaderValue;

use crate::locks::Mutex;

/// The user agent. Cheap to clone.
#[derive(Clone)]
pub(super) struct Agent {
    /// All but the number of subscribers and the closing bracket.
    product: Arc<str>,
    /// What was sent last, and for how many subscribers: many sources have the same number.
    last: Arc<Mutex<Option<(u32, HeaderValue)>>>,
}

impl Agent {
    pub(super) fn new(product: &str) -> Self {
        Self { product: product.into(), last: Arc::default() }
    }

    /// Without a number of subscribers.
    pub(super) fn plain(&self) -> String {
        format!("{})", self.product)
    }

    /// With a number of subscribers; nothing if a header cannot say it.
    pub(super) fn of(&self, subscribers: u32) -> Option<HeaderValue> {
        let mut last = self.last.lock();
        if let Some((_, agent)) = last.as_ref().filter(|(number, _)| *number == subscribers) {
            return Some(agent.clone());
        }
        let agent = format!("{}; {subscribers} subscribers)", self.product);
        let agent = HeaderValue::try_from(agent).ok()?;
        *last = Some((subscribers, agent.clone()));
        Some(agent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_source_is_told_its_own_number_of_subscribers() {
        let agent = Agent::new("Pergola/1 (+https://node.example/");
        for subscribers in [7, 7, 1, 7, 0, 0] {
            let expected = format!("Pergola/1 (+https://node.example/; {subscribers} subscribers)");
            assert_eq!(agent.of(subscribers).unwrap(), expected);
            assert_eq!(agent.clone().of(subscribers).unwrap(), expected);
        }
        assert_eq!(agent.plain(), "Pergola/1 (+https://node.example/)");
        assert_eq!(Agent::new("two\nlines").of(1), None);
    }
}
