//! Vectors of debates in memory.
use super::DebateVectors;
use agon_core::{DebateId, ModelName};
use std::collections::BTreeMap;

/// So many numbers are kept: 16 MiB. What is beyond is embedded again each time.
const MOST_NUMBERS: usize = 4 * 1024 * 1024;

/// The vectors of each debate, by the model that gave them.
#[derive(Debug, Default)]
pub(crate) struct KeptVectors {
    debates: BTreeMap<DebateId, BTreeMap<ModelName, Vec<f32>>>,
    numbers: usize,
}

impl KeptVectors {
    pub(crate) fn get(&self, model: &ModelName, debate: &DebateId) -> Option<&Vec<f32>> {
        self.debates.get(debate)?.get(model)
    }

    /// Those that are kept of these debates.
    pub(crate) fn of(&self, model: &ModelName, debates: &[DebateId]) -> DebateVectors {
        debates.iter().filter_map(|debate| Some((debate.clone(), self.get(model, debate)?.clone()))).collect()
    }

    /// Keeps a vector while there is room.
    pub(crate) fn keep(&mut self, model: &ModelName, debate: DebateId, vector: Vec<f32>) {
        if self.numbers.saturating_add(vector.len()) <= MOST_NUMBERS {
            self.numbers += vector.len();
            if let Some(old) = self.debates.entry(debate).or_default().insert(model.clone(), vector) {
                self.numbers = self.numbers.saturating_sub(old.len());
            }
        }
    }

    pub(crate) fn forget(&mut self, debate: &DebateId) {
        let gone = self.debates.remove(debate).unwrap_or_default();
        self.numbers = self.numbers.saturating_sub(gone.values().map(Vec::len).sum());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_kept_than_there_is_room_for_and_what_goes_makes_room() {
        let (mut kept, model) = (KeptVectors::default(), ModelName::from("e"));
        let id = |name: &str| DebateId::parse(name).unwrap();
        let large = vec![0.5; MOST_NUMBERS / 2];

        for name in ["debate-1", "debate-2", "debate-3"] {
            kept.keep(&model, id(name), large.clone());
        }
        let has = |kept: &KeptVectors, name| kept.get(&model, &id(name)).is_some();
        assert_eq!([has(&kept, "debate-1"), has(&kept, "debate-2"), has(&kept, "debate-3")], [true, true, false]);

        kept.forget(&id("debate-1"));
        kept.keep(&model, id("debate-3"), large);
        assert_eq!([has(&kept, "debate-1"), has(&kept, "debate-2"), has(&kept, "debate-3")], [false, true, true]);
    }
}
