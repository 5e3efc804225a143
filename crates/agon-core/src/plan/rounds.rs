//! The calls of the rounds, format by format.
use super::{Most, PlanTotals, moderator};
use crate::event::PhaseName::Rounds;
use crate::ids::{EMBEDDER, JUDGE, SUMMARIZER};
use crate::spec::{
    ContextScope, DebateFormat, DebateSpec, Direction, Interject, Interruptions, Memory, Persona, Topology, TurnMode,
};

impl<'a> PlanTotals<'a> {
    pub(super) fn rounds(&mut self, spec: &'a DebateSpec) {
        let rounds = u64::from(spec.max_rounds);
        let (n, inner) = (spec.personas.len() as u64, u64::from(spec.format.inner_circle));
        self.moderation(spec, rounds);
        match spec.debate_format {
            DebateFormat::RoundRobin | DebateFormat::ChainOfThought => self.turns(spec, n, rounds),
            DebateFormat::Fishbowl => {
                self.turns(spec, inner, rounds);
                let bids = Most { all: n.saturating_sub(inner), each: 1 };
                self.some(Rounds, spec, bids.times(rounds.saturating_sub(1)));
            }
            // Whoever asks asks twice; whoever answers answers twice.
            DebateFormat::Socratic => self.everybody(Rounds, spec, rounds * 2),
            DebateFormat::BpStyle => self.parliament(spec, n),
            DebateFormat::OpenFight => self.open_fight(spec, n, rounds),
            DebateFormat::CritiqueRevision => self.critiques(spec, n, rounds),
            // nobody speaks in rounds
            DebateFormat::Poll => return,
        }
        self.between(spec, rounds);
    }

    fn moderation(&mut self, spec: &'a DebateSpec, rounds: u64) {
        let (Some(duties), Some(role)) = (&spec.moderator, moderator(spec)) else { return };
        self.role(Rounds, role, u64::from(duties.researches));
        let each = u64::from(duties.opens) + u64::from(duties.closes) + u64::from(duties.scores);
        self.role(Rounds, role, rounds * each);
        match duties.interject {
            Interject::EveryRound => self.interjections(spec, duties, rounds),
            Interject::Midpoint => self.interjections(spec, duties, 1),
            Interject::FinalOnly => {}
        }
    }

    /// Rounds of one speech each of so many speakers, unless reactions or the moderator make them more.
    fn turns(&mut self, spec: &'a DebateSpec, speakers: u64, rounds: u64) {
        match spec.turn_mode {
            TurnMode::ReactionTriggered => {
                self.some(Rounds, spec, Most { all: speakers * 2, each: 2 }.times(rounds));
                let bids = (speakers * 2).saturating_sub(1);
                let most = Most { all: bids * speakers.saturating_sub(1), each: bids };
                self.some(Rounds, spec, most.times(rounds));
            }
            TurnMode::Moderator => {
                self.some(Rounds, spec, Most { all: speakers * 2, each: speakers * 2 }.times(rounds));
            }
            TurnMode::RoundRobin | TurnMode::Random | TurnMode::PriorityOrder => {
                self.some(Rounds, spec, Most { all: speakers, each: 1 }.times(rounds));
            }
        }
    }

    /// Eight speeches; four of them are the other bench's, and each of its speakers may offer a point to each.
    fn parliament(&mut self, spec: &'a DebateSpec, n: u64) {
        let speeches = 8 / n.clamp(1, 8);
        self.everybody(Rounds, spec, speeches);
        if spec.format.points_of_information {
            self.everybody(Rounds, spec, 4 + speeches);
        }
    }

    /// Everybody bids before each speech, and the others during each where they may interrupt it.
    fn open_fight(&mut self, spec: &'a DebateSpec, n: u64, rounds: u64) {
        let speeches = n * 2;
        self.some(Rounds, spec, Most { all: speeches, each: speeches }.times(rounds));
        self.everybody(Rounds, spec, speeches * rounds);
        if spec.format.interruptions == Interruptions::MidSpeech {
            let most = Most { all: speeches * n.saturating_sub(1), each: speeches };
            self.some(Rounds, spec, most.times(rounds));
        }
    }

    fn critiques(&mut self, spec: &'a DebateSpec, n: u64, rounds: u64) {
        let others = n.saturating_sub(1);
        match spec.format.topology {
            Topology::AllToAll | Topology::Sparse => self.everybody(Rounds, spec, rounds * (others + 1)),
            Topology::RoundRobin | Topology::Ring => self.everybody(Rounds, spec, rounds * 2),
            Topology::Star => {
                let hub = spec.format.hub.as_ref().or_else(|| spec.personas.first().map(|persona| &persona.name));
                let is_hub = |persona: &&'a Persona| Some(&persona.name) == hub;
                // Who criticises whom, and then who revises.
                let (by_hub, by_rim) = match spec.format.direction {
                    Direction::HubCritiques => (others, 1),
                    Direction::CritiqueHub => (1, 1),
                };
                self.personas(Rounds, spec.personas.iter().filter(is_hub), rounds * by_hub);
                self.personas(Rounds, spec.personas.iter().filter(|one| !is_hub(one)), rounds * by_rim);
            }
        }
    }

    /// Votes, measures and the judge's word after every round; notes and summaries before every further one.
    fn between(&mut self, spec: &'a DebateSpec, rounds: u64) {
        let further = rounds.saturating_sub(1);
        if spec.voting.is_some_and(|voting| voting.every_round) {
            for (voter, _) in crate::debate::voters(spec) {
                spec.role(&voter).into_iter().for_each(|role| self.role(Rounds, role, rounds));
            }
        }
        spec.role(&EMBEDDER.into()).into_iter().for_each(|role| self.role(Rounds, role, rounds));
        let judge = spec.role(&JUDGE.into()).filter(|_| spec.judge.as_ref().is_some_and(|judge| judge.ends_rounds));
        judge.into_iter().for_each(|role| self.role(Rounds, role, rounds));
        let notes = |persona: &&Persona| persona.reflection || persona.evolution;
        self.personas(Rounds, spec.personas.iter().filter(notes), further);
        let summaries = match (spec.context_scope, spec.memory) {
            (ContextScope::SummaryOnly, _) => further,
            (_, Memory::SummarizePast) => further / u64::from(spec.windows.summarize_every.max(1)),
            (_, Memory::AppendAll | Memory::RollingWindow | Memory::PersonaMasking) => 0,
        };
        spec.role(&SUMMARIZER.into()).into_iter().for_each(|role| self.role(Rounds, role, summaries));
    }
}
