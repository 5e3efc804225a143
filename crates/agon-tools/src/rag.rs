//! Search in the user's own files, by words and, where a model gives vectors, by meaning.

mod chunk;
mod files;
mod html;
mod index;
mod rank;
mod vectors;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::{FindModel, RagConfig, ToolError};
pub(crate) use html::text as plain_text;
use index::PassageIndex;
use rank::{FoundPassage, fuse};

pub(crate) const DESCRIPTION: &str =
    "Searches documents that the host provides. Gives the passages that fit best, each with its file and lines.";

/// How many candidates each way of searching hands to the common ranking, per result that is wanted.
const CANDIDATES: usize = 4;

/// A set of files and what was read of them.
pub(crate) struct Rag {
    config: RagConfig,
    index: Arc<Mutex<Option<PassageIndex>>>,
    /// Held by the call that computes vectors, so that two do not compute the same.
    filling: tokio::sync::Mutex<()>,
}

/// The schema of its arguments.
pub(crate) fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "What to look for, as keywords or a question."}},
        "required": ["query"],
        "additionalProperties": false
    })
}

#[derive(Deserialize)]
struct RagArguments {
    query: String,
}

impl Rag {
    pub(crate) fn new(config: RagConfig) -> Self {
        Self { config, index: Arc::default(), filling: tokio::sync::Mutex::new(()) }
    }

    /// Searches; `patience` bounds how long vectors of new passages are computed before the search goes on without them.
    pub(crate) async fn run(
        &self,
        tool: &str,
        find: &FindModel,
        arguments: Value,
        patience: Duration,
    ) -> Result<String, ToolError> {
        let RagArguments { query } =
            serde_json::from_value(arguments).map_err(|error| ToolError::malformed(tool, error.to_string()))?;
        let wanted = self.config.max_results;
        let (roots, words) = (self.config.paths.clone(), query.clone());
        let (by_words, mut notes) = self
            .with_index(tool, move |index, stop| {
                let skipped = index.refresh(&roots, stop)?;
                Ok((index.by_words(&words, wanted * CANDIDATES)?, skipped.notes()))
            })
            .await?;
        let by_meaning = match &self.config.embedding_model {
            None => Vec::new(),
            Some(model) => match self.by_meaning(tool, find, model, &query, patience).await {
                Ok((passages, note)) => {
                    notes.extend(note);
                    passages
                }
                Err(reason) => {
                    notes.push(format!("These passages were found by their words alone: {reason}."));
                    Vec::new()
                }
            },
        };
        Ok(text(&fuse([by_words, by_meaning], wanted), &notes))
    }

    /// Runs `work` on the index, off the async threads; it is told to stop when the caller goes away.
    async fn with_index<T: Send + 'static>(
        &self,
        tool: &str,
        work: impl FnOnce(&mut PassageIndex, &AtomicBool) -> Result<T, index::IndexError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let (shared, stop) = (Arc::clone(&self.index), Arc::new(AtomicBool::new(false)));
        let _stopper = Stopper(Arc::clone(&stop));
        let done = spawn_blocking(move || {
            let mut slot = shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let index = match slot.take() {
                Some(index) => slot.insert(index),
                None => slot.insert(PassageIndex::new()?),
            };
            work(index, &stop)
        });
        let result = done.await.map_err(|_| ToolError::Died { tool: tool.to_owned() })?;
        result.map_err(|error| ToolError::unavailable(tool, error.to_string()))
    }
}

/// Tells work that goes on elsewhere that nobody waits for it any more.
struct Stopper(Arc<AtomicBool>);

impl Drop for Stopper {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn text(passages: &[FoundPassage], notes: &[String]) -> String {
    let mut text = String::new();
    if passages.is_empty() {
        text.push_str("Nothing was found.\n");
    }
    for (number, passage) in (1..).zip(passages) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[{number}] {}\n{}\n", passage.place(), passage.text.trim());
    }
    for note in notes {
        let _ = writeln!(text, "({note})");
    }
    text
}

/// Vectors by the number of their passage.
type PassageVectors = BTreeMap<i64, Vec<f32>>;
