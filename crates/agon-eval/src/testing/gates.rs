//! Worlds in which it is known where a debate helps, to try the learning of gates.
use crate::gate::{Cuts, GateObjective, GatePlan, GateRow, learn_gate};
use agon_core::gate::{GateBallot, GateFeature, GateOrigin, GateSide, GateView};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Answers of every question; the first is right, the second is what most wrong voters share.
const ANSWERS: [&str; 5] = ["A", "B", "C", "D", "E"];
/// Share of wrong voters that fall for the common distractor.
const SHARED: f64 = 0.6;
/// Skill of all voters.
const SKILL: f64 = 0.5;
/// Standard deviation of the questions' difficulty.
const DIFFICULTY: f64 = 1.5;

/// Where a debate helps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GateWorld {
    /// Where the top share is below `below`, wrong answers are mended and right ones broken with these chances. Elsewhere the debate
    /// keeps the answer of the ballots, but for `noise`: that share of answers is lost, and as many are won.
    Contested {
        /// Debaters.
        voters: u32,
        /// The share.
        below: f64,
        /// Chance to mend.
        mends: f64,
        /// Chance to break.
        breaks: f64,
        /// Answers that are lost elsewhere, as a share of questions.
        noise: f64,
    },
    /// Nothing that ballots show says where the debate helps: it wins this share of all questions, and loses that.
    Blind {
        /// Share of questions that it wins.
        wins: f64,
        /// Share of questions that it loses.
        loses: f64,
    },
}

/// How a gate, learned in a world, does on fresh questions of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GateTrial {
    /// Right answers with the gate, as a share.
    pub gate: f64,
    /// With every debate.
    pub always: f64,
    /// With none.
    pub never: f64,
    /// Share of the tokens of always that the gate saves.
    pub savings: f64,
    /// The same for the best threshold on one feature that costs at most 0.5 points against always, known from the fresh questions.
    pub best_savings: f64,
    /// The kind that was learned.
    pub kind: agon_core::gate::GateKind,
}

impl GateTrial {
    /// At least 90 % of the savings of the best threshold, and accuracy within 0.5 points of always.
    pub fn saves(&self) -> bool {
        self.savings >= 0.9 * self.best_savings && self.gate >= self.always - 0.005
    }
    /// At most 1 point below the better of always and never.
    pub fn does_no_harm(&self) -> bool {
        self.gate >= self.always.max(self.never) - 0.01
    }
}

impl GateWorld {
    /// Debates of three help where their ballots differ, and nowhere else.
    pub const CONTESTED: Self = Self::Contested { voters: 3, below: 0.99, mends: 0.5, breaks: 0.05, noise: 0.0 };

    /// Questions of the world, each its own cluster.
    pub fn rows(self, count: u32, seed: u64) -> Vec<GateRow> {
        let mut draws = WorldDraws(ChaCha8Rng::seed_from_u64(seed));
        (0..count).map(|cluster| self.row(cluster, &mut draws)).collect()
    }

    /// Learns on so many questions, tries on so many others. None where nothing can be learned.
    pub fn trial(self, learned_on: u32, tried_on: u32, seed: u64) -> Option<GateTrial> {
        let objective = GateObjective::FewestTokens;
        let plan = GatePlan { objective, origin: GateOrigin::default(), seed };
        let learned = learn_gate(&self.rows(learned_on, 2 * seed), &plan).ok()?;
        let fresh = self.rows(tried_on, 2 * seed + 1);
        let n = fresh.len() as f64;
        let method = &learned.rule.method;
        let (mut gate, mut saved) = (0.0, 0.0);
        for row in &fresh {
            let skipped = row.is_skipped_by(method);
            gate += if skipped { row.vote_first_right } else { row.debate_right };
            saved += if skipped { row.debate_tokens - row.ballot_tokens } else { 0.0 };
        }
        let all: f64 = fresh.iter().map(|row| row.debate_tokens).sum();
        Some(GateTrial {
            gate: gate / n,
            always: fresh.iter().map(|row| row.debate_right).sum::<f64>() / n,
            never: fresh.iter().map(|row| row.vote_first_right).sum::<f64>() / n,
            savings: saved / all,
            best_savings: best_savings(&fresh),
            kind: method.kind(),
        })
    }

