//! Which kinds of objection were accepted, from whom and by whom.
use super::Played;
use super::model::{Debater, ObjectionPattern};
use crate::answer::ObjectionKind;
use crate::archive::{Objection, ObjectionFate};
use crate::ids::ParticipantId;
use std::collections::BTreeMap;

/// By debater and kind what became of the objections that it raised and of those that it met.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Objections(BTreeMap<(Debater, Option<ObjectionKind>), Counts>);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counts {
    raised: Fates,
    met: Fates,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Fates {
    all: u32,
    accepted: u32,
    declined: u32,
}

impl Objections {
    pub fn add(&mut self, played: &Played<'_>) {
        let debater = |name: &ParticipantId| {
            let seat = played.contest.seats.iter().find(|seat| seat.debater.persona == *name)?;
            Some(seat.debater.clone())
        };
        for Objection { by, of, kind, fate, severity: _ } in &played.card.objections {
            let (Some(by), Some(of)) = (debater(by), debater(of)) else { continue };
            self.0.entry((by, *kind)).or_default().raised.add(*fate);
            self.0.entry((of, *kind)).or_default().met.add(*fate);
        }
    }

    pub fn all(&self) -> Vec<ObjectionPattern> {
        let pattern = |((debater, kind), Counts { raised, met }): (&(Debater, Option<ObjectionKind>), &Counts)| {
            ObjectionPattern {
                debater: debater.clone(),
                kind: *kind,
                raised: raised.all,
                raised_accepted: raised.accepted,
                raised_declined: raised.declined,
                met: met.all,
                met_accepted: met.accepted,
                met_declined: met.declined,
            }
        };
        self.0.iter().map(pattern).collect()
    }
}

impl Fates {
    fn add(&mut self, fate: ObjectionFate) {
        self.all = self.all.saturating_add(1);
        match fate {
            ObjectionFate::Accepted => self.accepted = self.accepted.saturating_add(1),
            ObjectionFate::Declined => self.declined = self.declined.saturating_add(1),
            ObjectionFate::Open => {}
        }
    }
}
