//! What stands between the speeches, in words, the same for every report: plain text that the reports escape.
use crate::checks;
use crate::minutes::{Deed, MinutesEntry, names};
use crate::text::one_line;
use crate::words::{self, count, duration};
use agon_core::{
    Bid, BidPurpose, Conclusion, Critique, DebateSpec, Declined, Interjection, Note, Point, PointReply, Speech,
    SpeechScore, ToolUse, TurnId,
};

/// Characters of arguments and results of tools that a report shows.
const MOST_TOOL_TEXT: usize = 600;

/// Something that is not a speech.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Aside {
    /// One line.
    pub(crate) title: String,
    /// A model's Markdown.
    pub(crate) text: Option<String>,
    /// What, and the words.
    pub(crate) lines: Vec<(String, String)>,
    /// Long, and seldom wanted.
    pub(crate) fold: bool,
}
impl Aside {
    fn of(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }
    fn with(self, text: &str) -> Self {
        let text = Some(text.to_owned()).filter(|text| !text.trim().is_empty());
        Self { text, ..self }
    }
    fn lines(self, lines: Vec<(String, String)>) -> Self {
        Self { lines, ..self }
    }
}

/// The aside of an entry, where it is one; `speaker` says whose a turn was.
pub(crate) fn of(entry: &MinutesEntry<'_>, speaker: &dyn Fn(TurnId) -> String) -> Option<Aside> {
    let who = words::who(entry.participant);
    Some(match entry.deed {
        Deed::Interjected(interjection) => interjected(interjection),
        Deed::ScoredSpeeches(scores) => {
            let line = |score: &SpeechScore| {
                let comment = score.comment.as_deref().map(|why| format!(" ({})", one_line(why))).unwrap_or_default();
                let whose = format!("{}, {}", speaker(score.speech), score.speech);
                (whose, format!("{}{comment}", words::score(&score.score)))
            };
            Aside::of("The moderator scores the speeches").lines(scores.iter().map(line).collect())
        }
        Deed::Researched(text) => Aside::of("The moderator’s research brief").with(text),
        Deed::Concluded(concluded) => {
            let title = match concluded.conclusion {
                Conclusion::Reconciliation => "The moderator reconciles the positions",
                Conclusion::Summary => "The moderator sums the debate up",
                Conclusion::Decision => "The moderator’s synthesis, which is the verdict",
            };
            let why = concluded.reasoning.map(|why| ("Why".to_owned(), one_line(why)));
            Aside::of(title).with(concluded.text).lines(why.into_iter().collect())
        }
        Deed::Bid(purpose, bid) => Aside::of(format!("{}: {who} {}", purpose.label(), bid_of(purpose, bid))),
        Deed::Points(points, reply) => answered(who, points, reply),
        Deed::Criticised { of, critique, neutralised: _ } => criticised(who, of.as_str(), critique),
        Deed::Summarised { through, text } => {
            Aside { fold: true, ..Aside::of(format!("Summary of the past, up to round {through}")).with(text) }
        }
        Deed::Enough { enough, reasoning } => {
            let found = if enough { "enough was said" } else { "another round may change the answer" };
            Aside::of(format!("{who}: {found}")).with(reasoning)
        }
        Deed::Noted(note) => Aside { fold: true, ..Aside::of(format!("{who} notes for itself")).lines(noted(note)) },
        Deed::NotShown => Aside::of(format!("{who}, {}: not shown", entry.label)),
        Deed::Spoke(_)
        | Deed::Balloted(..)
        | Deed::Voted(_)
        | Deed::ScoredDebaters(_)
        | Deed::Moderated { .. }
        | Deed::Measured { .. }
        | Deed::Judged(_)
        | Deed::Ranked { .. }
        | Deed::Synthesised(_)
        | Deed::Failed { .. }
        | Deed::Skipped(_) => return None,
    })
}

fn interjected(interjection: &Interjection) -> Aside {
    let remarks = [
        ("Warning to", &interjection.warnings),
        ("Question to", &interjection.questions),
        ("Request to revise, to", &interjection.revisions),
    ];
    let lines = remarks.into_iter().flat_map(|(title, remarks)| {
        remarks.iter().map(move |remark| (format!("{title} {}", remark.to), one_line(&remark.text)))
    });
    let aside = Aside::of("The moderator interjects").lines(lines.collect());
    interjection.comment.as_deref().map_or(aside.clone(), |comment| aside.with(comment))
}

/// How a bid reads after its bidder: `7 of 10, to Bruno: he never gave a figure`.
pub(crate) fn bid_of(purpose: BidPurpose, bid: &Bid) -> String {
    let to = bid.to.as_ref().map(|to| format!(", to {to}")).unwrap_or_default();
    let text = bid.text.as_deref().map(|text| format!(": {}", one_line(text))).unwrap_or_default();
    match (bid.urgency, purpose) {
        (0, BidPurpose::Point) => "offers none".to_owned(),
        (0, _) => format!("does not want to{to}{text}"),
        (urgency, _) => format!("{urgency} of 10{to}{text}"),
    }
}