    fn row(self, cluster: u32, draws: &mut WorldDraws) -> GateRow {
        let voters = match self {
            Self::Contested { voters, .. } => voters,
            Self::Blind { .. } => 3,
        };
        let right = 1.0 / (1.0 + (draws.normal() * DIFFICULTY - SKILL).exp());
        let ballots: Vec<GateBallot<'_>> = (0..voters).map(|seat| draws.ballot(right, seat)).collect();
        let view = GateView {
            ballots: &ballots,
            eligible: voters,
            question_words: 20 + draws.below(80),
            options: Some(ANSWERS.len() as u32),
        };
        let features = view.features(|one, other| one == other);
        let counted = top_right(&ballots);
        let (vote_first_right, debate_right) = match self {
            Self::Contested { below, mends, breaks, noise, .. } => {
                let contested = features.top_share.is_some_and(|share| share < below);
                let (mends, breaks) = if contested { (mends, breaks) } else { noise_of(noise, counted) };
                let lost = counted > 0.0 && draws.happens(breaks);
                let won = counted < 1.0 && draws.happens(mends);
                (
                    counted,
                    if won {
                        1.0
                    } else if lost {
                        0.0
                    } else {
                        counted
                    },
                )
            }
            Self::Blind { wins, loses } => {
                let draw = draws.share();
                let vote = if draw < wins {
                    0.0
                } else if draw < wins + loses {
                    1.0
                } else {
                    draws.half()
                };
                (
                    vote,
                    if draw < wins {
                        1.0
                    } else if draw < wins + loses {
                        0.0
                    } else {
                        vote
                    },
                )
            }
        };
        let ballot_tokens = 300.0 * f64::from(voters);
        GateRow {
            features,
            eligible: voters,
            cast: voters,
            debate_right,
            vote_first_right,
            left: debate_right != vote_first_right,
            ballot_tokens,
            debate_tokens: ballot_tokens + 5_000.0 + 3_000.0 * draws.share(),
            cluster,
        }
    }
}

/// Chances to mend wrong answers and to break right ones that lose and win so many answers of 100 alike, whatever is right.
fn noise_of(noise: f64, right: f64) -> (f64, f64) {
    // where ballots agree about 7 of 8 of them are right
    if right > 0.0 { (0.0, noise) } else { (7.0 * noise, 0.0) }
}

fn top_right(ballots: &[GateBallot<'_>]) -> f64 {
    let votes = |answer: &str| ballots.iter().filter(|ballot| ballot.answer == answer).count();
    let most = ANSWERS.iter().map(|answer| votes(answer)).max().unwrap_or(0);
    let top: Vec<&str> = ANSWERS.into_iter().filter(|answer| votes(answer) == most).collect();
    if top.contains(&"A") { 1.0 / top.len() as f64 } else { 0.0 }
}

fn best_savings(fresh: &[GateRow]) -> f64 {
    let rows: Vec<&GateRow> = fresh.iter().collect();
    let always: f64 = fresh.iter().map(|row| row.debate_right).sum::<f64>() / fresh.len() as f64;
    let all: f64 = fresh.iter().map(|row| row.debate_tokens).sum::<f64>() / fresh.len() as f64;
    let mut best = 0.0f64;
    for feature in GateFeature::ALL {
        let scores: Vec<Option<f64>> = fresh.iter().map(|row| row.features.get(feature)).collect();
        for side in GateSide::ALL {
            let cuts = Cuts::between(&rows, &scores, side, GateObjective::FewestTokens).0;
            let good = cuts.iter().filter(|cut| cut.right >= always - 0.005);
            best = good.map(|cut| 1.0 - cut.standing.tokens / all).fold(best, f64::max);
        }
    }
    best
}

struct WorldDraws(ChaCha8Rng);

impl WorldDraws {
    /// 0 to below 1.
    fn share(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
    fn happens(&mut self, chance: f64) -> bool {
        self.share() < chance
    }
    fn half(&mut self) -> f64 {
        f64::from(u8::from(self.happens(0.6)))
    }
    fn below(&mut self, bound: u32) -> u32 {
        (self.share() * f64::from(bound)) as u32
    }
    /// Standard normal, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.share()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.share()).cos()
    }
    fn ballot(&mut self, right: f64, seat: u32) -> GateBallot<'static> {
        let answer = if self.happens(right) {
            "A"
        } else if self.happens(SHARED) {
            "B"
        } else {
            ANSWERS.get(2 + self.below(3) as usize).copied().unwrap_or("C")
        };
        let model = Some(if seat.is_multiple_of(2) { "m" } else { "n" });
        GateBallot { answer, reason_words: 30 + self.below(60), model, confidence: Some(40 + self.below(60) as u8) }
    }
}
