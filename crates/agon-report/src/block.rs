//! The result in ten seconds: the one block that ends a run and heads the reports.
mod decided;
mod objection;
mod sides;

use crate::analysis::Analysis;
use crate::call_figures;
use crate::document::{KeyFact, LEFT_OPEN, facts};
use crate::key;
use crate::minutes::{Deed, Minutes};
use crate::result::ResultState;
use crate::terminal::{StyledLine, TextStyle, indented_text, rehearsal_mark};
use crate::text::{excerpt, one_line};
use crate::verdict::Tone;
use crate::words::{self, count, day, duration};
use agon_core::{SkipReason, StopRule, TurnId, VoteRule};
pub(crate) use objection::UnansweredObjection;
use sides::Changes;
use std::collections::BTreeSet;

/// Characters of the reasoning that the block shows.
const MOST_REASONING: usize = 320;
/// Columns of the longest label with the blank after it.
const LABEL: usize = 11;

/// What a reader wants to know of a debate first: the answer with its words, how it was decided, who is for and against,
/// the strongest objection left open, and what it took.
#[derive(Clone, Debug)]
pub struct ResultBlock {
    /// The outcome, or the state where there is none.
    pub(crate) badge: &'static str,
    pub(crate) tone: Tone,
    /// The answer in a few words.
    pub(crate) headline: String,
    /// The words of the answer, and the output of the synthesizer.
    pub(crate) texts: Vec<BlockText>,
    /// Scripted speakers said all of it.
    rehearsal: bool,
    /// What a report says right below.
    pub(crate) facts: Vec<KeyFact>,
    /// The rest.
    rows: Vec<BlockRow>,
}

/// A line of the rest.
#[derive(Clone, Debug)]
struct BlockRow {
    label: &'static str,
    value: String,
    /// What a report says there; nothing where it says so elsewhere.
    reported: Option<String>,
}

/// Words that somebody wrote.
#[derive(Clone, Debug)]
pub(crate) struct BlockText {
    /// What they are, on one line.
    pub(crate) title: String,
    /// Hostile, as everything that models write.
    pub(crate) text: String,
    /// JSON.
    pub(crate) is_json: bool,
    /// The speech that they are, where they are one.
    pub(crate) turn: Option<TurnId>,
}

impl ResultBlock {
    /// The block of a debate; of one that runs, what is known so far.
    pub fn of(minutes: &Minutes<'_>) -> Self {
        let (badge, tone) = minutes.badge();
        let analysis = Analysis::of(minutes);
        let open = objection::of(minutes, analysis.as_ref());
        let facts = facts(minutes, analysis.as_ref(), open.as_ref());
        let mut rows: Vec<BlockRow> = Vec::new();
        rows.extend(rejudged(minutes).map(|rejudged| BlockRow::of("Rejudged", rejudged)));
        rows.extend(decided::of(minutes).map(|how| BlockRow::of("How", how)));
        rows.extend(cut_short(minutes).map(|cut| BlockRow::of("Cut short", cut)));
        rows.extend(minutes.cancel.map(|why| BlockRow::of("Cancelled", one_line(why))));
        rows.extend(why(minutes).map(|why| BlockRow::unreported("Why", why)));
        rows.extend(sides(minutes));
        rows.extend(minutes.consensus().map(|consensus| BlockRow::of("Consensus", one_line(&consensus))));
        rows.extend(scores(minutes).map(|scores| BlockRow::of("Scores", scores)));
        rows.extend(missing(minutes).map(|missing| BlockRow::of("Missing", missing)));
        rows.extend(cut_at_limit(minutes).map(|cut| BlockRow::of("Cut", cut)));
        rows.extend(open.map(|open| left_open(open.text, &facts)));
        rows.extend(rounds(minutes).map(|rounds| BlockRow::of("Rounds", rounds)));
        rows.extend(self::open(minutes).map(|open| BlockRow::of("Open", open)));
        rows.push(BlockRow::of("Cost", cost(minutes)));
        let (headline, texts) = (one_line(&minutes.headline()), texts(minutes));
        Self { badge, tone, headline, texts, rehearsal: minutes.rehearsal(), facts, rows }
    }

    /// The block with a further line, for what only the caller knows: where the report is.
    #[must_use]
    pub fn with(mut self, label: &'static str, value: &str) -> Self {
        self.rows.push(BlockRow::of(label, one_line(value)));
        self
    }

    /// The lines for a report, which has the facts above and the whole reasoning below.
    pub(crate) fn reported(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.rows.iter().filter_map(|row| Some((row.label, row.reported.as_deref()?)))
    }

