//! Search by meaning, with the vectors of a model.

use std::sync::Arc;
use std::time::Duration;

use agon_llm::ChatModel;
use tokio::time::{Instant, timeout_at};

use super::rank::FoundPassage;
use super::{CANDIDATES, PassageVectors, Rag};
use crate::text::one_line;
use crate::{FindModel, ToolError};

const BATCH: usize = 16;
const MAX_REASON_CHARS: usize = 200;

impl Rag {
    /// The passages nearest to `query`, and what there is to say about them; an error says why there are none.
    pub(super) async fn by_meaning(
        &self,
        tool: &str,
        find: &FindModel,
        model: &str,
        query: &str,
        patience: Duration,
    ) -> Result<(Vec<FoundPassage>, Option<String>), String> {
        let server = find(model).ok_or_else(|| format!("no host has the model `{model}`"))?;
        let until = Instant::now() + patience;
        let late = || format!("the model `{model}` took too long");
        let asked = timeout_at(until, embed(&server, model, vec![query.to_owned()])).await;
        let query = asked.map_err(|_| late())??.pop().ok_or_else(late)?;
        let missing = self.fill(tool, &server, model, until).await?;
        let count = self.config.max_results * CANDIDATES;
        let near = self.with_index(tool, move |index, _| {
            let numbers = nearest(&index.vectors, &query, count);
            index.by_numbers(&numbers)
        });
        let near = near.await.map_err(|error| error.to_string())?;
        let note = (missing > 0).then(|| {
            format!("{missing} passages are not yet known by meaning; they were searched by their words alone.")
        });
        Ok((near, note))
    }

    /// Computes vectors that are missing until the time is up, and says how many still are.
    async fn fill(
        &self,
        tool: &str,
        server: &Arc<dyn ChatModel>,
        model: &str,
        until: Instant,
    ) -> Result<usize, String> {
        // Another call that is at it works for this one too; what is missing after the time is told.
        let turn = timeout_at(until, self.filling.lock()).await;
        loop {
            let next = self.with_index(tool, |index, _| index.without_vector(BATCH)).await;
            let (batch, missing) = next.map_err(|error: ToolError| error.to_string())?;
            if batch.is_empty() || turn.is_err() {
                return Ok(missing);
            }
            let (numbers, texts): (Vec<_>, Vec<_>) =
                batch.into_iter().map(|passage| (passage.number, passage.text)).unzip();
            let Ok(vectors) = timeout_at(until, embed(server, model, texts)).await else { return Ok(missing) };
            let known = numbers.into_iter().zip(vectors?).collect::<PassageVectors>();
            let kept = self.with_index(tool, move |index, _| {
                known.into_iter().for_each(|(number, vector)| index.keep(number, vector));
                Ok(())
            });
            kept.await.map_err(|error| error.to_string())?;
        }
    }
}

async fn embed(server: &Arc<dyn ChatModel>, model: &str, texts: Vec<String>) -> Result<Vec<Vec<f32>>, String> {
    let count = texts.len();
    let vectors = server.embed(model, &texts).await.map_err(|error| {
        format!("the model `{model}` gave no vectors: {}", one_line(&error.kind.to_string(), MAX_REASON_CHARS))
    })?;
    let whole = vectors.len() == count && vectors.iter().all(|vector| !vector.is_empty());
    if whole { Ok(vectors) } else { Err(format!("the model `{model}` gave other vectors than were asked for")) }
}

/// The numbers of the passages with the highest cosine to `query`, best first; other lengths cannot be compared.
fn nearest(vectors: &PassageVectors, query: &[f32], count: usize) -> Vec<i64> {
    let scored = vectors.iter().filter_map(|(number, vector)| Some((cosine(query, vector)?, *number)));
    let mut scored = scored.collect::<Vec<_>>();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.into_iter().take(count).map(|(_, number)| number).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> Option<f32> {
    if a.len() != b.len() {
        return None;
    }
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let length = (dot(a, a) * dot(b, b)).sqrt();
    (length > 0.0).then(|| dot(a, b) / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_and_foreign_lengths_not_at_all() {
        let vectors = PassageVectors::from([
            (1, vec![0.0, 1.0]),
            (2, vec![1.0, 0.1]),
            (3, vec![1.0]),
            (4, vec![0.0, 0.0]),
            (5, vec![1.0, 1.0]),
        ]);

        assert_eq!(nearest(&vectors, &[1.0, 0.0], 9), [2, 5, 1]);
        assert_eq!(nearest(&vectors, &[1.0, 0.0], 1), [2]);
    }
}
