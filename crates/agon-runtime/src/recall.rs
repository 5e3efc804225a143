//! What a new debate takes from earlier ones: those that it is told of, and ratings that weigh its votes.
use agon_core::recall::{question, rank};
use agon_core::{Admission, DebateState, Ledger, PastDebate, VoteRule, ratings, ratings_for};
use agon_proto::Summary;
use agon_store::{Catalogue, ListState, Query, StoreError};

/// So many earlier debates are compared with a new one at the most, the newest.
pub const MOST_COMPARED: usize = 2_000;

/// Why nothing can be said of earlier debates. A debate that asks for them is not held without.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the earlier debates that this one asks for cannot be looked up")]
pub struct RecallError(#[source] pub StoreError);

/// Fills in what an admission takes from earlier debates of its tenant, where its file asks for that: `history` with `history_limit`,
/// `ratings` where votes are weighed by them. Rehearsals and other debates know nothing of each other.
pub async fn recall(catalogue: &dyn Catalogue, admission: &mut Admission) -> Result<(), RecallError> {
    let told = admission.spec.history_limit > 0;
    let weighed = admission.spec.voting.is_some_and(|voting| voting.rule == VoteRule::Weighted);
    let most = match (weighed, told) {
        (true, _) => ratings::MOST_DEBATES,
        (false, true) => MOST_COMPARED,
        (false, false) => return Ok(()),
    };
    let tenant = Some(admission.id.tenant());
    let states = vec![ListState::Ended(DebateState::Succeeded)];
    let query = Query { tenant, states, limit: most, ..Query::default() };
    let known = catalogue.find(&query).await.map_err(RecallError)?;
    if told {
        admission.history = history(admission, &known);
    }
    if weighed {
        let counted = known.iter().filter(|summary| counts(admission, summary));
        let cards = counted.filter_map(|it| Some((it.id.clone(), it.admitted, it.topic.as_str(), it.card.as_ref()?)));
        admission.ratings = ratings_for(&admission.spec, &Ledger::fold(cards));
    }
    Ok(())
}

/// The earlier debates that are most like the new one, of the newest that are known.
fn history(admission: &Admission, known: &[Summary]) -> Vec<PastDebate> {
    let compared = known.iter().take(MOST_COMPARED).filter(|summary| counts(admission, summary));
    let earlier = compared.filter_map(past).collect();
    let most = usize::try_from(admission.spec.history_limit).unwrap_or(usize::MAX);
    rank(&question(&admission.spec), earlier, most)
}

/// Whether an earlier debate may say something to the new one.
fn counts(admission: &Admission, summary: &Summary) -> bool {
    summary.rehearsal == admission.rehearsal && summary.id != admission.id
}

fn past(summary: &Summary) -> Option<PastDebate> {
    let card = summary.card.as_ref()?;
    Some(PastDebate {
        id: summary.id.clone(),
        topic: summary.topic.clone(),
        admitted: summary.admitted,
        outcome: card.outcome,
        verdict: card.verdict.clone(),
        winner: card.winner.clone(),
    })
}
