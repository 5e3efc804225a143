//! What a new debate takes from earlier ones: those that it is told of, and ratings that weigh its votes.
use agon_archive::recall::{gist, question, rank, rank_by_vectors};
use agon_archive::{failed_arguments, ratings, ratings_for, wants_ratings};
use agon_core::{Admission, Method, ModelName, PastDebate, Recalled};
use agon_llm::ChatModel;
use agon_proto::DebateSummary;
use agon_store::{Cards, Catalogue, DebateVectors, StoreError};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// So many earlier debates are compared with a new one at the most, the newest.
pub const MOST_COMPARED: usize = 2_000;
/// So many of them are embedded for one debate at the most, the newest; the next debate embeds more.
pub const MOST_EMBEDDED: usize = 256;
/// Texts of one call.
const BATCH: usize = 32;
/// Characters of a question that are embedded.
const MOST_CHARS: usize = 8_000;
/// How long embedding may take altogether. A gateway has to answer within 10 s.
const PATIENCE: Duration = Duration::from_secs(6);

/// Who gives the vectors of texts; none where no host of this process serves the model.
pub type Embedder = Option<Arc<dyn ChatModel>>;

/// Why nothing can be said of earlier debates. A debate that asks for them is not held without.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the earlier debates that this one asks for cannot be looked up")]
pub struct RecallError(#[source] pub StoreError);

/// Fills in what an admission takes from earlier debates of its tenant, where its file asks for that: `history` with `history_limit`,
/// `ratings` where votes are weighed by them. Rehearsals and other debates know nothing of each other.
///
/// Where the file names an embedding model, `embedder` compares the debates, or words do if it cannot.
pub async fn recall(
    catalogue: &dyn Catalogue,
    embedder: Embedder,
    admission: &mut Admission,
) -> Result<(), RecallError> {
    let (told, weighed) = (admission.spec.history_limit > 0, wants_ratings(&admission.spec));
    let most = match (weighed, told) {
        (true, _) => ratings::MOST_DEBATES,
        (false, true) => MOST_COMPARED,
        (false, false) => return Ok(()),
    };
    let tenant = admission.id.tenant();
    let cards = Cards::at_most(most, catalogue, &tenant, admission.rehearsal).await.map_err(RecallError)?;
    if told {
        (admission.history, admission.recalled) = history(catalogue, embedder, admission, &cards).await;
    }
    if weighed {
        admission.ratings = ratings_for(&admission.spec, &cards.ledger());
    }
    Ok(())
}

/// The earlier debates that are most like the new one, of the newest, and how they were found if not by words alone.
async fn history(
    catalogue: &dyn Catalogue,
    embedder: Embedder,
    admission: &Admission,
    cards: &Cards,
) -> (Vec<PastDebate>, Option<Recalled>) {
    let compared = cards.debates.iter().take(MOST_COMPARED).filter(|summary| summary.id != admission.id);
    let failed = usize::try_from(admission.spec.failed_arguments).unwrap_or(usize::MAX);
    let earlier: Vec<PastDebate> = compared.filter_map(|summary| past_debate(summary, failed)).collect();
    let (question, most) = (question(&admission.spec), usize::try_from(admission.spec.history_limit));
    let most = most.unwrap_or(usize::MAX);
    let Some(model) = admission.spec.similarity.embedding_model.clone().filter(|_| !earlier.is_empty()) else {
        return (rank(&question, earlier, most), None);
    };
    let embedding =
        embedder.map(|server| ComparisonModel { server, model: model.clone(), until: Instant::now() + PATIENCE });
    let found = match &embedding {
        Some(embedding) => embedding.compare(catalogue, &question, &earlier, most).await,
        None => None,
    };
    match found {
        Some(found) => (found, Some(Recalled { method: Method::Embeddings, model })),
        None => {
            tracing::warn!(%model, "earlier debates compared by words, no embeddings");
            (rank(&question, earlier, most), Some(Recalled { method: Method::WordsInstead, model }))
        }
    }
}

/// A model that compares earlier debates with a new one, and until when it may.
struct ComparisonModel {
    server: Arc<dyn ChatModel>,
    model: ModelName,
    until: Instant,
}

impl ComparisonModel {
    /// The debates most like the question, of those whose vector is kept or could be had; none where the model gives no vectors.
    async fn compare(
        &self,
        catalogue: &dyn Catalogue,
        question: &str,
        earlier: &[PastDebate],
        most: usize,
    ) -> Option<Vec<PastDebate>> {
        let asked = self.embed(vec![question.chars().take(MOST_CHARS).collect()]).await?.pop()?;
        let ids: Vec<_> = earlier.iter().map(|past| past.id.clone()).collect();
        let mut known = catalogue.vectors(&self.model, &ids).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "kept vectors not read");
            DebateVectors::new()
        });
        // The same name may have been given to other weights.
        known.retain(|_, vector| vector.len() == asked.len());
        let fresh = self.missing(earlier, &known).await;
        if !fresh.is_empty() {
            let kept = catalogue.keep_vectors(&self.model, fresh.clone()).await;
            kept.unwrap_or_else(|error| tracing::warn!(%error, "vectors not kept"));
        }
        known.extend(fresh);
        if known.is_empty() {
            return None;
        }
        let with_vectors = earlier.iter().filter_map(|past| Some((past.clone(), known.remove(&past.id)?)));
        Some(rank_by_vectors(&asked, with_vectors.collect(), most))
    }

    /// The vectors of those that have none, as many as may be had in time.
    async fn missing(&self, earlier: &[PastDebate], known: &DebateVectors) -> DebateVectors {
        let missing = earlier.iter().filter(|past| !known.contains_key(&past.id)).take(MOST_EMBEDDED);
        let missing: Vec<&PastDebate> = missing.collect();
        let mut fresh = DebateVectors::new();
        for batch in missing.chunks(BATCH) {
            let Some(vectors) = self.embed(batch.iter().map(|past| gist(past)).collect()).await else { break };
            fresh.extend(batch.iter().map(|past| past.id.clone()).zip(vectors));
        }
        fresh
    }

    /// A vector for each text, in time and sound, or none at all.
    async fn embed(&self, texts: Vec<String>) -> Option<Vec<Vec<f32>>> {
        let vectors = timeout_at(self.until, self.server.embed(self.model.as_str(), &texts)).await.ok()?;
        let vectors =
            vectors.inspect_err(|error| tracing::debug!(%error, model = %self.model, "no embeddings")).ok()?;
        let sound = |vector: &Vec<f32>| !vector.is_empty() && vector.iter().all(|number| number.is_finite());
        (vectors.len() == texts.len() && vectors.iter().all(sound)).then_some(vectors)
    }
}

/// What a later debate is told of an ended one that left a card, with so many arguments that failed in it at most.
pub fn past_debate(summary: &DebateSummary, failed: usize) -> Option<PastDebate> {
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
