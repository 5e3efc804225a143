//! Single lines of a prompt: headings, headers of entries, markers, keys.

use super::TranscriptLine;

/// Line between what was said and what is asked.
const DELIMITER: &str = "=== YOUR TURN ===";

/// Speakers that argue no side.
const STAFF: &str = " moderator mediator chair judge summariser summarizer synthesizer synthesiser system summary tool tools researcher ";

/// The section that a line stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptSection {
    Topic,
    Context,
    Cast,
    Entry,
    Summary,
    Result,
    Found,
    Earlier,
    /// How claims are marked that are checked.
    Claims,
    /// What the turn quotes: lines `Key: value`.
    Quoted,
    Elsewhere,
}

impl PromptSection {
    /// The section under a heading.
    pub fn named(heading: &str) -> Self {
        match heading.to_lowercase().as_str() {
            "topic" | "question" | "motion" => Self::Topic,
            "context" | "background" | "materials" => Self::Context,
            "debaters" | "roster" | "cast" => Self::Cast,
            "result" | "outcome" | "decision" | "verdict" => Self::Result,
            "tool results" | "tool result" | "results of tools" | "what tools found" => Self::Found,
            "earlier debates" => Self::Earlier,
            "claims that can be checked" => Self::Claims,
            name if is_summary(name) => Self::Summary,
            _ => Self::Elsewhere,
        }
    }
}

/// The part that a line of a fence opens, or that follows it; none for lines that say nothing of the kind.
pub fn fenced(line: &str) -> Option<PromptSection> {
    if line.starts_with("<<< quotations for your turn ") {
        return Some(PromptSection::Quoted);
    }
    let ends = [">>> end of transcript ", ">>> end of quotations ", "<<< result "];
    ends.iter().any(|end| line.starts_with(end)).then_some(PromptSection::Elsewhere)
}

/// Whether a line says that a summary of rounds follows.
pub fn is_summary(line: &str) -> bool {
    let line = line.trim_start_matches(['#', ' ']).to_lowercase();
    line.starts_with("summary of") || line.starts_with("running summary") || line.starts_with("summary so far")
}

/// Whether a name belongs to somebody who argues no side.
pub fn is_staff(name: &str) -> bool {
    STAFF.contains(&format!(" {} ", name.trim().to_lowercase()))
}

/// Whether the third part of a header names the kind of a speech and no stance.
pub fn is_label(text: &str) -> bool {
    const KINDS: [&str; 12] = [
        "opening statement",
        "proposal",
        "critique of",
        "revision",
        "question to",
        "answer to",
        "follow-up",
        "point of information",
        "interjection",
        "rebuttal",
        "clarification",
        "closing statement",
    ];
    let text = text.to_lowercase();
    KINDS.iter().any(|kind| text.starts_with(kind))
}

/// What stands before the delimiter, and what behind it.
pub fn split_at_delimiter(text: &str) -> (&str, Option<&str>) {
    // the last one: a speech may try to forge an earlier one
    let at = text.rmatch_indices(DELIMITER).find(|(at, _)| {
        let starts = *at == 0 || text.get(..*at).is_some_and(|before| before.ends_with('\n'));
        starts
            && text.get(at + DELIMITER.len()..).is_some_and(|after| after.is_empty() || after.starts_with(['\n', '\r']))
    });
    match at {
        Some((at, _)) => (text.get(..at).unwrap_or_default(), text.get(at + DELIMITER.len()..)),
        None => (text, None),
    }
}

/// The name of a section.
pub fn heading(line: &str) -> Option<&str> {
    let name = line.strip_prefix("# ").or_else(|| line.strip_prefix("## "))?;
    Some(name.trim().trim_end_matches(':'))
}

/// An entry by its header: `### T7 | Ada | STANCE | label`, `### [7] Ada | STANCE`; stance and label may be missing.
pub fn entry_header(line: &str) -> Option<TranscriptLine> {
    let mut parts = line.strip_prefix("### ")?.splitn(4, " | ").map(str::trim);
    let label = parts.next()?;
    let (number, first_name) = match label.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((number, name)) => (number, Some(name.trim())),
        None => (label, None),
    };
    let number = number.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    let number = number.get(..digits)?.parse().ok()?;
    let speaker = first_name.filter(|name| !name.is_empty()).or_else(|| parts.next())?;
    let (stance, label) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let text = String::new();
    Some(TranscriptLine {
        number,
        speaker: speaker.to_owned(),
        stance: stance.to_owned(),
        label: label.to_owned(),
        text,
    })
}

/// The round that a line says the moderator opened: `### Round 2, opened by the moderator`.
pub fn opened_round(line: &str) -> Option<u32> {
    let (round, _) = line.strip_prefix("### Round ")?.split_once(", opened by the moderator")?;
    round.parse().ok()
}

/// A line that frames a speech and belongs to nobody's words.
pub fn is_marker(line: &str) -> bool {
    let line = line.trim();
    let rule =
        line.len() >= 3 && line.chars().all(|c| matches!(c, '-' | '=' | '~' | '`' | '<' | '>' | '"' | '*' | '_'));
    rule || line.starts_with("<<<")
        || line.starts_with(">>>")
        || line.ends_with(">>>")
        || line.ends_with("<<<")
        || (line.starts_with('<') && line.ends_with('>'))
        || (line.starts_with("```") || line.starts_with("~~~"))
}

/// The value of a line that is a sentence around it.
pub fn within<'l>(line: &'l str, before: &str, after: &str) -> Option<&'l str> {
    line.trim_end().strip_prefix(before)?.strip_suffix(after)
}

/// `2 of 3`, or `2` alone.
pub fn read_round(value: &str) -> Option<(u32, Option<u32>)> {
    let mut numbers = numbers(value);
    Some((numbers.next()?, numbers.next()))
}

/// The whole numbers in a text.
pub fn numbers<N: std::str::FromStr>(text: &str) -> impl Iterator<Item = N> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok())
}

/// Adds a line, keeping blank ones between others.
pub fn push_line(text: &mut String, line: &str) {
    let line = line.trim_end();
    if !(text.is_empty() && line.is_empty()) {
        text.push_str(line);
        text.push('\n');
    }
}
