//! What the catalogue is told of debates. It is a hint: that it fails stops nothing.
use crate::base::shared::Shared;
use agon_core::{Admission, Debate, DebateId, NodeId, Position, SummaryFigures, Timestamp};
use agon_proto::{DebateSummary, SummaryState};
use std::time::Duration;

/// So many characters of a topic are kept for listings.
const TOPIC_CHARS: usize = 200;
/// How long the catalogue may take for a note.
const NOTE_PATIENCE: Duration = Duration::from_secs(5);

/// The note of a debate that was just admitted.
pub(crate) fn admitted(admission: &Admission, at: Timestamp) -> DebateSummary {
    DebateSummary { figures: Some(SummaryFigures::of_admission(admission)), ..entry(admission, at) }
}

/// What is known of a debate by its admission, without figures.
fn entry(admission: &Admission, at: Timestamp) -> DebateSummary {
    DebateSummary {
        id: admission.id.clone(),
        topic: admission.spec.topic.chars().take(TOPIC_CHARS).collect(),
        state: SummaryState::Queued,
        labels: admission.labels.clone(),
        priority: admission.priority,
        creator: admission.creator.clone(),
        rehearsal: admission.rehearsal,
        epoch: 0,
        last: Position(1),
        admitted: at,
        updated: at,
        card: None,
        paused_ms: 0,
        claimed: None,
        rounds: Some(0),
        figures: None,
    }
}

/// The note of a debate as it stands: ended, or waiting to be resumed, or with this owner, or waiting for one.
pub(crate) fn standing(
    debate: &Debate,
    admitted_at: Timestamp,
    now: Timestamp,
    owner: Option<NodeId>,
) -> DebateSummary {
    let state = match (debate.ended(), owner) {
        (Some((state, outcome)), _) => SummaryState::Ended { state, outcome },
        (None, owner) => match (debate.halt(), owner) {
            (Some(halt), _) => SummaryState::Halted(halt),
            (None, Some(owner)) => SummaryState::Running { owner },
            (None, None) => SummaryState::Queued,
        },
    };
    DebateSummary {
        state,
        epoch: debate.epoch(),
        last: debate.position(),
        updated: now,
        card: debate.card(),
        paused_ms: debate.left_out_ms(),
        claimed: debate.claimed_at(),
        rounds: Some(debate.rounds()),
        figures: Some(debate.summary_figures()),
        ..entry(debate.admission(), admitted_at)
    }
}

/// The note of a debate that is not to be left alone, halted or not: somebody is to end it.
pub(crate) fn open(summary: DebateSummary, state: SummaryState) -> DebateSummary {
    let halted = matches!(summary.state, SummaryState::Halted(_));
    DebateSummary { state: if halted { state } else { summary.state }, ..summary }
}

/// Notes what is known of a debate; whether that worked. What no server may take up is noted as such, until it has ended.
pub(crate) async fn note(shared: &Shared, mut summary: DebateSummary) -> bool {
    let debate = summary.id.clone();
    match summary.state {
        SummaryState::Queued | SummaryState::Running { .. } if !shared.config.takes_jobs => {
            summary.state = SummaryState::Local;
        }
        SummaryState::Queued
        | SummaryState::Running { .. }
        | SummaryState::Local
        | SummaryState::Halted(_)
        | SummaryState::Ended { .. } => {}
    }
    match tokio::time::timeout(NOTE_PATIENCE, shared.catalogue.note(summary)).await {
        Ok(Ok(())) => return true,
        Ok(Err(error)) => tracing::warn!(%debate, %error, "debate not noted in the catalogue"),
        Err(_) => tracing::warn!(%debate, "debate not noted in the catalogue, which does not answer"),
    }
    false
}

/// What the catalogue knows of a debate; nothing where it fails.
pub(crate) async fn known(shared: &Shared, debate: &DebateId) -> Option<DebateSummary> {
    match tokio::time::timeout(NOTE_PATIENCE, shared.catalogue.get_summary(debate)).await {
        Ok(Ok(summary)) => summary,
        Ok(Err(error)) => {
            tracing::warn!(%debate, %error, "the catalogue cannot be asked");
            None
        }
        Err(_) => {
            tracing::warn!(%debate, "the catalogue does not answer");
            None
        }
    }
}