    /// The block for a terminal.
    pub fn lines(&self) -> Vec<StyledLine> {
        let style = match self.tone {
            Tone::Good => TextStyle::Good,
            Tone::Mixed => TextStyle::Warn,
            Tone::Bad => TextStyle::Bad,
            Tone::Open => TextStyle::Plain,
        };
        let mut out = vec![StyledLine::empty(), StyledLine::of(TextStyle::Title, "== Result ==")];
        // Whoever asked for the result alone has seen no other mark.
        out.extend(self.rehearsal.then(rehearsal_mark));
        let badge = StyledLine::of(style, format!("{}:", self.badge));
        out.push(badge.and(TextStyle::Strong, format!(" {}", self.headline)));
        for text in &self.texts {
            out.push(StyledLine::empty());
            out.push(StyledLine::of(TextStyle::Dim, format!("{}:", text.title)));
            let lines = indented_text(&text.text).into_iter();
            out.extend(lines.map(|line| StyledLine { data: text.is_json, ..line }));
        }
        if !self.texts.is_empty() {
            out.push(StyledLine::empty());
        }
        out.extend(self.rows.iter().map(BlockRow::line));
        out
    }
}

impl BlockRow {
    fn of(label: &'static str, value: String) -> Self {
        Self { label, reported: Some(value.clone()), value }
    }
    fn unreported(label: &'static str, value: String) -> Self {
        Self { label, value, reported: None }
    }
    fn line(&self) -> StyledLine {
        let blanks = " ".repeat(LABEL.saturating_sub(self.label.len()));
        StyledLine::hanging(TextStyle::Office, &format!("{}{blanks}", self.label), TextStyle::Plain, &self.value)
    }
}

/// Who is for and against. A report has who changed among its facts.
fn sides(minutes: &Minutes<'_>) -> Vec<BlockRow> {
    let told = sides::of(minutes, Changes::Told);
    let untold = sides::of(minutes, Changes::Untold).into_iter().map(|(_, value)| Some(value));
    told.into_iter().zip(untold).map(|((label, value), reported)| BlockRow { label, value, reported }).collect()
}

fn left_open(text: String, facts: &[KeyFact]) -> BlockRow {
    match facts.iter().any(|fact| fact.label == LEFT_OPEN) {
        true => BlockRow::unreported(LEFT_OPEN, text),
        false => BlockRow::of(LEFT_OPEN, text),
    }
}

fn texts(minutes: &Minutes<'_>) -> Vec<BlockText> {
    let answer = minutes.winning_texts().into_iter().map(|(title, text, turn)| {
        let (title, text) = (one_line(&title), text.to_owned());
        BlockText { title, text, is_json: false, turn }
    });
    let synthesis = minutes.synthesis().map(|(_, synthesis)| {
        let problems = synthesis.problems.iter().map(|problem| format!("; does not fit the schema: {problem}"));
        let title = format!("Written by the synthesizer from the result{}", problems.collect::<String>());
        let output = synthesis.output.as_deref().map(words::pretty);
        let is_json = output.is_some();
        let text = output.unwrap_or_else(|| synthesis.text.to_string());
        BlockText { title: one_line(&title), text, is_json, turn: None }
    });
    answer.chain(synthesis).collect()
}

/// The beginning of the reasons, with what a judge's labels and numbers stand for.
fn why(minutes: &Minutes<'_>) -> Option<String> {
    let reasoning = minutes.verdict?.reasoning.filter(|text| !text.trim().is_empty())?;
    let why = excerpt(reasoning, MOST_REASONING);
    let mut meant = labels(minutes, &why);
    if let Some((entry, judged)) = minutes.deciding() {
        let named = minutes.named_entries(entry, judged.order, [why.as_str()]);
        let place = |turn: TurnId| minutes.place(turn.round);
        meant
            .extend(named.iter().map(|one| format!("entry {} = {}, {}", one.number, one.participant, place(one.turn))));
    }
    Some(explained(&why, &meant))
}

/// Who is behind the labels in a judge's words: `Speaker A = Ada`.
fn labels(minutes: &Minutes<'_>, text: &str) -> Vec<String> {
    let labels = key::labels(minutes.admission);
    let named = labels.iter().filter(|(label, _)| text.contains(label.as_str()));
    named.map(|(label, name)| format!("{label} = {name}")).collect()
}

fn explained(text: &str, meant: &[String]) -> String {
    if meant.is_empty() { one_line(text) } else { one_line(&format!("{text} ({})", meant.join(", "))) }
}

/// How many speeches end where their limit of tokens cut them.
fn cut_at_limit(minutes: &Minutes<'_>) -> Option<String> {
    let cut = minutes.speeches().filter(|(_, speech)| speech.cut_at_limit).count();
    let all = minutes.speeches().count();
    (cut > 0).then(|| {
        format!(
            "{cut} of {} reached the limit of tokens (max_tokens)",
            words::counted(all as u64, "speech", "speeches")
        )
    })
}

