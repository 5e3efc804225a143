//! What a new debate takes from earlier ones: those that it is told of, and ratings that weigh its votes.
use agon_core::recall::{question, rank};
use agon_core::{Admission, PastDebate, failed_arguments, ratings, ratings_for, wants_ratings};
use agon_proto::Summary;
use agon_store::{Cards, Catalogue, StoreError};

/// So many earlier debates are compared with a new one at the most, the newest.
pub const MOST_COMPARED: usize = 2_000;

/// Why nothing can be said of earlier debates. A debate that asks for them is not held without.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the earlier debates that this one asks for cannot be looked up")]
pub struct RecallError(#[source] pub StoreError);

/// Fills in what an admission takes from earlier debates of its tenant, where its file asks for that: `history` with `history_limit`,
/// `ratings` where votes are weighed by them. Rehearsals and other debates know nothing of each other.
pub async fn recall(catalogue: &dyn Catalogue, admission: &mut Admission) -> Result<(), RecallError> {
    let (told, weighed) = (admission.spec.history_limit > 0, wants_ratings(&admission.spec));
    let most = match (weighed, told) {
        (true, _) => ratings::MOST_DEBATES,
        (false, true) => MOST_COMPARED,
        (false, false) => return Ok(()),
    };
    let tenant = admission.id.tenant();
    let cards = Cards::at_most(most, catalogue, &tenant, admission.rehearsal).await.map_err(RecallError)?;
    if told {
        admission.history = history(admission, &cards);
    }
    if weighed {
        admission.ratings = ratings_for(&admission.spec, &cards.ledger());
    }
    Ok(())
}

/// The earlier debates that are most like the new one, of the newest.
fn history(admission: &Admission, cards: &Cards) -> Vec<PastDebate> {
    let compared = cards.debates.iter().take(MOST_COMPARED).filter(|summary| summary.id != admission.id);
    let failed = usize::try_from(admission.spec.failed_arguments).unwrap_or(usize::MAX);
    let earlier = compared.filter_map(|summary| past_debate(summary, failed)).collect();
    let most = usize::try_from(admission.spec.history_limit).unwrap_or(usize::MAX);
    rank(&question(&admission.spec), earlier, most)
}

/// What a later debate is told of an ended one that left a card, with so many arguments that failed in it at most.
pub fn past_debate(summary: &Summary, failed: usize) -> Option<PastDebate> {
    let card = summary.card.as_ref()?;
    let failed = if failed == 0 { Vec::new() } else { failed_arguments(card).into_iter().take(failed).collect() };
    Some(PastDebate {
        id: summary.id.clone(),
        topic: summary.topic.clone(),
        admitted: summary.admitted,
        outcome: card.outcome,
        verdict: card.verdict.clone(),
        winner: card.winner.clone(),
        failed,
    })
}
