//! All cells of an eval, and the ids of their debates.
use crate::{ArmName, BaselineArm, Cell, CellWork, EvalSpec, FIRST_SAMPLES, Pool, PoolOf, Question, pool_of};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Of what ids are made; another number gives every cell another debate.
const ID_FORMAT: u32 = 1;
/// Letters of an id after its two first ones: 130 bits.
const ID_LETTERS: usize = 26;
/// Bytes that so many letters are made of.
const ID_BYTES: usize = 17;

/// What the debate of a cell is made of. Two cells that agree in all of it are the same debate.
#[derive(Clone, Debug)]
pub struct CellIdentity<'a> {
    /// The question; gold answer, category and group are not looked at.
    pub question: &'a Question,
    /// The normal form of its spec.
    pub spec: &'a Value,
    /// The digest of every model that it asks.
    pub digests: &'a BTreeMap<String, String>,
    /// From 0.
    pub repetition: u32,
    /// Number of the first sample of a poll in its pool, so that no two blocks of samples are the same.
    pub first_sample: u32,
    /// How often the cell failed before and was ordered again.
    pub attempt: u32,
    /// The eval's seed.
    pub seed: u64,
    /// The eval, where its debates must not be those of another: a digest is unknown, or everything is to be held afresh.
    pub only_in: Option<&'a str>,
}

/// The id and seed of a cell's debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellDebate {
    /// `ev` and 26 letters and digits.
    pub id: String,
    /// Of 53 bits, because JSON's numbers have no more.
    pub seed: u64,
}

/// Whether an id is one of a cell's debate.
pub fn is_cell_id(id: &str) -> bool {
    let letters = id.strip_prefix("ev").unwrap_or_default();
    letters.len() == ID_LETTERS && letters.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7'))
}

impl CellIdentity<'_> {
    /// The debate: by BLAKE3 of all that it is made of.
    pub fn debate(&self) -> CellDebate {
        let Question { text, options, context, id: _, gold: _, category: _, group: _ } = self.question;
        let identity = json!({
            "format": ID_FORMAT,
            "question": {"text": text, "options": options, "context": context},
            "spec": self.spec,
            "digests": self.digests,
            "repetition": self.repetition,
            "first_sample": self.first_sample,
            "attempt": self.attempt,
            "seed": self.seed,
            "only_in": self.only_in,
        });
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"agon eval cell\n").update(identity.to_string().as_bytes());
        let mut bytes = [0; ID_BYTES];
        let mut output = hasher.finalize_xof();
        output.fill(&mut bytes);
        let letters: String = data_encoding::BASE32_NOPAD.encode(&bytes).chars().take(ID_LETTERS).collect();
        let mut seed = [0; 8];
        output.fill(&mut seed);
        CellDebate { id: format!("ev{}", letters.to_lowercase()), seed: u64::from_le_bytes(seed) >> 11 }
    }
}

/// The cells of a question that can be opened before anything is known of it: its debates, and the first samples of each pool, which
/// say how many more are worth a debate's tokens.
pub fn first_cells(spec: &EvalSpec, pools: &[Pool], question: u32, repetition: u32) -> Vec<Cell> {
    let cell = |work| Cell { question, repetition, work };
    let mut cells = Vec::new();
    for debate in &spec.debates {
        cells.push(cell(CellWork::Debate { arm: debate.name.clone() }));
        if debate.isolated {
            cells.push(cell(CellWork::Isolated { arm: debate.name.clone() }));
        }
    }
    for (number, pool) in (0..).zip(pools) {
        cells.push(cell(CellWork::Samples { pool: number, first: 0, count: pool.first(spec) }));
    }
    cells
}

/// How many samples of a pool are drawn at first: one, where no method draws more by what these cost.
pub fn first_samples(spec: &EvalSpec, of: PoolOf) -> u32 {
    let is_matched = |arm: &BaselineArm| *arm != BaselineArm::Single && pool_kind(*arm) == of;
    if spec.arms.iter().any(is_matched) { FIRST_SAMPLES } else { 1 }
}

/// The methods without a debate that draw on a pool, with the debate that each is matched to.
pub fn users_of<'a>(spec: &'a EvalSpec, pools: &'a [Pool], pool: u32) -> Vec<(BaselineArm, &'a ArmName)> {
    let drawn = |arm: &&BaselineArm| matches!(arm, BaselineArm::SelfConsistency | BaselineArm::JudgeAlone);
    let methods = spec.arms.iter().filter(drawn);
    let pairs = methods.flat_map(|method| spec.debates.iter().map(move |debate| (*method, &debate.name)));
    pairs.filter(|(method, arm)| pool_of(pools, pool_kind(*method), arm) == Some(pool)).collect()
}

/// Whose samples a method without a debate takes.
pub fn pool_kind(method: BaselineArm) -> PoolOf {
    match method {
        BaselineArm::Single | BaselineArm::SelfConsistency | BaselineArm::BestOfN => PoolOf::Debaters,
        BaselineArm::JudgeAlone => PoolOf::Judge,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Gold;

    fn question() -> Question {
        Question {
            id: "q1".to_owned(),
            text: "Which?".to_owned(),
            options: vec!["a".to_owned(), "b".to_owned()],
            context: None,
            gold: Gold::Choice { right: vec![0] },
            category: Some("letters".to_owned()),
            group: None,
        }
    }

    fn identity<'a>(
        question: &'a Question,
        spec: &'a Value,
        digests: &'a BTreeMap<String, String>,
    ) -> CellIdentity<'a> {
        CellIdentity { question, spec, digests, repetition: 0, first_sample: 0, attempt: 0, seed: 7, only_in: None }
    }

    #[test]
    fn an_id_is_one_of_a_debate_and_the_gold_answer_does_not_change_it() {
        let (spec, digests) = (json!({"topic": "Which?"}), BTreeMap::new());
        let known = question();
        let other =
            Question { gold: Gold::Choice { right: vec![1] }, category: None, id: "x".to_owned(), ..question() };
        let debate = identity(&known, &spec, &digests).debate();
        assert_eq!(debate, identity(&other, &spec, &digests).debate());
        assert_eq!(debate.id.len(), 28);
        assert!(agon_core::DebateId::parse(&debate.id).is_ok(), "{}", debate.id);
        assert!(debate.seed < 1 << 53);
    }

    #[test]
    fn whatever_a_debate_is_made_of_changes_its_id() {
        let (spec, digests, question) = (json!({"topic": "Which?"}), BTreeMap::new(), question());
        let base = identity(&question, &spec, &digests);
        let (other_spec, other_digests) =
            (json!({"topic": "What?"}), BTreeMap::from([("m".to_owned(), "d".to_owned())]));
        let other_question = Question { context: Some("c".to_owned()), ..question.clone() };
        let variants = [
            base.clone(),
            CellIdentity { question: &other_question, ..base.clone() },
            CellIdentity { spec: &other_spec, ..base.clone() },
            CellIdentity { digests: &other_digests, ..base.clone() },
            CellIdentity { repetition: 1, ..base.clone() },
            CellIdentity { first_sample: 4, ..base.clone() },
            CellIdentity { attempt: 1, ..base.clone() },
            CellIdentity { seed: 8, ..base.clone() },
            CellIdentity { only_in: Some("e"), ..base.clone() },
        ];
        let ids: std::collections::BTreeSet<String> = variants.iter().map(|one| one.debate().id).collect();
        assert_eq!(ids.len(), variants.len());
    }
}
