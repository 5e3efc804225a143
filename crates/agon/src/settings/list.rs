//! Lists of texts: a list in a file, or one text with commas, which is all that the environment can hold.
use serde::{Deserialize, Deserializer};

/// Reads a list of texts.
pub fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a list of texts, or one text with commas")]
    enum OneOrMore {
        List(Vec<String>),
        Text(String),
    }
    Ok(match OneOrMore::deserialize(deserializer)? {
        OneOrMore::List(list) => list,
        OneOrMore::Text(text) => parts(&text).map(str::to_owned).collect(),
    })
}

/// Reads a list of values that are written as texts.
pub fn values<'de, T: serde::de::DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    use serde::de::{IntoDeserializer, value::StringDeserializer};
    let texts = texts(deserializer)?;
    let value = |text: String| {
        let text: StringDeserializer<serde::de::value::Error> = text.into_deserializer();
        T::deserialize(text).map_err(serde::de::Error::custom)
    };
    texts.into_iter().map(value).collect()
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}
