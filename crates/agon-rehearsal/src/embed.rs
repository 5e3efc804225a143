//! `/api/embed`: a bag of hashed words, so that texts with the same words are near each other.

use std::sync::Arc;

use axum::{body::Bytes, extract::State, http::StatusCode, response::Response};
use serde::Deserialize;
use serde_json::json;

use crate::{
    model::embeds,
    server_state::ServerState,
    token,
    wire::{error, json_response},
};

/// Length of a vector unless the caller asks for another.
const DIMENSIONS: usize = 256;
/// Longest vector one may ask for.
const MOST_DIMENSIONS: usize = 8192;

#[derive(Debug, Deserialize)]
struct EmbedRequest {
    #[serde(default)]
    model: String,
    #[serde(default)]
    input: EmbedInput,
    #[serde(default)]
    dimensions: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum EmbedInput {
    One(String),
    Many(Vec<String>),
}

impl Default for EmbedInput {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

/// `POST /api/embed`.
pub async fn embed(State(stage): State<Arc<ServerState>>, body: Bytes) -> Response {
    let asked: EmbedRequest = match serde_json::from_slice(&body) {
        Ok(asked) => asked,
        Err(problem) => return error(StatusCode::BAD_REQUEST, &problem.to_string()),
    };
    let Some(model) = stage.model(&asked.model) else {
        return error(StatusCode::NOT_FOUND, &format!("model '{}' not found", asked.model));
    };
    if !embeds(&asked.model) {
        return error(StatusCode::NOT_IMPLEMENTED, "this model does not support embeddings");
    }
    model.set_loaded(true);
    let texts = match asked.input {
        EmbedInput::One(text) => vec![text],
        EmbedInput::Many(texts) => texts,
    };
    let dimensions = asked.dimensions.filter(|n| *n > 0).unwrap_or(DIMENSIONS).min(MOST_DIMENSIONS);
    let vectors: Vec<Vec<f32>> = texts.iter().map(|text| vector(text, dimensions)).collect();
    let tokens: u64 = texts.iter().map(|text| token::count(text)).sum();
    stage.counters.embedded(texts.len() as u64);
    let body = json!({ "model": asked.model, "embeddings": vectors, "total_duration": tokens * 1000, "prompt_eval_count": tokens });
    json_response(StatusCode::OK, body.to_string())
}

/// The normalised vector of a text: every word and, at half weight, every pair of neighbours adds to one place with a sign.
fn vector(text: &str, dimensions: usize) -> Vec<f32> {
    let mut sums = vec![0.0_f32; dimensions];
    let mut before = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2) {
        let word = word.to_lowercase();
        add(&mut sums, &word, 1.0);
        add(&mut sums, &format!("{before} {word}"), 0.5);
        before = word;
    }
    let length = sums.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        sums.iter_mut().for_each(|x| *x /= length);
    } else if let Some(first) = sums.first_mut() {
        *first = 1.0; // a text without words still has a direction
    }
    sums
}

fn add(sums: &mut [f32], feature: &str, weight: f32) {
    let hash = blake3::hash(feature.as_bytes());
    let bits = hash.as_bytes().iter().take(8).fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
    let place = usize::try_from((bits >> 1) % sums.len().max(1) as u64).unwrap_or(0);
    if let Some(sum) = sums.get_mut(place) {
        *sum += if bits & 1 == 0 { weight } else { -weight };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(a: &str, b: &str) -> f32 {
        vector(a, DIMENSIONS).iter().zip(vector(b, DIMENSIONS)).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn vectors_are_normalised_and_near_when_the_words_are_the_same() {
        let (a, b, c) = ("the monolith stays", "the monolith stays here", "pineapple belongs on pizza");
        assert!((likeness(a, a) - 1.0).abs() < 1e-5);
        assert!((likeness("", "") - 1.0).abs() < 1e-5);
        assert!(likeness(a, b) > 0.7 && likeness(a, c) < 0.3, "{} {}", likeness(a, b), likeness(a, c));
    }
}
