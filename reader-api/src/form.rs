//! Parameters, from the address and from the body. Each may be given several times.

use url::form_urlencoded;

/// The parameters of a request, in order: first those of the address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form(Vec<(String, String)>);

impl Form {
    /// Reads the query of an address and a body. A body that is no form gives nothing sensible, and does no harm.
    pub fn parse(query: Option<&str>, body: &[u8]) -> Self {
        let query = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        let all = query.chain(form_urlencoded::parse(body));
        Self(all.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    /// The first value of a parameter that is not empty.
    pub fn first(&self, name: &str) -> Option<&str> {
        self.all(name).find(|value| !value.trim().is_empty())
    }

    /// All values of a parameter, in order.
    pub fn all<'f>(&'f self, name: &str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_the_address_and_of_the_body_are_read_together() {
        let form = Form::parse(Some("output=json&n=5&c="), b"i=1&i=tag%3Agoogle&t=a+b&c=x&%ff=1");
        assert_eq!(form.first("n"), Some("5"));
        assert_eq!(form.first("c"), Some("x"), "an empty one says nothing");
        assert_eq!(form.all("i").collect::<Vec<_>>(), ["1", "tag:google"]);
        assert_eq!((form.first("t"), form.first("none")), (Some("a b"), None));
        assert_eq!(Form::parse(None, b""), Form::default());
    }
}
