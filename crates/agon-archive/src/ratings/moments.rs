//! What stands out in a debate, by what was before it.
use super::contest::RatedSeat;
use super::elo::START;
use super::model::{Debater, Moment, MomentKind, Resolution};
use super::{Ledger, Played};
use agon_core::MajorityShift;
use std::collections::BTreeMap;

/// So far below the mean of those that lost is a winner whose win is an upset.
const UPSET: f64 = 100.0;
/// Wins in a row that stand out.
const STREAKS: [u32; 3] = [3, 5, 10];
/// After so many rated debates without a win, a win stands out.
const DROUGHT: u32 = 3;

/// How each debater's last rated debates went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Runs(BTreeMap<Debater, Run>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Run {
    /// Wins in a row, up to now.
    wins: u32,
    /// Rated debates since the last win.
    without: u32,
}

impl Runs {
    fn of(&self, debater: &Debater) -> Run {
        self.0.get(debater).copied().unwrap_or_default()
    }
    pub fn add(&mut self, played: &Played<'_>) {
        for seat in &played.contest.seats {
            let run = self.0.entry(seat.debater.clone()).or_default();
            *run = match seat.resolution {
                Resolution::Won => Run { wins: run.wins.saturating_add(1), without: 0 },
                Resolution::Lost | Resolution::Drawn => Run { wins: 0, without: run.without.saturating_add(1) },
                Resolution::Undecided => *run,
            };
        }
    }
}

/// The moments of a debate that the ledger does not know yet.
pub(super) fn of(ledger: &Ledger, played: &Played<'_>) -> Vec<Moment> {
    let winners: Vec<&RatedSeat<'_>> = played.contest.that(Resolution::Won).collect();
    let mut moments: Vec<Moment> = winners.iter().filter_map(|seat| upset(ledger, played, seat)).collect();
    moments.extend(reversal(played, &winners));
    moments.extend(vindications(ledger, played, &winners));
    for seat in &winners {
        let run = ledger.runs.of(&seat.debater);
        let wins = run.wins.saturating_add(1);
        if STREAKS.contains(&wins) {
            let count = Some(wins);
            moments.push(Moment { count, ..moment(played, MomentKind::Streak, vec![seat.debater.clone()]) });
        }
        if run.without >= DROUGHT {
            let count = Some(run.without);
            moments.push(Moment { count, ..moment(played, MomentKind::Breakthrough, vec![seat.debater.clone()]) });
        }
    }
    moments
}

fn moment(played: &Played<'_>, kind: MomentKind, debaters: Vec<Debater>) -> Moment {
    Moment {
        kind,
        debate: played.id.clone(),
        topic: played.topic.to_owned(),
        admitted: played.admitted,
        debaters,
        position: None,
        count: None,
    }
}

fn upset(ledger: &Ledger, played: &Played<'_>, winner: &RatedSeat<'_>) -> Option<Moment> {
    let elo = |debater: &Debater| ledger.rating(debater).map_or(START, |rating| rating.elo);
    let losers: Vec<f64> = played.contest.that(Resolution::Lost).map(|seat| elo(&seat.debater)).collect();
    let mean = losers.iter().sum::<f64>() / losers.len() as f64;
    (mean - elo(&winner.debater) >= UPSET).then(|| moment(played, MomentKind::Upset, vec![winner.debater.clone()]))
}

fn reversal(played: &Played<'_>, winners: &[&RatedSeat<'_>]) -> Option<Moment> {
    match played.card.majority {
        MajorityShift::Overturned => {
            let debaters = winners.iter().map(|seat| seat.debater.clone()).collect();
            Some(moment(played, MomentKind::Reversal, debaters))
        }
        MajorityShift::Kept | MajorityShift::None => None,
    }
}

/// One for each position that wins and has lost before.
fn vindications(ledger: &Ledger, played: &Played<'_>, winners: &[&RatedSeat<'_>]) -> Vec<Moment> {
    let mut held: BTreeMap<&str, Vec<&RatedSeat<'_>>> = BTreeMap::new();
    if played.contest.proposals {
        return Vec::new();
    }
    for seat in winners {
        if let Some(position) = &seat.start {
            held.entry(position).or_default().push(seat);
        }
    }
    let again = held.into_iter().filter(|(position, _)| ledger.positions.has_lost(&played.question, position));
    let vindicated = again.map(|(_, seats)| {
        let position = seats.first().and_then(|seat| seat.card.stance.as_ref().or(seat.card.first.as_ref())).cloned();
        let debaters = seats.iter().map(|seat| seat.debater.clone()).collect();
        Moment { position, ..moment(played, MomentKind::Vindication, debaters) }
    });
    vindicated.collect()
}
