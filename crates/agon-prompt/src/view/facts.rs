//! What speakers know beside the transcript: decisions, summaries, notes, warnings, the result.
use super::decisions::Decided;
use agon_core::fence::Foreign;
use agon_core::{
    Answered, Conclusion, Consensus, Event, Given, Guidance, ModeratorDecision, Note, Outcome, ParticipantId, Position,
    Remark, RoundStatus, ToolUse, VoteRule, VoteUnit,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known beside the transcript, each with the event that made it known.
#[derive(Default)]
pub(crate) struct ViewFacts {
    decisions: Vec<(Position, Decided)>,
    /// What the moderator decided when it last closed a round, and whether that settled the question.
    decision: Option<(Position, bool, Arc<str>)>,
    /// Oldest first.
    pub(crate) summaries: Vec<Summary>,
    notes: BTreeMap<ParticipantId, Vec<(Position, Note)>>,
    /// What came of the tools that somebody used, failures aside.
    found: BTreeMap<ParticipantId, Vec<(Position, ToolUse)>>,
    /// The warnings of each interjection.
    warnings: Vec<(Position, Vec<Remark>)>,
    result: Vec<(Position, (&'static str, Foreign<'static>))>,
    /// What the moderator says to each round, oldest first; rounds to which it says nothing are not in.
    guidance: Vec<RoundOpening>,
    /// Its summary of the last round that it closed.
    closing: Option<Arc<str>>,
    /// The moderator's closing summary of the whole debate.
    summed_up: Option<(Position, Arc<str>)>,
    /// When the moderator said that the round which it opened is the last.
    done: Option<Position>,
    /// When the rounds were over.
    loop_ended: Option<Position>,
}

/// What was said up to the end of a round, summed up.
pub(crate) struct Summary {
    position: Position,
    /// That round.
    pub(crate) through: u32,
    /// The summary.
    pub(crate) text: Arc<str>,
}

/// What the moderator said when it opened a round.
pub(crate) struct RoundOpening {
    /// The event that recorded it.
    pub(crate) position: Position,
    /// The round.
    pub(crate) round: u32,
    /// What it said.
    pub(crate) guidance: Guidance,
}

/// How many notes of one persona are kept: only the last one is shown, and an ask may be a few behind.
const KEPT_NOTES: usize = 4;
/// How many of its own tools' results a speaker is shown again; as many more are kept for an ask that is behind.
const SHOWN_RESULTS: usize = 3;
const KEPT_RESULTS: usize = 12;

impl ViewFacts {
    pub(super) fn apply(&mut self, position: Position, event: &Event) {
        match event {
            Event::Answered(answered) => self.answered(position, answered),
            Event::FallbackDecided { turn, decision } => self.decided(position, turn.round, decision, true),
            Event::RoundOpened { round, briefing, new_angle, .. } => {
                let (briefing, new_angle, summary) = (briefing.clone(), new_angle.clone(), self.closing.clone());
                let guidance = Guidance { briefing, new_angle, summary };
                if guidance != Guidance::default() {
                    self.guidance.push(RoundOpening { position, round: *round, guidance });
                }
            }
            Event::ToolCalled { participant, tool, .. } if tool.result.is_some() => {
                let found = self.found.entry(participant.clone()).or_default();
                if found.len() >= KEPT_RESULTS {
                    found.remove(0);
                }
                found.push((position, tool.clone()));
            }
            Event::LoopEnded { .. } => self.loop_ended = Some(position),
            _ => {}
        }
        self.take_result(position, event);
    }

    fn answered(&mut self, position: Position, Answered { turn, participant, given, .. }: &Answered) {
        match given {
            Given::Decision { decision } => self.decided(position, turn.round, decision, false),
            Given::Summary { through, text } => {
                self.summaries.push(Summary { position, through: *through, text: text.clone() });
            }
            Given::Note(note) => {
                let notes = self.notes.entry(participant.clone()).or_default();
                if notes.len() >= KEPT_NOTES {
                    notes.remove(0);
                }
                notes.push((position, note.clone()));
            }
            Given::Interjection(interjection) => self.warnings.push((position, interjection.warnings.clone())),
            Given::Conclusion { conclusion: Conclusion::Summary, text, .. } => {
                self.summed_up = Some((position, text.clone()));
            }
            _ => {}
        }
    }

    fn decided(&mut self, position: Position, round: u32, decision: &ModeratorDecision, fallback: bool) {
        self.decisions.push((position, Decided::new(round, decision, fallback)));
        match decision {
            ModeratorDecision::Opens(plan) => self.done = self.done.or(plan.done.then_some(position)),
            ModeratorDecision::Closes(close) => {
                self.closing = (!close.summary.is_empty()).then(|| close.summary.as_str().into());
                if !fallback {
                    let settled = close.status == RoundStatus::Settled;
                    self.decision = close.decision.as_deref().map(|text| (position, settled, text.into()));
                }
            }
        }
    }

    fn take_result(&mut self, position: Position, event: &Event) {
        let mut known = |key, value: String| self.result.push((position, (key, Foreign::new(value))));
        if let Event::VoteTallied { rule, counts, eligible, received, .. } = event {
            let (unit, thousandths) = unit(*rule);
            let got = |count: u32| match thousandths {
                true => format!("{}.{:03}", count / 1_000, count % 1_000),
                false => count.to_string(),
            };
            let counts: Vec<String> =
                counts.iter().map(|(candidate, count)| format!("{candidate} {}", got(*count))).collect();
            let key = if rule.is_some() { "Votes" } else { "Rankings" };
            known(key, format!("{}{unit} ({received} of {eligible} came)", counts.join(", ")));
        }
        if let Event::VerdictReached { outcome, verdict, winner, reasoning, consensus, .. } = event {
            known("Outcome", outcome_name(*outcome).to_owned());
            for (key, value) in [("Verdict", verdict), ("Winner", winner), ("Reasoning", reasoning)] {
                if let Some(value) = value {
                    known(key, value.to_string());
                }
            }
            if let Some(consensus) = consensus {
                known("Consensus", consensus_line(consensus));
            }
        }
    }

    /// All decisions of the moderator up to a position, one line each: in full, the latest first to be, as far as that takes no more
    /// than so many bytes together; the earlier ones shortened. Of those that the openings of rounds show, only what these leave out.
    pub(crate) fn decisions(&self, sees: Position, most: usize, shown: &[RoundOpening]) -> Vec<Foreign<'_>> {
        let is_shown = |decided: &Decided| shown.iter().any(|opening| opening.round == decided.shown_in);
        let known = self.decisions.partition_point(|(position, _)| *position <= sees);
        let mut left = most;
        let mut lines: Vec<Foreign<'_>> = Vec::with_capacity(known);
        for (_, decided) in self.decisions.iter().take(known).rev() {
            if is_shown(decided) {
                lines.extend(decided.rest.as_ref().map(Foreign::borrowed));
                continue;
            }
            let fits = decided.full.bytes() <= left;
            left = if fits { left - decided.full.bytes() } else { 0 };
            lines.push(if fits { decided.full.borrowed() } else { decided.short.borrowed() });
        }
        lines.reverse();
        lines
    }

    /// The moderator's decision as it stood at a position, and whether it settled the question.
    pub(crate) fn decision(&self, sees: Position) -> Option<(bool, Foreign<'_>)> {
        let (position, settled, text) = self.decision.as_ref()?;
        (*position <= sees && !text.trim().is_empty()).then_some((*settled, Foreign::new(&**text)))
    }

    /// What the moderator says to a round that was opened up to a position.
    pub(crate) fn guidance(&self, sees: Position, of: u32) -> Option<&Guidance> {
        self.openings(sees).iter().rfind(|opening| opening.round == of).map(|opening| &opening.guidance)
    }

    /// What the moderator said when it opened rounds, up to a position.
    pub(crate) fn openings(&self, sees: Position) -> &[RoundOpening] {
        let known = self.guidance.partition_point(|opening| opening.position <= sees);
        self.guidance.get(..known).unwrap_or_default()
    }

    /// The last summary up to a position, by its index.
    pub(crate) fn last_summary(&self, sees: Position) -> Option<usize> {
        self.summaries.iter().rposition(|summary| summary.position <= sees)
    }

    /// The last note of a persona up to a position.
    pub(crate) fn note(&self, sees: Position, of: &ParticipantId) -> Option<&Note> {
        let notes = self.notes.get(of)?;
        notes.iter().rfind(|(position, _)| *position <= sees).map(|(_, note)| note)
    }

    /// What the last tools that somebody used up to a position gave, oldest first.
    pub(crate) fn found(&self, sees: Position, by: &ParticipantId) -> &[(Position, ToolUse)] {
        let found = self.found.get(by).map(Vec::as_slice).unwrap_or_default();
        let known = found.partition_point(|(position, _)| *position <= sees);
        found.get(known.saturating_sub(SHOWN_RESULTS)..known).unwrap_or_default()
    }

    /// What the moderator's last interjection up to a position warned somebody of.
    pub(crate) fn warnings(&self, sees: Position, to: &ParticipantId) -> impl Iterator<Item = Foreign<'_>> {
        let last = self.warnings.iter().rfind(|(position, _)| *position <= sees);
        let remarks = last.map(|(_, remarks)| remarks.as_slice()).unwrap_or_default();
        remarks.iter().filter(move |remark| remark.to == *to).map(|remark| Foreign::new(remark.text.as_str()))
    }

    /// The result as keys and values.
    pub(crate) fn result(&self, sees: Position) -> impl Iterator<Item = (&'static str, Foreign<'_>)> {
        self.result
            .iter()
            .filter(move |(position, _)| *position <= sees)
            .map(|(_, (key, value))| (*key, value.borrowed()))
    }

    /// What the moderator summed the debate up with, up to a position.
    pub(crate) fn summed_up(&self, sees: Position) -> Option<Foreign<'_>> {
        self.summed_up.as_ref().filter(|(position, _)| *position <= sees).map(|(_, text)| Foreign::new(&**text))
    }

    /// Whether the moderator has called a round the last that it opened up to a position.
    pub(crate) fn is_done(&self, sees: Position) -> bool {
        self.done.is_some_and(|done| done <= sees)
    }

    /// Whether the rounds are still on.
    pub(crate) fn in_rounds(&self, sees: Position) -> bool {
        self.loop_ended.is_none_or(|ended| ended > sees)
    }
}

/// What counts are counts of, where they are no votes; and whether they are thousandths.
fn unit(rule: Option<VoteRule>) -> (&'static str, bool) {
    match rule.map_or(VoteUnit::Points, VoteRule::unit) {
        VoteUnit::Votes => ("", false),
        VoteUnit::Approvals => (" approvals", false),
        VoteUnit::Points => (" points", false),
        VoteUnit::Weight => (" by weight", true),
        VoteUnit::MeanScore => (" of 40 on average", true),
    }
}

pub(super) fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Decided => "decided",
        Outcome::Degraded => "decided, with seats missing",
        Outcome::Tie => "tie",
        Outcome::Inconclusive => "inconclusive",
    }
}

fn consensus_line(consensus: &Consensus) -> String {
    let strength = consensus.strength.as_str();
    let answer = consensus.answer.as_deref().map_or_else(String::new, |answer| format!(" for {answer}"));
    let contested = if consensus.contested { ", contested" } else { "" };
    format!("{strength}{contested}: {} of {}{answer}", consensus.top, consensus.eligible)
}
