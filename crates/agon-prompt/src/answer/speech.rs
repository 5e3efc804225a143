//! Speeches, and what a model puts around them.
use super::Malformed;
use agon_core::{Answer, ParticipantId};

/// A text of the moderator's or the summarizer's: read like a speech.
pub(super) fn plain(text: &str, speaker: &ParticipantId) -> Result<Answer, Malformed> {
    let text = without_own_name(text.trim(), speaker.as_str()).trim();
    if text.is_empty() {
        return Err(Malformed("the text is empty".to_owned()));
    }
    Ok(Answer::Text { text: text.into() })
}

/// A speech: trimmed, without the speaker's own name in front, never empty.
pub(super) fn read(text: &str, speaker: &ParticipantId) -> Result<Answer, Malformed> {
    let text = without_own_name(text.trim(), speaker.as_str()).trim();
    if text.is_empty() {
        return Err(Malformed("the speech is empty".to_owned()));
    }
    Ok(Answer::Speech { text: text.into(), cut: false, cut_at_limit: false })
}

/// Takes off `Ada:`, also in Markdown emphasis.
fn without_own_name<'a>(text: &'a str, name: &str) -> &'a str {
    let emphasis = |c: char| matches!(c, '*' | '_');
    let bare = text.trim_start_matches(emphasis);
    let emphasised = bare.len() < text.len();
    let named = bare.get(..name.len()).is_some_and(|head| head.to_lowercase() == name.to_lowercase());
    let after = if named { bare.get(name.len()..) } else { None };
    let Some(after) = after.filter(|_| !name.is_empty()) else { return text };
    let closed = after.trim_start_matches(emphasis);
    match closed.strip_prefix(':') {
        // emphasis that is closed behind the colon belongs to the name, if it was opened before it
        Some(speech) if emphasised && closed.len() == after.len() => speech.trim_start_matches(emphasis),
        Some(speech) => speech,
        None => text,
    }
}
