//! What a debate would take, counted before it is held.
use crate::event::PhaseName;
use crate::ids::ModelName;
use crate::spec::{Ballots, DebateSpec, Role, Voice};
use std::collections::BTreeMap;

/// The calls of a debate, if every one succeeds at first and no rule ends the rounds sooner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPlan {
    /// All calls.
    pub calls: u64,
    /// Generated tokens of all calls at most.
    pub max_completion_tokens: u64,
    /// Calls by phase, in the order of the phases; phases without a call are left out.
    pub phases: Vec<(PhaseName, u64)>,
    /// Calls by model, in alphabetical order.
    pub models: Vec<(ModelName, u64)>,
}

impl CallPlan {
    /// Counts the calls of a whole debate.
    pub fn of(spec: &DebateSpec) -> Self {
        let mut count = Count::default();
        let personas = || spec.personas.iter().map(|persona| &persona.voice);
        if spec.ballots == Ballots::Both {
            count.each(PhaseName::InitialBallots, personas(), 1);
        }
        if spec.phases.opening_statements {
            count.each(PhaseName::OpeningStatements, personas(), 1);
        }
        let rounds = u64::from(spec.max_rounds);
        if let Some(moderator) = &spec.moderator {
            let duties = u64::from(moderator.opens) + u64::from(moderator.closes);
            count.each(PhaseName::Rounds, [&moderator.voice], rounds * duties);
        }
        count.each(PhaseName::Rounds, personas(), rounds);
        if spec.phases.final_statements {
            count.each(PhaseName::FinalStatements, personas(), 1);
        }
        if matches!(spec.ballots, Ballots::Both | Ballots::FinalOnly) {
            count.each(PhaseName::FinalBallots, personas(), 1);
        }
        count.decision(spec);
        count.plan()
    }

    /// Counts the calls that only judge a finished transcript again.
    pub fn of_decision(spec: &DebateSpec) -> Self {
        let mut count = Count::default();
        count.decision(spec);
        count.plan()
    }
}

#[derive(Default)]
struct Count<'a> {
    phases: BTreeMap<PhaseName, u64>,
    models: BTreeMap<&'a ModelName, u64>,
    tokens: u64,
}

impl<'a> Count<'a> {
    fn each(&mut self, phase: PhaseName, voices: impl IntoIterator<Item = &'a Voice>, times: u64) {
        for voice in voices.into_iter().filter(|_| times > 0) {
            *self.phases.entry(phase).or_default() += times;
            *self.models.entry(&voice.model).or_default() += times;
            self.tokens = self.tokens.saturating_add(times.saturating_mul(u64::from(voice.max_tokens)));
        }
    }
    fn decision(&mut self, spec: &'a DebateSpec) {
        for (participant, _) in crate::debate::deciders(spec) {
            if let Some(role) = spec.role(&participant) {
                self.role(PhaseName::Decision, role, 1);
            }
        }
        if let Some(synthesizer) = &spec.synthesizer {
            self.role(PhaseName::Synthesis, Role::Synthesizer(synthesizer), 1);
        }
    }
    fn role(&mut self, phase: PhaseName, role: Role<'a>, times: u64) {
        let (Some(model), true) = (role.models().first().copied(), times > 0) else { return };
        *self.phases.entry(phase).or_default() += times;
        *self.models.entry(model).or_default() += times;
        let most = role.voice().map_or(0, |voice| u64::from(voice.max_tokens));
        self.tokens = self.tokens.saturating_add(times.saturating_mul(most));
    }
    fn plan(self) -> CallPlan {
        CallPlan {
            calls: self.phases.values().sum(),
            max_completion_tokens: self.tokens,
            phases: self.phases.into_iter().collect(),
            models: self.models.into_iter().map(|(model, calls)| (model.clone(), calls)).collect(),
        }
    }
}
