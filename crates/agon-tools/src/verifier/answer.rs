//! What a verifier answers, whatever it is: its result, and what it says besides.

use agon_core::CheckResult;
use serde::Deserialize;

use crate::text::one_line;

/// Characters of an answer that is no result, where that is told.
const SHOWN: usize = 80;

#[derive(Deserialize)]
struct VerifierReply {
    result: Word,
    #[serde(default)]
    detail: String,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Holds,
    Refuted,
    Unknown,
}

/// Reads a JSON object with `result` and perhaps `detail`, or the result's word on the first line and the detail below it.
pub(super) fn read(text: &str) -> Result<(CheckResult, String), String> {
    let text = text.trim();
    let none =
        || "it begins neither with `holds`, `refuted` or `unknown` nor with a JSON object that has one as `result`";
    if text.is_empty() {
        return Err("nothing".to_owned());
    }
    if text.starts_with('{') {
        let answer = serde_json::from_str::<VerifierReply>(text).map_err(|error| format!("{} ({error})", none()))?;
        return Ok((answer.result.into(), answer.detail.trim().to_owned()));
    }
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let word = match first.trim().to_ascii_lowercase().as_str() {
        "holds" => Word::Holds,
        "refuted" => Word::Refuted,
        "unknown" => Word::Unknown,
        _ => return Err(format!("{} ({})", none(), one_line(first, SHOWN))),
    };
    Ok((word.into(), rest.trim().to_owned()))
}

impl From<Word> for CheckResult {
    fn from(word: Word) -> Self {
        match word {
            Word::Holds => Self::Holds,
            Word::Refuted => Self::Refuted,
            Word::Unknown => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_the_result_and_the_rest_is_the_detail() {
        assert_eq!(read("holds\n"), Ok((CheckResult::Holds, String::new())));
        assert_eq!(read(" Refuted \r\nx = 3\ny = 4\n"), Ok((CheckResult::Refuted, "x = 3\ny = 4".to_owned())));
        assert_eq!(read("unknown\n\n"), Ok((CheckResult::Unknown, String::new())));
    }

    #[test]
    fn an_object_says_the_same() {
        assert_eq!(read(r#"{"result": "holds"}"#), Ok((CheckResult::Holds, String::new())));
        let whole = "{\"detail\": \" x = 3 \",\n \"result\": \"refuted\", \"ms\": 4}";
        assert_eq!(read(whole), Ok((CheckResult::Refuted, "x = 3".to_owned())));
    }

    #[test]
    fn whatever_else_is_said_is_no_result() {
        for text in
            ["", " \n", "it holds", "holds, I think", "no\nholds", "{\"result\": \"true\"}", "{\"holds\": 1}", "{"]
        {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read("true\nholds").unwrap_err().ends_with("(true)"));
    }
}