fn answered(who: &str, points: &[Point], reply: &PointReply) -> Aside {
    let title = match &reply.accepts {
        Some(by) => format!("{who} takes the point of information of {by}"),
        None => format!(
            "{who} declines {}",
            words::counted(points.len() as u64, "point of information", "points of information")
        ),
    };
    let line = |point: &Point| {
        let taken = reply.accepts.as_ref() == Some(&point.by);
        let what = if taken { "asks" } else { "offered, not taken" };
        (format!("{} {what}", point.by), one_line(&point.text))
    };
    let mut lines: Vec<(String, String)> = points.iter().map(line).collect();
    lines.extend(reply.reply.as_deref().map(|text| (format!("{who} replies"), one_line(text))));
    Aside::of(title).lines(lines)
}

fn criticised(who: &str, of: &str, critique: &Critique) -> Aside {
    let lines = [("Issue", &critique.issues), ("Suggestion", &critique.suggestions)];
    let lines =
        lines.into_iter().flat_map(|(name, points)| points.iter().map(move |point| (name.to_owned(), one_line(point))));
    Aside::of(format!("{who} criticises {of}, severity {} of 10", critique.severity)).lines(lines.collect())
}

fn noted(note: &Note) -> Vec<(String, String)> {
    let one = |name: &str, text: &Option<String>| text.as_deref().map(|text| (name.to_owned(), one_line(text)));
    let mut lines = Vec::from_iter(one("Holds", &note.position));
    lines.extend(one("Changed by", &note.changed_by));
    lines.extend(note.contradictions.iter().map(|text| ("Contradiction".to_owned(), one_line(text))));
    lines.extend(one("Worked", &note.worked));
    lines.extend(one("Did not work", &note.did_not_work));
    lines.extend(one("Will try", &note.next));
    lines
}

/// What kind of speech it is; which one, where it is a sample of a poll.
pub(crate) fn kind(spec: &DebateSpec, turn: TurnId, speech: &Speech) -> String {
    if spec.is_poll() { format!("sample {}", turn.seat.saturating_add(1)) } else { speech.kind.label().to_owned() }
}

/// What stands in the head of a speech after the name: `question to Bruno`, `argument, Prime Minister`.
pub(crate) fn head(spec: &DebateSpec, turn: TurnId, speech: &Speech) -> Vec<String> {
    let kind = kind(spec, turn, speech);
    let to = speech.to.as_ref().map(|to| format!("{kind} to {to}"));
    let bench = speech.bench.map(|bench| bench.title().to_owned());
    [to.unwrap_or(kind)].into_iter().chain(bench).collect()
}

/// What stands below a speech: who cut it off, what a revision makes of its critiques, and what came of the claims that it marks.
pub(crate) fn tail(entry: &MinutesEntry<'_>, speech: &Speech) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    lines.extend(speech.cut_by.as_ref().map(|by| ("Cut off by".to_owned(), by.to_string())));
    lines.extend(speech.cut_at_limit.then(|| ("Cut off by".to_owned(), "its limit of tokens".to_owned())));
    if !speech.accepted.is_empty() {
        lines.push(("Accepts the critique of".to_owned(), names(&speech.accepted)));
    }
    let declined =
        |declined: &Declined| (format!("Declines the critique of {}", declined.critic), one_line(&declined.why));
    lines.extend(speech.declined.iter().map(declined));
    lines.extend(entry.checks().map(|check| (format!("Check by {}:", check.verifier), checks::line(check))));
    lines
}

/// A use of a tool in one line: `used search (2 KB, 120 ms)`.
pub(crate) fn tool(used: &ToolUse) -> String {
    let result = match (&used.error, &used.result) {
        (Some(error), _) => format!("failed: {}", crate::text::excerpt(error, 200)),
        (None, Some(result)) => count(result.chars().count() as u64, "character"),
        (None, None) => "no result".to_owned(),
    };
    let cut = if used.truncated { ", cut to the limit" } else { "" };
    format!("used {} ({result}{cut}, {})", one_line(&used.tool), duration(used.duration_ms))
}

/// Arguments and result of a tool, cut.
pub(crate) fn tool_details(used: &ToolUse) -> Vec<(&'static str, String)> {
    let cut = |text: &String| crate::text::excerpt(text, MOST_TOOL_TEXT);
    let result = used.result.as_ref().map(|result| ("Result", cut(result)));
    [("Arguments", cut(&used.arguments))].into_iter().chain(result).collect()
}

/// What a run of bids is called.
pub(crate) fn bids(purpose: BidPurpose) -> &'static str {
    match purpose {
        BidPurpose::Floor => "Bids for the floor",
        BidPurpose::Reaction => "Bids to react",
        BidPurpose::Circle => "Bids for the inner circle",
        BidPurpose::Interruption => "Bids to interrupt",
        BidPurpose::Point => "Points of information offered",
    }
}
