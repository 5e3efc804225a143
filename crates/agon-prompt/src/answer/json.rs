//! JSON objects in a model's text.
use super::{Malformed, slips, wrong};
use crate::schema::TOP;
use crate::text::{cut, one_line};
use agon_core::fence::without_quotations;
use agon_core::json::unique;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// How many opening braces that could begin an object are tried before the text counts as having no further one.
const MOST_TRIES: usize = 64;

/// An object whose members are asked for by name, and what was wrong with its syntax where it was read in spite of that.
pub(crate) struct Object(pub(crate) Map<String, Value>, pub(crate) Option<String>);

impl Object {
    /// A member that must be there.
    pub(crate) fn required(&self, field: &str) -> Result<&Value, Malformed> {
        self.0.get(field).ok_or_else(|| Malformed(format!("{field}: missing")))
    }
    /// A text with something in it, trimmed.
    pub(crate) fn text(&self, field: &str) -> Result<String, Malformed> {
        let value = self.required(field)?;
        let text = value.as_str().ok_or_else(|| wrong(field, value, "a text"))?.trim();
        if text.is_empty() {
            return Err(Malformed(format!("{field}: found an empty text, allowed a text")));
        }
        Ok(text.to_owned())
    }
    /// A text, or nothing when it is null, absent or blank.
    pub(crate) fn optional_text(&self, field: &str) -> Result<Option<String>, Malformed> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)),
            Some(other) => Err(wrong(field, other, "a text or null")),
        }
    }
    /// An array of a length between two bounds.
    pub(crate) fn array(&self, field: &str, least: usize, most: usize) -> Result<&[Value], Malformed> {
        let items = self.first(field, 0, usize::MAX)?;
        if (least..=most).contains(&items.len()) {
            return Ok(items);
        }
        Err(Malformed(format!("{field}: found {} items, allowed {least} to {most}", items.len())))
    }
    /// The first items of an array that may be too long.
    pub(crate) fn first(&self, field: &str, least: usize, most: usize) -> Result<&[Value], Malformed> {
        let value = self.required(field)?;
        let items = value.as_array().ok_or_else(|| wrong(field, value, "an array"))?;
        if items.len() < least {
            return Err(Malformed(format!("{field}: found {} items, allowed {least} or more", items.len())));
        }
        Ok(items.get(..most).unwrap_or(items))
    }
}

impl Object {
    /// An item of an array that must be an object.
    pub(crate) fn of(field: &str, item: &Value) -> Result<Self, Malformed> {
        item.as_object().cloned().map(|members| Self(members, None)).ok_or_else(|| wrong(field, item, "objects alone"))
    }
    /// True or false.
    pub(crate) fn truth(&self, field: &str) -> Result<bool, Malformed> {
        let value = self.required(field)?;
        value.as_bool().ok_or_else(|| wrong(field, value, "true or false"))
    }
    /// A figure from 0 to 10.
    pub(crate) fn level(&self, field: &str) -> Result<u8, Malformed> {
        let value = self.required(field)?;
        let level = whole_number(value).and_then(|number| u8::try_from(number).ok()).filter(|level| *level <= TOP);
        level.ok_or_else(|| wrong(field, value, "a whole number from 0 to 10"))
    }
    /// Texts, of which blank ones are dropped.
    pub(crate) fn texts(&self, field: &str, least: usize, most: usize) -> Result<Vec<String>, Malformed> {
        let alone = self.0.get(field).filter(|value| value.is_string()).map(std::slice::from_ref);
        let items = alone.map_or_else(|| self.first(field, least, most), Ok)?;
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            let text = item.as_str().ok_or_else(|| wrong(field, item, "texts alone"))?.trim();
            if !text.is_empty() {
                texts.push(text.to_owned());
            }
        }
        Ok(texts)
    }
    /// Texts, or none when the member is null or absent.
    pub(crate) fn optional_texts(&self, field: &str, most: usize) -> Result<Vec<String>, Malformed> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(_) => self.texts(field, 0, most),
        }
    }
}

