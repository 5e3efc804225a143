//! What a debater does again and again, and whether that has changed.
use super::Played;
use super::contest::RatedSeat;
use super::model::{ByKind, Debater, Habit, HabitCounts, HabitKind, Traits};
use agon_core::ObjectionKind;
use agon_core::{Chances, Course};
use std::collections::BTreeMap;

/// A habit is named where there were so many debates in which the debater had the choice.
pub const LEAST_DEBATES: u32 = 4;

/// By debater what each of its debates says, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Records(BTreeMap<Debater, TraitRecord>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TraitRecord {
    debates: u32,
    without_course: u32,
    /// The debates in which it had the choice.
    habits: BTreeMap<HabitKind, Vec<Chances>>,
    accepts: BTreeMap<ObjectionKind, Chances>,
}

impl Records {
    pub fn add(&mut self, played: &Played<'_>) {
        for seat in &played.contest.seats {
            let record = self.0.entry(seat.debater.clone()).or_default();
            record.debates = record.debates.saturating_add(1);
            let moved = seat.moved().map_or_else(Chances::default, |moved| Chances { of: 1, did: moved.into() });
            record.note(HabitKind::ChangesBallot, moved);
            match &played.card.course {
                None => record.without_course = record.without_course.saturating_add(1),
                Some(course) => record.follow(course, seat),
            }
        }
    }

    pub fn all(&self) -> Vec<Traits> {
        self.0.iter().map(|(debater, record)| record.traits(debater)).collect()
    }
}

impl TraitRecord {
    fn note(&mut self, kind: HabitKind, chances: Chances) {
        if chances.of > 0 {
            self.habits.entry(kind).or_default().push(chances);
        }
    }

    fn follow(&mut self, course: &Course, seat: &RatedSeat<'_>) {
        let name = &seat.debater.persona;
        let mut met = Chances::default();
        for objections in course.objections.iter().filter(|objections| objections.of == *name) {
            let accepted = Chances { of: objections.fates.raised, did: objections.fates.accepted };
            met.join(accepted);
            self.accepts.entry(objections.kind).or_default().join(accepted);
        }
        self.note(HabitKind::AcceptsObjections, met);
        if let Some(conduct) = course.conduct.iter().find(|conduct| conduct.persona == *name) {
            self.note(HabitKind::FindsFault, conduct.critiques);
            self.note(HabitKind::TakesPoints, conduct.points);
            self.note(HabitKind::VotesForItself, conduct.votes);
        }
    }

    fn traits(&self, debater: &Debater) -> Traits {
        let habits: Vec<Habit> = self.habits.iter().filter_map(|(kind, debates)| self.habit(*kind, debates)).collect();
        Traits { debater: debater.clone(), debates: self.debates, without_course: self.without_course, habits }
    }

    /// The habit; none where there were too few debates to speak of one.
    fn habit(&self, kind: HabitKind, debates: &[Chances]) -> Option<Habit> {
        let all = counts(debates);
        if all.debates < LEAST_DEBATES {
            return None;
        }
        let (earlier, later) = debates.split_at(debates.len() / 2);
        let by_kind = match kind {
            HabitKind::AcceptsObjections => {
                self.accepts.iter().map(|(kind, chances)| ByKind { kind: *kind, chances: *chances }).collect()
            }
            HabitKind::FindsFault | HabitKind::TakesPoints | HabitKind::VotesForItself | HabitKind::ChangesBallot => {
                Vec::new()
            }
        };
        Some(Habit { kind, all, earlier: counts(earlier), later: counts(later), by_kind })
    }
}

fn counts(debates: &[Chances]) -> HabitCounts {
    let mut chances = Chances::default();
    debates.iter().for_each(|debate| chances.join(*debate));
    HabitCounts { debates: u32::try_from(debates.len()).unwrap_or(u32::MAX), chances }
}
