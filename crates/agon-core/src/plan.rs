//! What a debate would take, counted before it is held.
mod rounds;

use crate::event::{Admission, PhaseName};
use crate::ids::{MODERATOR, ModelName};
use crate::spec::{Ballots, DebateSpec, Interject, Moderator, Persona, Role};
use std::collections::BTreeMap;

/// The calls of a debate at the most, if every one succeeds at first: no rule ends the rounds sooner, everybody bids, every
/// point of information is offered and answered, the moderator names as many speakers and asks as many questions as it may.
/// Where bids, critiques drawn by lot or the moderator decide who speaks, a debate usually takes less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPlan {
    /// All calls, at the most.
    pub calls: u64,
    /// Generated tokens of all calls at most.
    pub max_completion_tokens: u64,
    /// Calls by phase, in the order of the phases; phases without a call are left out.
    pub phases: Vec<(PhaseName, u64)>,
    /// The most calls of each model, in alphabetical order. They add up to more than `calls` where it is open who speaks.
    pub models: Vec<(ModelName, u64)>,
}

impl CallPlan {
    /// Counts the calls of a whole debate.
    pub fn of(spec: &DebateSpec) -> Self {
        let mut count = PlanTotals::default();
        if spec.is_poll() {
            count.personas(PhaseName::OpeningStatements, spec.samplers(), 1);
        } else {
            for phase in spec.before_rounds() {
                count.everybody(phase, spec, 1);
            }
            count.rounds(spec);
            count.ending(spec);
        }
        count.decision(spec);
        if let Some(synthesizer) = &spec.synthesizer {
            count.role(PhaseName::Synthesis, Role::Synthesizer(synthesizer), 1);
        }
        count.plan()
    }

    /// Counts the calls that a debate makes of its own: where it judges another one again, those of the decision.
    pub fn of_admission(admission: &Admission) -> Self {
        if admission.rejudges.is_some() { Self::of_decision(&admission.spec) } else { Self::of(&admission.spec) }
    }

    /// Counts the calls that only judge a finished transcript again.
    pub fn of_decision(spec: &DebateSpec) -> Self {
        let mut count = PlanTotals::default();
        count.decision(spec);
        count.plan()
    }
}

/// How many debaters a moderator may call on in one interjection, for each of its duties.
pub(crate) const REQUESTS: usize = 4;

#[derive(Default)]
struct PlanTotals<'a> {
    phases: BTreeMap<PhaseName, u64>,
    models: BTreeMap<&'a ModelName, u64>,
    tokens: u64,
}

impl<'a> PlanTotals<'a> {
    fn ending(&mut self, spec: &'a DebateSpec) {
        let mut phase = PhaseName::Rounds;
        if let Some(moderator) = spec.moderator.as_ref().filter(|one| one.interject == Interject::FinalOnly) {
            self.interjections(spec, moderator, 1);
        }
        for (on, next) in
            [(spec.phases.final_statements, PhaseName::FinalStatements), (spec.phases.rebuttals, PhaseName::Rebuttals)]
        {
            if on {
                phase = next;
                self.everybody(phase, spec, 1);
            }
        }
        if let Some(moderator) = &spec.moderator {
            let conclusions = u64::from(moderator.reconciles) + u64::from(moderator.concludes);
            self.role(phase, Role::Moderator(moderator), conclusions);
        }
        if matches!(spec.ballots, Ballots::Both | Ballots::FinalOnly) {
            self.everybody(PhaseName::FinalBallots, spec, 1);
        }
    }

    /// So many interjections, with all the answers that they may ask for.
    fn interjections(&mut self, spec: &'a DebateSpec, moderator: &'a Moderator, times: u64) {
        if !moderator.has_interjections() {
            return;
        }
        self.role(PhaseName::Rounds, Role::Moderator(moderator), times);
        let asked = REQUESTS.min(spec.personas.len()) as u64;
        let duties = u64::from(moderator.clarifies) + u64::from(moderator.reflects);
        self.some(PhaseName::Rounds, spec, Most { all: times * duties * asked, each: times * duties });
    }

    fn decision(&mut self, spec: &'a DebateSpec) {
        for (participant, _) in crate::debate::deciders(spec).into_iter().chain(crate::debate::scorers(spec)) {
            if let Some(role) = spec.role(&participant) {
                self.role(PhaseName::Decision, role, 1);
            }
        }
    }

    fn everybody(&mut self, phase: PhaseName, spec: &'a DebateSpec, times: u64) {
        self.personas(phase, &spec.personas, times);
    }
    fn personas(&mut self, phase: PhaseName, personas: impl IntoIterator<Item = &'a Persona>, times: u64) {
        for persona in personas {
            self.role(phase, Role::Debater(0, persona), times);
        }
    }
    fn role(&mut self, phase: PhaseName, role: Role<'a>, times: u64) {
        let (Some(model), true) = (role.models().first().copied(), times > 0) else { return };
        *self.phases.entry(phase).or_default() += times;
        *self.models.entry(model).or_default() += times;
        let most = role.voice().map_or(0, |voice| u64::from(voice.max_tokens));
        self.tokens = self.tokens.saturating_add(times.saturating_mul(most));
    }
    /// Calls of debaters of whom it is open who makes them.
    fn some(&mut self, phase: PhaseName, spec: &'a DebateSpec, most: Most) {
        let all = most.all.min(most.each.saturating_mul(spec.personas.len() as u64));
        if all == 0 {
            return;
        }
        *self.phases.entry(phase).or_default() += all;
        let mut own: BTreeMap<&'a ModelName, u64> = BTreeMap::new();
        let mut answers: Vec<u64> = Vec::new();
        for persona in &spec.personas {
            *own.entry(&persona.voice.model).or_default() += most.each;
            answers.push(u64::from(persona.voice.max_tokens));
        }
        for (model, calls) in own {
            *self.models.entry(model).or_default() += calls.min(all);
        }
        // At the most those speak who may say the most.
        answers.sort_unstable_by_key(|tokens| std::cmp::Reverse(*tokens));
        let mut left = all;
        for tokens in answers {
            let calls = most.each.min(left);
            left -= calls;
            self.tokens = self.tokens.saturating_add(calls.saturating_mul(tokens));
        }
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

/// How many calls there are at the most, together and of each debater.
#[derive(Clone, Copy)]
struct Most {
    all: u64,
    each: u64,
}
impl Most {
    fn times(self, rounds: u64) -> Self {
        Self { all: self.all.saturating_mul(rounds), each: self.each.saturating_mul(rounds) }
    }
}

/// The moderator's role, where there is one.
fn moderator(spec: &DebateSpec) -> Option<Role<'_>> {
    spec.role(&MODERATOR.into())
}
