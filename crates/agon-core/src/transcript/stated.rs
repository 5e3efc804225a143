//! What the last lines of a speech state: its speaker's answer, and how sure the speaker is.
use std::borrow::Cow;

/// What a speech states as its speaker's answer: the last line that begins with `My answer:`.
pub fn named_answer(speech: &str) -> Option<&str> {
    const KEY: &str = "my answer:";
    let closing = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '#' | '-');
    // it begins a quoted line, and ends what stands in angle brackets
    let decoration = |c: char| closing(c) || c == '>';
    // `**My answer: Rome**.` ends with its emphasis too
    let end = |text: &str| {
        let mut bare = text.trim_end_matches(closing);
        loop {
            let inner = bare.trim_end_matches('.');
            if inner.len() == bare.len() || !inner.ends_with(['*', '_']) {
                return bare.len();
            }
            bare = inner.trim_end_matches(closing);
        }
    };
    speech.lines().rev().find_map(|line| {
        let line = line.trim_start_matches(decoration);
        let head = line.get(..KEY.len()).filter(|head| head.eq_ignore_ascii_case(KEY))?;
        let whole = line.get(head.len()..)?.trim_start_matches(|c: char| decoration(c) && c != '-');
        let whole = whole.get(..end(whole))?;
        let answer = whole.trim_start_matches(decoration);
        // the sign of a number is none
        let signed =
            whole.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.'));
        let answer = if signed { whole } else { answer };
        (!answer.is_empty()).then_some(answer)
    })
}

/// How sure a speech says that its speaker is, and the speech without the lines that say it: those that begin with `My confidence:`.
/// None where the last of them gives no whole number from 0 to 100.
pub fn named_confidence(speech: &str) -> (Option<u8>, Cow<'_, str>) {
    const KEY: &str = "my confidence:";
    let decoration = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '#' | '-' | '>' | '%' | '.');
    let said = |line: &str| {
        let line = line.trim_matches(decoration);
        let head = line.get(..KEY.len()).filter(|head| head.eq_ignore_ascii_case(KEY))?;
        Some(line.get(head.len()..).unwrap_or_default().trim_matches(decoration).to_owned())
    };
    let Some(last) = speech.lines().rev().find_map(said) else { return (None, speech.into()) };
    let figure = last.strip_suffix("/100").unwrap_or(&last).trim_end_matches(decoration);
    let figure = figure.parse().ok().filter(|percent: &u8| *percent <= 100);
    let rest: Vec<&str> = speech.lines().filter(|line| said(line).is_none()).collect();
    (figure, rest.join("\n").trim_end().to_owned().into())
}