/// What the debaters scored each other with, where that decides nothing.
fn scores(minutes: &Minutes<'_>) -> Option<String> {
    let got = |(name, mean): &(String, u32)| format!("{name}: {}", words::got(Some(VoteRule::AnonymousScoring), *mean));
    let got: Vec<String> = minutes.means_beside().iter().map(got).collect();
    (!got.is_empty()).then(|| one_line(&format!("{}; by the debaters, and they decide nothing", got.join(", "))))
}

fn missing(minutes: &Minutes<'_>) -> Option<String> {
    let seats = minutes.end.map(|end| end.missing).filter(|seats| !seats.is_empty())?;
    let told = seats.iter().map(|seat| {
        let who = words::who(seat.participant.as_str());
        let here = |turn: &TurnId| (turn.round, turn.seat) == (seat.round, seat.seat);
        let asked =
            minutes.asks.iter().find(|(turn, _)| here(turn)).map(|(_, (_, ask))| call_figures::task(&ask.task.work));
        let what = match asked {
            Some(task) if minutes.is_round(seat.round) => format!("{task} of {}", minutes.place(seat.round)),
            Some(task) => task,
            None => minutes.place(seat.round),
        };
        format!("{who}, {what} ({})", seat.cause.as_str())
    });
    Some(one_line(&told.collect::<Vec<_>>().join("; ")))
}

/// Who was asked and has not answered yet, in a debate that goes on.
fn open(minutes: &Minutes<'_>) -> Option<String> {
    if !matches!(minutes.state(), ResultState::Running | ResultState::Cancelling) {
        return None;
    }
    let answered: BTreeSet<TurnId> = minutes.entries.iter().map(|entry| entry.turn).collect();
    let open = minutes.asks.iter().filter(|(turn, _)| !answered.contains(turn)).map(|(_, (at, ask))| {
        let (who, task) = (words::who(ask.participant.as_str()), call_figures::task(&ask.task.work));
        format!("{who}, {task}, asked of {} at {}", ask.model, words::time_of_day(*at))
    });
    let open = open.collect::<Vec<_>>().join("; ");
    (!open.is_empty()).then(|| one_line(&open))
}

/// Whose speeches these are, and when they were judged anew. How the old debate ended is not in this log.
fn rejudged(minutes: &Minutes<'_>) -> Option<String> {
    let old = minutes.admission.rejudges.as_ref()?;
    let when = day(minutes.admitted_at);
    Some(format!(
        "a new judgement, of {when}, on the speeches of debate {old}; how that debate ended is in its own report"
    ))
}

/// What the budget of a debate cut off, in words; nothing where it cut nothing.
pub fn cut_short(minutes: &Minutes<'_>) -> Option<String> {
    let skipped =
        minutes.entries.iter().filter(|entry| matches!(entry.deed, Deed::Skipped(SkipReason::Budget))).count();
    let ended = minutes.stopped.filter(|(rule, _)| matches!(rule, StopRule::TokenBudget | StopRule::TimeBudget));
    let ended = ended.map(|(rule, round)| format!("{} ({})", rule.label(), minutes.place(round)));
    let turns = count(skipped as u64, "turn");
    match (ended, skipped) {
        (None, 0) => None,
        (None, _) => Some(format!("the budget left no room for {turns}")),
        (Some(ended), 0) => Some(ended),
        (Some(ended), _) => Some(format!("{ended}; it left no room for {turns}")),
    }
}

fn rounds(minutes: &Minutes<'_>) -> Option<String> {
    let (rule, round) = minutes.stopped?;
    Some(format!("{round}, then {}", rule.label()))
}

fn cost(minutes: &Minutes<'_>) -> String {
    let usage = minutes.usage();
    let tokens = match (usage.unknown_calls, usage.tokens()) {
        (0, tokens) => count(tokens, "token"),
        (_, 0) => "tokens unknown".to_owned(),
        (unknown, tokens) => {
            format!("at least {}, as {} did not report all", count(tokens, "token"), count(unknown.into(), "call"))
        }
    };
    let took = duration(minutes.duration_ms());
    let took = match minutes.state() {
        ResultState::Succeeded | ResultState::Failed | ResultState::Cancelled => took,
        ResultState::Paused | ResultState::Interrupted => format!("{took} so far"),
        // the log does not say how long nothing has happened since
        ResultState::Running | ResultState::Cancelling => format!("{took} up to the last event"),
    };
    let paused = match minutes.paused_ms {
        0 => String::new(),
        ms => format!(" · paused {}", duration(ms)),
    };
    let away = match minutes.away_ms() {
        0 => String::new(),
        ms => format!(" ({} of it waiting for a model server)", duration(ms)),
    };
    let failed = minutes.failures().count() as u64;
    let failed = match failed {
        0 => String::new(),
        n => format!(" · {}", words::counted(n, "failed try", "failed tries")),
    };
    let paid = minutes.costs().told().map(|paid| format!(" · {paid}")).unwrap_or_default();
    format!("{} · {tokens} · {took}{away}{paused}{paid}{failed}", count(usage.calls.into(), "call"))
}
