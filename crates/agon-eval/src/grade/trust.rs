//! How far graders are to be trusted.
use super::{Grade, PairOutcome};
use crate::stats::{krippendorff, wilson};
use crate::{Estimate, ScorerTrust};

/// Share of the controls that a grader may miss.
pub const MOST_MISSED: f64 = 0.1;

/// Share of the pairs that must have the same winner in both orders.
pub const LEAST_CONSISTENCY: f64 = 0.6;

/// A pair of answers that was graded in both orders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradedPair {
    /// What it came to.
    pub outcome: PairOutcome,
    /// The winners as shown: whether the answer shown first won, in each order in which one won.
    pub first_won: [Option<bool>; 2],
    /// Words of the first and of the second answer.
    pub words: [usize; 2],
}

impl GradedPair {
    /// A pair by its grades in both orders, as the grader said them; absent where one is missing.
    pub fn of(as_is: Option<Grade>, swapped: Option<Grade>, words: [usize; 2]) -> Option<Self> {
        let outcome = super::pair_outcome(as_is, swapped)?;
        let first_won = [as_is, swapped].map(|grade| match grade? {
            Grade::First => Some(true),
            Grade::Second => Some(false),
            Grade::Equal | Grade::Met | Grade::NotMet => None,
        });
        Some(Self { outcome, first_won, words })
    }

    /// Whether the longer answer won, in each order in which one won; none where both are as long.
    fn longer_won(&self) -> impl Iterator<Item = bool> + '_ {
        let [first, second] = self.words;
        let longer_is_first = (first != second).then_some(first > second);
        let shown = [longer_is_first, longer_is_first.map(|is| !is)];
        self.first_won.into_iter().zip(shown).filter_map(|(won, longer)| Some(won? == longer?))
    }
}

/// What is known of graders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrustEvidence {
    /// Their models.
    pub graders: Vec<String>,
    /// One is of a family that was tested.
    pub same_family: bool,
    /// Of each gold answer, whether it was graded right; absent where there is no grade.
    pub gold: Vec<Option<bool>>,
    /// Of each answer to another question, whether it was graded wrong; absent where there is no grade.
    pub foreign: Vec<Option<bool>>,
    /// The pairs of the comparisons.
    pub pairs: Vec<GradedPair>,
    /// Of each grade that was asked for again, whether it was the same.
    pub repeats: Vec<bool>,
    /// Of each grading, what each grader of a panel found.
    pub panel: Vec<Vec<Option<Grade>>>,
    /// Tokens of all gradings.
    pub tokens: u64,
    /// Their calls.
    pub calls: u64,
    /// The level of intervals, as 0.95.
    pub level: f64,
}

/// How far graders are to be trusted, without people's labels.
pub fn trust(evidence: &TrustEvidence) -> ScorerTrust {
    let level = evidence.level;
    let share = |hits: &[bool]| estimate(hits, level);
    let gold: Vec<bool> = evidence.gold.iter().flatten().copied().collect();
    let foreign: Vec<bool> = evidence.foreign.iter().flatten().copied().collect();
    let consistent: Vec<bool> = evidence.pairs.iter().map(|pair| pair.outcome.consistent).collect();
    let firsts: Vec<bool> = evidence.pairs.iter().flat_map(|pair| pair.first_won).flatten().collect();
    let longer: Vec<bool> = evidence.pairs.iter().flat_map(GradedPair::longer_won).collect();
    let panel: Vec<Vec<Grade>> =
        evidence.panel.iter().map(|grades| grades.iter().flatten().copied().collect()).collect();
    let mut trust = ScorerTrust {
        graders: evidence.graders.clone(),
        same_family: evidence.same_family,
        gold_accepted: share(&gold),
        foreign_rejected: share(&foreign),
        order_consistency: share(&consistent),
        first_wins: share(&firsts),
        longer_wins: share(&longer),
        repeat_agreement: share(&evidence.repeats),
        panel_alpha: (evidence.graders.len() > 1).then(|| krippendorff(&panel)).flatten(),
        corrected: Vec::new(),
        distrusted: Vec::new(),
        gradings: 0,
        ungraded: 0,
        ungraded_causes: Default::default(),
        earlier_graders: Vec::new(),
        tokens: evidence.tokens,
        calls: evidence.calls,
    };
    trust.distrusted = distrusted(evidence, &trust);
    trust
}

/// Why nothing can be told; each a sentence.
fn distrusted(evidence: &TrustEvidence, trust: &ScorerTrust) -> Vec<String> {
    let mut why = Vec::new();
    let mut controls = |asked: usize, found: Option<Estimate>, what: &str, done: &str| match found {
        Some(found) if 1.0 - found.value > MOST_MISSED => {
            let n = found.n;
            let missed = ((1.0 - found.value) * f64::from(n)).round();
            why.push(format!("The grader {done} {missed} of {n} {what}; 10 % may be missed."));
        }
        Some(found) if 2 * usize::try_from(found.n).unwrap_or(usize::MAX) < asked => {
            why.push(format!("Only {} of {asked} {what} could be graded.", found.n));
        }
        None if asked > 0 => why.push(format!("None of {asked} {what} could be graded.")),
        Some(_) | None => {}
    };
    controls(evidence.gold.len(), trust.gold_accepted, "reference answers", "rejects");
    controls(evidence.foreign.len(), trust.foreign_rejected, "answers to other questions", "accepts");
    if let Some(found) = trust.order_consistency.filter(|found| found.value < LEAST_CONSISTENCY) {
        let (percent, least) = (100.0 * found.value, 100.0 * LEAST_CONSISTENCY);
        why.push(format!(
            "The winner is the same in both orders in {percent:.0} % of the pairs; {least:.0} % are needed."
        ));
    }
    why
}

/// A share with Wilson's interval; absent without observations.
pub(super) fn estimate(hits: &[bool], level: f64) -> Option<Estimate> {
    let n = u32::try_from(hits.len()).ok().filter(|n| *n > 0)?;
    let hit = hits.iter().filter(|hit| **hit).count() as u64;
    Some(Estimate { value: hit as f64 / f64::from(n), interval: wilson(hit, n.into(), level), n })
}
