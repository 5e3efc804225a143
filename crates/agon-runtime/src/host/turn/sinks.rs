//! Where the pieces of an answer go while it comes.
use super::cut::{Ear, SpokenText};
use crate::host::gate::Witness;
use crate::host::turn::deltas::Batcher;
use agon_llm::DeltaSink;
use std::sync::Arc;

/// Where the pieces of a speech go: to watchers, and to the ear of whoever may interrupt.
pub(super) struct SpeechSink {
    pub(super) batcher: Batcher,
    pub(super) ear: Option<Arc<Ear>>,
    pub(super) said: Arc<SpokenText>,
    pub(super) witness: Witness,
}
impl DeltaSink for SpeechSink {
    fn text(&mut self, delta: &str) {
        self.witness.sees();
        self.said.hear(delta);
        if let Some(ear) = &self.ear {
            ear.hear(delta);
        }
        self.batcher.text(delta);
    }
    fn thinking(&mut self, _chars: usize) {
        self.witness.sees();
    }
    fn retract(&mut self) {
        self.said.forget();
        if let Some(ear) = &self.ear {
            ear.forget();
        }
        self.batcher.retract();
    }
    fn loading(&mut self) {
        self.batcher.loading();
    }
}

/// Where the pieces of an answer go that nobody hears.
pub(super) struct UnheardSink {
    pub(super) said: Arc<SpokenText>,
    pub(super) witness: Witness,
}
impl DeltaSink for UnheardSink {
    fn text(&mut self, delta: &str) {
        self.witness.sees();
        self.said.hear(delta);
    }
    fn thinking(&mut self, _chars: usize) {
        self.witness.sees();
    }
    fn retract(&mut self) {
        self.said.forget();
    }
}
