//! In which order questions come.
use super::{EvalMachine, OPEN_BLOCKS};
use crate::{EvalSpec, draw};
use std::collections::BTreeMap;

/// Questions of a block.
pub const BLOCK_QUESTIONS: usize = 10;

/// The questions in blocks: shuffled by the seed within each category, and the categories spread evenly over all blocks.
pub fn blocks(spec: &EvalSpec) -> Vec<Vec<u32>> {
    let mut categories: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (index, question) in (0..).zip(&spec.questions) {
        categories.entry(question.category.as_deref().unwrap_or_default()).or_default().push(index);
    }
    let mut places: Vec<(f64, f64, u32)> = Vec::with_capacity(spec.questions.len());
    for (name, mut questions) in categories {
        draw::shuffle(spec.seed, "order", &[&name], &mut questions);
        let (count, shift) = (questions.len() as f64, draw::share(spec.seed, "category", &[&name]));
        // each category is spread evenly, from a start of its own
        let place = |(at, question): (u32, u32)| ((f64::from(at) + shift) / count, shift, question);
        places.extend((0..).zip(questions).map(place));
    }
    places.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.cmp(&other.2)));
    let order: Vec<u32> = places.into_iter().map(|(_, _, question)| question).collect();
    order.chunks(BLOCK_QUESTIONS).map(<[u32]>::to_vec).collect()
}

/// Questions with their repetitions that are asked together.
pub(super) type EvalUnit = Vec<(u32, u32)>;

impl EvalMachine {
    /// The questions of a block with all their repetitions.
    pub(super) fn unit(&self, block: &[u32]) -> EvalUnit {
        let repetitions = self.admission.spec.repetitions;
        (0..repetitions).flat_map(|repetition| block.iter().map(move |question| (*question, repetition))).collect()
    }

    /// The blocks that are open: the first ones that lack something, or, once the eval is being stopped, those that were begun.
    pub(super) fn open_units(&self) -> Vec<EvalUnit> {
        let lacking = (0..).zip(&self.blocks).filter(|(at, _)| self.lacks_any(*at)).map(|(_, block)| self.unit(block));
        let open = lacking.take(self.most_open_blocks());
        match self.stopped.is_some() {
            true => open.filter(|unit| self.is_begun(unit)).collect(),
            false => open.collect(),
        }
    }

    /// Where tokens or money are limited, a block begins when it is known what the one before cost.
    fn most_open_blocks(&self) -> usize {
        let limits = self.admission.spec.limits;
        if limits.tokens.is_some() || limits.money.is_some() { 1 } else { OPEN_BLOCKS }
    }

    /// Whether a block that nobody has begun comes next.
    pub(super) fn wants_new_block(&self) -> bool {
        self.open_units().iter().any(|unit| !self.is_begun(unit))
    }

    /// How many blocks are over, whatever their order.
    pub fn blocks_over(&self) -> u32 {
        let over = (0..self.blocks.len()).filter(|block| self.is_over(*block)).count();
        u32::try_from(over).unwrap_or(u32::MAX)
    }

    /// All blocks.
    pub fn block_count(&self) -> u32 {
        u32::try_from(self.blocks.len()).unwrap_or(u32::MAX)
    }

    /// The questions of the blocks that are over, in the order in which they were asked: figures cover these.
    pub fn questions_over(&self) -> Vec<u32> {
        let over = (0..).zip(&self.blocks).filter(|(at, _)| self.is_over(*at));
        over.flat_map(|(_, block)| block).copied().collect()
    }

    fn is_begun(&self, unit: &EvalUnit) -> bool {
        unit.iter().any(|(question, repetition)| self.cells_of(*question, *repetition).next().is_some())
    }
}