/// The complete objects that stand in the text outside quotations, outermost only, the last one first: whoever thinks aloud ends with what it
/// means. What surrounds them is passed over. One that names a member twice is none, and why is told. An object that is no JSON is read
/// where its mistakes leave one meaning; else the objects in it count, and the mistake is told where they say nothing.
pub(crate) fn objects(text: &str) -> Vec<Result<Object, Malformed>> {
    let unquoted = without_quotations(text);
    let mut found = Vec::new();
    let mut broken: Option<(usize, Malformed)> = None;
    let (mut at, mut tries) = (0, 0);
    while let Some(start) = unquoted.get(at..).and_then(|rest| rest.find('{')).map(|brace| at + brace) {
        at = start + 1;
        found.extend(broken.take_if(|(end, _)| *end <= start).map(|(_, mistake)| Err(mistake)));
        let Some(rest) = unquoted.get(start..).filter(|rest| may_begin(rest)) else { continue };
        tries += 1;
        if tries > MOST_TRIES {
            break;
        }
        let (end, object) = match end_of_json(rest) {
            Some(length) => (start + length, read(rest.get(..length).unwrap_or_default())),
            None => match slips::read(rest) {
                (length, Ok(members)) => {
                    let slip = slips::first_slip(&unquoted, start, rest.get(..length).unwrap_or_default());
                    (start + length, Ok(Object(members, slip)))
                }
                (length, Err((place, what))) => {
                    let mistake = || Malformed(slips::told(&unquoted, &(start + place, what)));
                    broken = broken.or_else(|| is_meant(rest).then(|| (start + length, mistake())));
                    continue;
                }
            },
        };
        at = end;
        if !is_between_marks(&unquoted, (start, end)) {
            found.push(object);
        }
    }
    found.extend(broken.map(|(_, mistake)| Err(mistake)));
    found.reverse();
    found
}

/// How long the JSON is that begins a text.
fn end_of_json(text: &str) -> Option<usize> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let whole = stream.next()?.is_ok();
    whole.then(|| stream.byte_offset())
}

fn read(object: &str) -> Result<Object, Malformed> {
    match unique(object) {
        Ok(Value::Object(members)) => Ok(Object(members, None)),
        Ok(other) => Err(Malformed(format!("found {}, allowed one JSON object", found(&other)))),
        // where it stands is a place inside the object, which says nothing to the model
        Err(error) => Err(Malformed(error.to_string().split(" at line ").next().unwrap_or_default().to_owned())),
    }
}

/// Whether a text that begins with a brace may begin with an object, so that braces in prose cost little.
fn may_begin(text: &str) -> bool {
    let Some(rest) = text.get(1..).map(str::trim_start) else { return false };
    let after_word = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let is_named = after_word.len() < rest.len() && after_word.trim_start().starts_with(':');
    is_named || rest.starts_with(['"', '\'', '}', '/', '#'])
}

/// Whether an object was meant, by the member or the comment that begins it.
fn is_meant(text: &str) -> bool {
    text.get(1..).is_some_and(|rest| rest.trim_start().starts_with(['"', '\'', '/', '#']))
}

/// Whether quotation marks stand around a part, and more than that part is said.
fn is_between_marks(text: &str, (start, end): (usize, usize)) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    let marks = [('"', '"'), ('“', '”'), ('„', '“'), ('„', '”'), ('«', '»'), ('‘', '’'), ('\'', '\'')];
    let is_pair = |(open, close)| before.ends_with(open) && after.starts_with(close);
    let is_all = before.chars().count() <= 1 && after.trim_end().chars().count() <= 1;
    !is_all && marks.into_iter().any(is_pair)
}

/// A whole number in any of JSON's spellings.
pub(crate) fn whole_number(value: &Value) -> Option<u32> {
    if let Some(number) = value.as_u64() {
        return u32::try_from(number).ok();
    }
    let number =
        value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0 && *number <= f64::from(u32::MAX))?;
    format!("{number:.0}").parse().ok()
}

/// A value as an error message names it.
pub(crate) fn found(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => format!("\"{}\"", cut(&one_line(text), 80)),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
