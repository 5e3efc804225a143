//! The parameters of an address.
use axum::extract::RawQuery;

/// Parameters in order. What a page does not know is left out: addresses are typed and shared by people.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub fn read(query: RawQuery) -> Self {
        Self(form_urlencoded::parse(query.0.unwrap_or_default().as_bytes()).into_owned().collect())
    }
    /// The value of a parameter that is there and not empty.
    pub fn filled(&self, name: &str) -> Option<&str> {
        let filled = self.0.iter().find(|(key, value)| key == name && !value.trim().is_empty());
        filled.map(|(_, value)| value.trim())
    }
    /// Every value of a parameter that is not empty.
    pub fn all<'q>(&'q self, name: &'q str) -> impl Iterator<Item = &'q str> {
        self.0.iter().filter(move |(key, value)| key == name && !value.trim().is_empty()).map(|(_, value)| value.trim())
    }
    /// The same address with another value of a parameter, and without those that are empty.
    pub fn with(&self, name: &str, value: &str) -> String {
        let mut text = form_urlencoded::Serializer::new(String::new());
        for (key, value) in self.0.iter().filter(|(key, value)| key != name && !value.trim().is_empty()) {
            text.append_pair(key, value);
        }
        if !value.is_empty() {
            text.append_pair(name, value);
        }
        text.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_what_is_filled() {
        let query = Query::read(RawQuery(Some("text=a+b&state=&page=x".to_owned())));
        assert_eq!((query.filled("text"), query.filled("state")), (Some("a b"), None));
        assert_eq!(query.with("page", "y"), "text=a+b&page=y");
        assert_eq!(query.with("page", ""), "text=a+b");
    }
}
