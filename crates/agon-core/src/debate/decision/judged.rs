//! What judges make of a debate: each must agree with itself over its orders, and more than half of the panel with each other.
use super::super::control::{JudgedOrder, RankedOrder};
use super::super::draft::Draft;
use super::Decision;
use crate::event::Event;
use crate::ids::ParticipantId;
use crate::outcome::{Reason, ReasonCode};
use crate::tally::{borda, same_answer};

/// What one judge of a panel found.
enum PanelFinding<T> {
    /// The same in every order.
    Found(T),
    /// Not the same in every order.
    OrderSensitive(String),
    /// Not every order could be had.
    Incomplete(usize),
}

impl Draft<'_> {
    /// The verdict of the judge or of the panel.
    pub(super) fn judged(&self) -> Result<Decision, Reason> {
        let of = |judge: &ParticipantId| {
            let mut heard: Vec<&JudgedOrder> =
                self.control.judgements.iter().filter(|judged| judged.judge == *judge).collect();
            heard.sort_by_key(|judged| judged.order);
            heard
        };
        let named = |judged: &&JudgedOrder| judged.winner.clone();
        let found = self.panel(|judge| self.finding(&of(judge), named, "a synthesis"))?;
        Ok(match self.agreed(found) {
            Ok((judge, winner, disputed)) => {
                let first = of(&judge).first().copied();
                let verdict = first.map(|judged| judged.verdict.clone());
                let reasoning = first.map(|judged| judged.reasoning.clone());
                Decision { verdict, winner, reasoning, disputed, ..Decision::decided() }
            }
            Err(inconclusive) => inconclusive,
        })
    }

    /// The candidate that stands first in the rankings of the judge or of more than half of the panel.
    pub(super) fn ranked(&mut self) -> Result<Decision, Reason> {
        let of = |judge: &ParticipantId| {
            let mut heard: Vec<&RankedOrder> =
                self.control.rankings.iter().filter(|ranked| ranked.judge == *judge).collect();
            heard.sort_by_key(|ranked| ranked.order);
            heard
        };
        let first = |ranked: &&RankedOrder| ranked.ranking.first().map(|first| first.candidate.clone());
        let found = self.panel(|judge| self.finding(&of(judge), first, "nobody"))?;
        let agreed = self.agreed(found);
        let reasoning = |judge: &ParticipantId| Some(of(judge).first()?.ranking.first()?.reason.clone());
        let decision = match agreed {
            Ok((judge, winner, disputed)) => {
                Decision { winner, reasoning: reasoning(&judge), disputed, ..Decision::decided() }
            }
            Err(inconclusive) => inconclusive,
        };
        let candidates = self.candidates();
        let rankings: Vec<Vec<String>> = self.control.rankings.iter().map(order_of).collect();
        let counts = borda(&candidates, &rankings);
        let orders = self.spec().judge.as_ref().map_or(0, |judge| judge.orders.saturating_mul(judge.panel));
        let received = u32::try_from(rankings.len()).unwrap_or(u32::MAX);
        let winner = decision.winner.clone();
        self.emit(Event::VoteTallied { rule: None, counts, weights: Vec::new(), eligible: orders, received, winner });
        Ok(decision)
    }

    /// The findings of all judges; an error where not one order of one judge could be had.
    fn panel<T>(
        &self,
        finding: impl Fn(&ParticipantId) -> PanelFinding<T>,
    ) -> Result<Vec<(ParticipantId, PanelFinding<T>)>, Reason> {
        let found: Vec<_> = self.spec().judges().map(|judge| (judge.clone(), finding(&judge))).collect();
        if found.iter().all(|(_, finding)| matches!(finding, PanelFinding::Incomplete(0))) {
            let orders = self.orders() * found.len().max(1);
            return Err(Reason::with(ReasonCode::JudgeFailed, format!("none of {orders} orders could be judged")));
        }
        Ok(found)
    }

    fn finding<T>(
        &self,
        heard: &[T],
        winner: impl Fn(&T) -> Option<String>,
        none: &str,
    ) -> PanelFinding<Option<String>> {
        let Some(first) = heard.first().filter(|_| heard.len() >= self.orders()).map(&winner) else {
            return PanelFinding::Incomplete(heard.len());
        };
        if heard.iter().map(&winner).all(|other| other == first) {
            return PanelFinding::Found(first);
        }
        let winners: Vec<String> = heard.iter().map(|one| winner(one).unwrap_or_else(|| none.to_owned())).collect();
        PanelFinding::OrderSensitive(winners.join(" / "))
    }

    fn orders(&self) -> usize {
        self.spec().judge.as_ref().map_or(0, |judge| judge.orders as usize)
    }

    /// What more than half of the panel found, the first judge of those who found it, and whether the judges disagree;
    /// else why there is no verdict. Judges who could not be heard stay in the denominator, and disagree with nobody.
    fn agreed(
        &self,
        found: Vec<(ParticipantId, PanelFinding<Option<String>>)>,
    ) -> Result<(ParticipantId, Option<String>, bool), Decision> {
        let panel = found.len();
        let findings: Vec<_> = found
            .iter()
            .filter_map(
                |(judge, finding)| if let PanelFinding::Found(winner) = finding { Some((judge, winner)) } else { None },
            )
            .collect();
        let changed = found.iter().any(|(_, finding)| matches!(finding, PanelFinding::OrderSensitive(_)));
        for (judge, winner) in &findings {
            let with = findings.iter().filter(|(_, other)| same(winner.as_ref(), other.as_ref())).count();
            if 2 * with > panel {
                return Ok(((*judge).clone(), (*winner).clone(), changed || with < findings.len()));
            }
        }
        let differ =
            findings.iter().any(|(_, one)| findings.iter().any(|(_, other)| !same(one.as_ref(), other.as_ref())));
        Err(Decision::inconclusive(self.why_not(&found), changed || differ))
    }

    fn why_not(&self, found: &[(ParticipantId, PanelFinding<Option<String>>)]) -> Reason {
        if let [(_, finding)] = found {
            return match finding {
                PanelFinding::OrderSensitive(winners) => {
                    let detail = format!("the winner changed with the order of presentation: {winners}");
                    Reason::with(ReasonCode::OrderSensitive, detail)
                }
                PanelFinding::Incomplete(heard) => {
                    let detail = format!("{heard} of {} orders could be judged", self.orders());
                    Reason::with(ReasonCode::JudgeIncomplete, detail)
                }
                PanelFinding::Found(_) => Reason::of(ReasonCode::PanelSplit),
            };
        }
        let told: Vec<String> = found
            .iter()
            .map(|(judge, finding)| match finding {
                PanelFinding::Found(winner) => format!("{judge}: {}", winner.as_deref().unwrap_or("a synthesis")),
                PanelFinding::OrderSensitive(winners) => format!("{judge}: changed with the order ({winners})"),
                PanelFinding::Incomplete(heard) => format!("{judge}: {heard} of {} orders", self.orders()),
            })
            .collect();
        Reason::with(ReasonCode::PanelSplit, format!("no winner has more than half of the judges: {}", told.join("; ")))
    }
}

/// Whether two findings name the same winner, or both none.
pub(super) fn same(one: Option<&String>, other: Option<&String>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => same_answer(one, other),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn order_of(ranked: &RankedOrder) -> Vec<String> {
    ranked.ranking.iter().map(|ranked| ranked.candidate.clone()).collect()
}
