//! The turn of the embedder: how similar the speeches of a round are, by the vectors of a model.
use super::Play;
use crate::base::clock::millis;
use crate::base::config::HostConfig;
use crate::host::failure;
use crate::host::gate::{CallReport, Permit};
use agon_core::breaker::CallEnd;
use agon_core::{Admission, Answer, Call, Failure, FailureCause};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Characters of a speech that are embedded: models for embeddings take some hundred to some thousand tokens.
const MOST_CHARS: usize = 8_000;
/// Texts of one call.
const BATCH: usize = 32;

impl Play {
    /// Embeds what was not embedded before, and compares.
    pub(super) async fn measure(
        &self,
        config: &HostConfig,
        admission: &Admission,
        round: u32,
        permit: Permit,
        call: &mut Call,
    ) -> Result<Answer, Failure> {
        let gauge = self.replica.gauge(self.work.ask.sees, round);
        let gauge = gauge.ok_or_else(|| Failure::new(FailureCause::Internal, "the log was dropped"))?;
        let texts: Vec<String> = gauge.texts().map(|text| text.chars().take(MOST_CHARS).collect()).collect();
        call.digest = self.host_state.digest(&self.work.ask.model).await;
        let (started, limit) = (Instant::now(), Duration::from_millis(admission.spec.timeout_per_turn_ms));
        let (vectors, end) = match timeout(limit, self.vectors(config, &texts)).await {
            Ok(found) => found,
            Err(_) => {
                let late = format!("{}: no embeddings within {} ms", self.host_state.id, limit.as_millis());
                (
                    Err(Failure::new(FailureCause::Timeout, late)),
                    CallReport { call: CallEnd::Failure, ..CallReport::NEUTRAL },
                )
            }
        };
        permit.report(end);
        call.timing.total_ms = Some(millis(started.elapsed()));
        let vectors: Vec<Vec<f32>> = vectors?.iter().map(|vector| vector.to_vec()).collect();
        let measures = gauge.embeddings(&vectors);
        let measures = measures.ok_or_else(|| malformed("fewer vectors came than texts were sent"))?;
        Ok(Answer::Measures(measures))
    }

    /// The vectors of the texts in their order, and what the gate is to know.
    async fn vectors(&self, config: &HostConfig, texts: &[String]) -> (Result<Vec<Arc<[f32]>>, Failure>, CallReport) {
        let mut known = self.replica.vectors().await;
        let mut missing: Vec<&String> = texts.iter().filter(|text| known.get(text).is_none()).collect();
        missing.sort_unstable();
        missing.dedup();
        let mut fresh = std::collections::BTreeMap::new();
        for batch in missing.chunks(BATCH) {
            let input: Vec<String> = batch.iter().map(|text| (*text).clone()).collect();
            let vectors = match config.client.embed(self.work.ask.model.as_str(), &input).await {
                Ok(vectors) => vectors,
                Err(error) => {
                    let failure = failure::of_embedding(&error, &self.host_state.id);
                    return (Err(failure), failure::end_of_embedding(&error));
                }
            };
            let sound = |vector: &Vec<f32>| !vector.is_empty() && vector.iter().all(|number| number.is_finite());
            if vectors.len() != input.len() || !vectors.iter().all(sound) {
                return (Err(malformed("what came for the texts are no vectors")), CallReport::NEUTRAL);
            }
            for (text, vector) in input.into_iter().zip(vectors) {
                let vector: Arc<[f32]> = vector.into();
                known.keep(&text, vector.clone());
                fresh.insert(text, vector);
            }
        }
        let found = texts.iter().map(|text| known.get(text).or_else(|| fresh.get(text).cloned()));
        let found: Option<Vec<Arc<[f32]>>> = found.collect();
        (found.ok_or_else(|| malformed("fewer vectors came than texts were sent")), CallReport::SUCCESS)
    }
}

fn malformed(what: &str) -> Failure {
    Failure::new(FailureCause::Malformed, what)
}
