//! A model name as if something were loaded under it.

use std::sync::{
    Arc, Mutex, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::Semaphore;

use crate::{cache::PromptCache, config::RehearsalConfig, playback::Reel, stats::lock, wire};

/// The context every rehearsal model claims, in tokens.
pub const CONTEXT_LENGTH: u64 = 131_072;

/// The state of one model name.
#[derive(Debug)]
pub struct Model {
    /// The name as it was asked for.
    pub name: String,
    /// A stable fake digest.
    pub digest: String,
    /// Its running calls, when they are limited.
    pub seats: Option<Arc<Semaphore>>,
    /// What it has seen.
    pub cache: Mutex<PromptCache>,
    loaded: AtomicBool,
    filler: OnceLock<Reel>,
}

impl Model {
    /// A model that nobody has used.
    pub fn new(name: &str, config: &RehearsalConfig) -> Self {
        Self {
            name: name.to_owned(),
            digest: digest(name),
            seats: config.parallel.map(|seats| Arc::new(Semaphore::new(seats.max(1)))),
            cache: Mutex::new(PromptCache::new(config.slots, config.ram_cache_tokens)),
            loaded: AtomicBool::new(false),
            filler: OnceLock::new(),
        }
    }

    /// Marks it as loaded or not; an unloaded model has forgotten what it saw.
    pub fn set_loaded(&self, loaded: bool) {
        if self.loaded.swap(loaded, Ordering::Relaxed) && !loaded {
            lock(&self.cache).clear();
        }
    }

    /// Whether it counts as loaded.
    pub fn is_loaded(&self) -> bool {
        self.loaded.load(Ordering::Relaxed)
    }

    /// The fixed-length answer of this model, encoded once.
    pub fn filler(&self, tokens: u32, chunk: usize) -> &Reel {
        self.filler.get_or_init(|| Reel::record(&wire::WireLines::chat(&self.name), &filler_pieces(tokens), chunk))
    }
}

/// Words of one token each, in an order that does not repeat: text that goes in circles is no speech.
pub fn filler_pieces(tokens: u32) -> Vec<&'static str> {
    const WORDS: [&str; 8] = [" this", " is", " a", " line", " of", " the", " play", " ;"];
    let mut state = 1_u32;
    let mut next = || {
        // the generator of the C standard's example
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        WORDS.get((state >> 16) as usize % WORDS.len()).copied().unwrap_or_default()
    };
    (0..tokens).map(|_| next()).collect()
}

/// A digest that no real model can have.
pub fn digest(name: &str) -> String {
    format!("rehearsal:{}", blake3::hash(full_name(name).as_bytes()).to_hex())
}

/// The name with its tag, as Ollama completes it.
pub fn full_name(name: &str) -> String {
    if name.contains(':') { name.to_owned() } else { format!("{name}:latest") }
}

/// Whether a model of this name calls tools: all do but those that say otherwise.
pub fn has_tools(name: &str) -> bool {
    !name.contains("no-tools")
}

/// Whether a model of this name embeds: all do but those that say otherwise.
pub fn embeds(name: &str) -> bool {
    !name.contains("no-embed")
}
