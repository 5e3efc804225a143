//! Which kinds of objection were accepted, from whom and by whom.
use super::Played;
use super::model::{Debater, ModelObjections, ObjectionPattern, RaisedAndMet};
use agon_core::ModelName;
use agon_core::ObjectionKind;
use agon_core::Objections;
use std::collections::BTreeMap;

/// What became of objections, by debater, by model and by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Patterns {
    debaters: BTreeMap<(Debater, ObjectionKind), RaisedAndMet>,
    models: BTreeMap<(ModelName, ObjectionKind), RaisedAndMet>,
}

impl Patterns {
    pub fn add(&mut self, played: &Played<'_>) {
        let Some(course) = &played.card.course else { return };
        for Objections { by, of, kind, fates } in &course.objections {
            let (Some(by), Some(of)) = (played.debater(by), played.debater(of)) else { continue };
            self.models.entry((by.model.clone(), *kind)).or_default().raised.join(*fates);
            self.models.entry((of.model.clone(), *kind)).or_default().met.join(*fates);
            self.debaters.entry((by, *kind)).or_default().raised.join(*fates);
            self.debaters.entry((of, *kind)).or_default().met.join(*fates);
        }
    }

    pub fn of_debaters(&self) -> Vec<ObjectionPattern> {
        let pattern = |((debater, kind), counts): (&(Debater, ObjectionKind), &RaisedAndMet)| ObjectionPattern {
            debater: debater.clone(),
            kind: *kind,
            counts: *counts,
        };
        self.debaters.iter().map(pattern).collect()
    }

    pub fn of_models(&self) -> Vec<ModelObjections> {
        let pattern = |((model, kind), counts): (&(ModelName, ObjectionKind), &RaisedAndMet)| ModelObjections {
            model: model.clone(),
            kind: *kind,
            counts: *counts,
        };
        self.models.iter().map(pattern).collect()
    }
}
