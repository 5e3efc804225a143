//! What requests bring beside their path: query parameters and bodies.
use crate::error::{Problem, Violation};
use agon_proto::pb::debate::v1 as debate_v1;
use agon_proto::pb::v1 as pb;
use axum::extract::RawQuery;
use prost_types::Timestamp;
use std::collections::BTreeMap;

/// The query parameters, each used once, unless it may stand several times.
pub(crate) struct QueryParams {
    pairs: Vec<(String, String)>,
    wrong: Vec<Violation>,
}

impl QueryParams {
    /// Splits the query.
    pub fn read(query: RawQuery) -> Self {
        let text = query.0.unwrap_or_default();
        let pairs = form_urlencoded::parse(text.as_bytes()).into_owned().collect::<Vec<_>>();
        Self { pairs, wrong: Vec::new() }
    }

    /// Every value of a parameter.
    pub fn all(&mut self, name: &str) -> Vec<String> {
        let (named, others) = std::mem::take(&mut self.pairs).into_iter().partition(|(key, _)| key == name);
        self.pairs = others;
        let named: Vec<(String, String)> = named;
        named.into_iter().map(|(_, value)| value).collect()
    }

    /// The value of a parameter.
    pub fn one(&mut self, name: &str) -> Option<String> {
        let mut values = self.all(name);
        if values.len() > 1 {
            self.wrong.push(Violation::of(name, "this parameter may appear only once"));
        }
        values.pop()
    }

    /// The value of a parameter, read.
    pub fn parsed<T>(&mut self, name: &str, allowed: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = self.one(name)?;
        let read = read(&value);
        if read.is_none() {
            self.refuse(name, &value, allowed);
        }
        read
    }

    /// Every value of a parameter, read.
    pub fn parsed_all<T>(&mut self, name: &str, allowed: &str, read: impl Fn(&str) -> Option<T>) -> Vec<T> {
        let mut all = Vec::new();
        for value in self.all(name) {
            match read(&value) {
                Some(read) => all.push(read),
                None => self.refuse(name, &value, allowed),
            }
        }
        all
    }

    fn refuse(&mut self, name: &str, value: &str, allowed: &str) {
        let text = format!("{:?} is not {allowed}", crate::error::cut(value));
        self.wrong.push(Violation::of(name, text));
    }

    /// A number.
    pub fn number<T: std::str::FromStr>(&mut self, name: &str) -> Option<T> {
        self.parsed(name, "a number in range", |text| text.parse().ok())
    }

    /// A switch.
    pub fn flag(&mut self, name: &str) -> bool {
        let flag = self.parsed(name, "true or false", |text| match text {
            "true" | "1" | "" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        });
        flag.unwrap_or(false)
    }

    /// Labels, each `label=key=value`.
    pub fn labels(&mut self) -> BTreeMap<String, String> {
        let pair = |text: &str| {
            let (key, value) = text.split_once('=')?;
            Some((key.to_owned(), value.to_owned()))
        };
        self.parsed_all("label", "KEY=VALUE", pair).into_iter().collect()
    }

    /// Refuses what was not asked for and what could not be read.
    pub fn end(mut self) -> Result<(), Problem> {
        let unknown = self.pairs.iter().map(|(name, _)| Violation::of(name.clone(), "there is no such parameter here"));
        self.wrong.extend(unknown);
        if self.wrong.is_empty() { Ok(()) } else { Err(Problem::Invalid(self.wrong)) }
    }
}

/// A priority by its name.
pub(crate) fn priority(text: &str) -> Option<i32> {
    debate_v1::Priority::from_str_name(&format!("PRIORITY_{}", text.to_uppercase())).map(Into::into)
}

/// A state by its name, `running` as well as `STATE_RUNNING`.
pub(crate) fn state(text: &str) -> Option<i32> {
    pb::debate::State::from_str_name(&prefixed("STATE_", text)).map(Into::into)
}

/// An outcome by its name.
pub(crate) fn outcome(text: &str) -> Option<i32> {
    debate_v1::Outcome::from_str_name(&prefixed("OUTCOME_", text)).map(Into::into)
}

/// An outcome of an eval's cell by its name.
pub(crate) fn cell_outcome(text: &str) -> Option<i32> {
    pb::eval_cell::Outcome::from_str_name(&prefixed("OUTCOME_", text)).map(Into::into)
}

/// A view by its name.
pub(crate) fn view(text: &str) -> Option<i32> {
    pb::DebateView::from_str_name(&prefixed("DEBATE_VIEW_", text)).map(Into::into)
}

/// A moment in RFC 3339.
pub(crate) fn moment(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

fn prefixed(prefix: &str, text: &str) -> String {
    let text = text.to_uppercase();
    if text.starts_with(prefix) { text } else { format!("{prefix}{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_decoded() {
        let mut query =
            QueryParams::read(RawQuery(Some("text=two+words%21&label=a=b&label=c=%26&flag&bad=%zz".into())));
        assert_eq!(query.one("text").as_deref(), Some("two words!"));
        assert_eq!(query.labels(), BTreeMap::from([("a".into(), "b".into()), ("c".into(), "&".into())]));
        assert!(query.flag("flag"));
        assert_eq!(query.one("bad").as_deref(), Some("%zz"));
        assert!(query.end().is_ok());
    }

    #[test]
    fn what_is_unknown_doubled_or_unreadable_is_told_at_once() {
        let mut query = QueryParams::read(RawQuery(Some("page_size=x&view=BASIC&view=FULL&odd=1".into())));
        assert_eq!(query.number::<i32>("page_size"), None);
        query.one("view");
        let Err(Problem::Invalid(wrong)) = query.end() else { panic!("refused") };
        let fields: Vec<&str> = wrong.iter().map(|violation| violation.field.as_str()).collect();
        assert_eq!(fields, ["page_size", "view", "odd"]);
    }
}
