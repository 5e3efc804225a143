//! Speeches, and what a model puts around them.
use super::Malformed;
use crate::text::cut;
use agon_core::fence::{ENTRY, YOUR_TURN};
use agon_core::{Answer, Coercion, DebateSpec, ParticipantId};

/// A text of the moderator's or the summarizer's: read like a speech.
pub(super) fn plain(text: &str, speaker: &ParticipantId) -> Result<Answer, Malformed> {
    let text = without_own_name(text.trim(), speaker.as_str()).trim();
    if text.is_empty() {
        return Err(Malformed("the text is empty".to_owned()));
    }
    Ok(Answer::Text { text: text.into() })
}

/// A speech: trimmed, without the speaker's own name in front, up to where it goes on with the words of another or with its own instructions,
/// never empty. Says what it went on with.
pub(super) fn read(
    text: &str,
    speaker: &ParticipantId,
    spec: &DebateSpec,
) -> Result<(Answer, Option<Coercion>), Malformed> {
    let text = without_own_name(text.trim(), speaker.as_str()).trim();
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').map(|line| {
        at += line.len();
        (at - line.len(), line)
    });
    let foreign =
        lines.find(|(at, line)| is_prompt(line) || is_others(line, text.get(*at..).unwrap_or_default(), speaker, spec));
    let said = foreign.map_or(text, |(at, _)| text.get(..at).unwrap_or_default().trim_end());
    let foreign = foreign.map(|(_, line)| cut(line.trim(), LONGEST_FOREIGN));
    match (said.is_empty(), foreign) {
        (true, None) => Err(Malformed("the speech is empty".to_owned())),
        (true, Some(line)) => {
            Err(Malformed(format!("the speech begins with words that are not its speaker's: {line}")))
        }
        (false, foreign) => {
            let ended = |line| Coercion { field: "speech".to_owned(), from: line, to: String::new() };
            let speech = Answer::Speech { text: said.into(), cut: false, cut_at_limit: false };
            Ok((speech, foreign.map(|line| ended(line.into_owned()))))
        }
    }
}

/// So many characters of a line that is not the speaker's are told.
const LONGEST_FOREIGN: usize = 60;

/// How a line begins that is one of the prompt's own, and that no speaker would say.
const OWN_WORDS: [&str; 3] = [YOUR_TURN, "You argue for this position: \"", "You lean towards this position: \""];

/// Whether a line is one of the prompt's own, or the header of an entry: `### T9`.
fn is_prompt(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.strip_prefix(ENTRY).and_then(|rest| rest.strip_prefix('T'));
    let header = numbered.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains(" | "));
    header || OWN_WORDS.iter().any(|start| line.starts_with(start))
}

/// Whether a line begins the words of another in a dialogue: `Ben:`, and later the speaker's own name again. With that alone the speaker may
/// speak to Ben.
fn is_others(line: &str, rest: &str, speaker: &ParticipantId, spec: &DebateSpec) -> bool {
    let speaks = |line: &str, name: &ParticipantId| {
        let said = without_own_name(line.trim_start(), name.as_str());
        said.len() < line.trim_start().len()
    };
    let mut others = spec.personas.iter().map(|persona| &persona.name).filter(|name| *name != speaker);
    others.any(|name| speaks(line, name)) && rest.lines().any(|line| speaks(line, speaker))
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
