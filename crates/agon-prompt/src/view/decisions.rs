//! The moderator's decisions, as it is reminded of them.
use crate::text::{cut, one_line};
use agon_core::fence::Foreign;
use agon_core::{ModeratorDecision, RoundPlan, RoundStatus, RoundSummary};

/// A decision of the moderator on one line: in full, with each text cut short, and what of it the transcript does not show where it shows the
/// opening of a round.
pub(super) struct Decided {
    /// The round whose opening shows it.
    pub(super) shown_in: u32,
    pub(super) full: Foreign<'static>,
    pub(super) short: Foreign<'static>,
    pub(super) rest: Option<Foreign<'static>>,
}

/// How much of each text a short line of a decision keeps.
const DECISION_LENGTH: usize = 160;
impl Decided {
    pub(super) fn new(round: u32, decision: &ModeratorDecision, fallback: bool) -> Self {
        let line = |most| Foreign::new(decision_line(round, decision, (fallback, most)));
        let shown_in = match decision {
            ModeratorDecision::Opens(_) => round,
            ModeratorDecision::Closes(_) => round.saturating_add(1),
        };
        let rest = undisclosed(round, decision, fallback).map(Foreign::new);
        Self { shown_in, full: line(usize::MAX), short: line(DECISION_LENGTH), rest }
    }
}

/// What of a decision the opening of a round does not show; none where that is nothing.
fn undisclosed(round: u32, decision: &ModeratorDecision, fallback: bool) -> Option<String> {
    let (decision, tells) = match decision {
        ModeratorDecision::Opens(plan) => {
            let plan = RoundPlan { briefing: None, new_angle: None, ..plan.clone() };
            let tells = !plan.next_speakers.is_empty();
            (ModeratorDecision::Opens(plan), tells)
        }
        ModeratorDecision::Closes(close) => {
            let tells = close.status == RoundStatus::Settled || close.decision.is_some();
            (ModeratorDecision::Closes(RoundSummary { summary: String::new(), ..close.clone() }), tells)
        }
    };
    (tells || fallback).then(|| decision_line(round, &decision, (fallback, usize::MAX)))
}

/// The decision on one line, each of its texts cut after so many characters.
fn decision_line(round: u32, decision: &ModeratorDecision, (fallback, most): (bool, usize)) -> String {
    let mut line = match decision {
        ModeratorDecision::Opens(plan) => {
            let speakers: Vec<String> = plan.next_speakers.iter().map(ToString::to_string).collect();
            let mut line = format!("opened round {round}");
            let parts = [
                ("speakers", Some(speakers.join(", "))),
                ("briefing", plan.briefing.clone()),
                ("angle", plan.new_angle.clone()),
            ];
            for (what, value) in parts {
                if let Some(value) = value.filter(|value| !value.is_empty()) {
                    line.push_str(&format!("; {what}: {}", cut(&one_line(&value), most)));
                }
            }
            line
        }
        ModeratorDecision::Closes(summary) => {
            let status = match summary.status {
                RoundStatus::Settled => "settled",
                RoundStatus::Continue => "continue",
            };
            let mut line = format!("closed round {round} as {status}");
            if !summary.summary.is_empty() {
                line.push_str(&format!(": {}", cut(&one_line(&summary.summary), most)));
            }
            if let Some(decision) = summary.decision.as_deref().filter(|decision| !decision.trim().is_empty()) {
                line.push_str(&format!("; decision: {}", cut(&one_line(decision), most)));
            }
            line
        }
    };
    if fallback {
        line.push_str(" (put in place of an answer that could not be had)");
    }
    line
}
