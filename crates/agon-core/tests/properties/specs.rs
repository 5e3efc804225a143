//! Any valid debate.
mod parts;

use agon_core::gate::{GateMethod, GateRule};
use agon_core::*;
use parts::{judge, moderator, persona, voting};
use proptest::prelude::*;

/// A valid expression that fails on every debate here.
pub const FAILING_EXPRESSION: &str = "labels.nowhere == 'x'";

/// How many numbers describe a debate.
const GENES: usize = 96;

/// Admissions of every combination of options that makes sense.
pub fn admissions() -> impl Strategy<Value = Admission> {
    of_formats(&DebateFormat::ALL)
}

/// Those of one format.
pub fn of_format(format: DebateFormat) -> impl Strategy<Value = Admission> {
    of_formats(match format {
        DebateFormat::RoundRobin => &[DebateFormat::RoundRobin],
        DebateFormat::Socratic => &[DebateFormat::Socratic],
        DebateFormat::BpStyle => &[DebateFormat::BpStyle],
        DebateFormat::Fishbowl => &[DebateFormat::Fishbowl],
        DebateFormat::ChainOfThought => &[DebateFormat::ChainOfThought],
        DebateFormat::OpenFight => &[DebateFormat::OpenFight],
        DebateFormat::CritiqueRevision => &[DebateFormat::CritiqueRevision],
        DebateFormat::Poll => &[DebateFormat::Poll],
    })
}

fn of_formats(formats: &'static [DebateFormat]) -> impl Strategy<Value = Admission> {
    let genes = proptest::collection::vec(any::<u32>(), GENES);
    (genes, any::<u64>()).prop_map(move |(genes, seed)| {
        let admission = admission(&mut Genes { genes, next: 0 }, formats, seed);
        let problems = combination_problems(&admission.spec);
        assert!(problems.is_empty(), "{problems:?}");
        admission
    })
}

/// Numbers that choices are read from; small numbers are the simplest choices, so that a failing debate shrinks.
pub struct Genes {
    genes: Vec<u32>,
    next: usize,
}
impl Genes {
    pub fn below(&mut self, bound: u32) -> u32 {
        self.next += 1;
        self.genes[self.next % self.genes.len()] % bound
    }
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == n - 1
    }
    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize].clone()
    }
}

fn admission(genes: &mut Genes, formats: &[DebateFormat], seed: u64) -> Admission {
    let format = genes.pick(formats);
    let mut spec = if format == DebateFormat::Poll { poll(genes) } else { debate(genes, format) };
    spec.answer = answer_form(genes, &spec);
    gated(genes, &mut spec);
    let retry = RetryPolicy { max_attempts: 1 + genes.below(3), wait_limit_ms: 2_000, ..RetryPolicy::default() };
    Admission { seed, retry, ..testing::admission("debate-1", spec) }
}

fn debate(genes: &mut Genes, format: DebateFormat) -> DebateSpec {
    let mut spec = shaped(genes, format);
    past(genes, &mut spec);
    parts::ending(genes, &mut spec);
    spec
}

/// Samples, and a vote among them or a judge.
fn poll(genes: &mut Genes) -> DebateSpec {
    let count = 1 + genes.below(3) as usize;
    let samples = 1 + genes.below(9);
    let mut spec = DebateSpec {
        mode: Mode::Deliberative,
        debate_format: DebateFormat::Poll,
        format: FormatOptions { samples, ..FormatOptions::default() },
        personas: (0..count).map(|n| Persona { priority: 0, ..persona(genes, n) }).collect(),
        visibility: Visibility::Simultaneous,
        phases: Phases { opening_statements: true, ..testing::no_statements() },
        judge: None,
        timeout_per_turn_ms: 1_000,
        on_turn_failure: if genes.one_in(4) { OnTurnFailure::Abort } else { OnTurnFailure::Skip },
        quorum: genes.pick(&[Quorum::AtLeast(1), Quorum::Majority, Quorum::All, Quorum::AtLeast(9)]),
        ..testing::spec()
    };
    if genes.one_in(3) {
        spec.judge = Some(judge(genes, (true, false, false)));
    } else {
        let rule = genes.pick(&[VoteRule::Plurality, VoteRule::Majority, VoteRule::Supermajority, VoteRule::Unanimous]);
        (spec.consensus_strategy, spec.voting) = (ConsensusStrategy::Vote, Some(testing::voting(rule)));
    }
    match genes.below(6) {
        3 => spec.synthesizer = Some(Synthesizer { output_schema: None, instructions: None, voice: parts::voice("y") }),
        4 => spec.budget.tokens = Some(2_000 + u64::from(genes.below(6_000))),
        5 => spec.budget.seconds = Some(9),
        _ => {}
    }
    spec
}

/// A gate, now and then, where it can decide anything.
fn gated(genes: &mut Genes, spec: &mut DebateSpec) {
    let rule =
        genes.pick(&[None, None, Some(GateMethod::Unanimous), Some(GateMethod::Never), Some(GateMethod::Always)]);
    let plain = spec.clone();
    if !genes.one_in(3) {
        return;
    }
    (spec.debate, spec.gate.rule) = (DebateWhen::IfContested, rule.map(GateRule::plain));
    spec.gate.explore = genes.pick(&[0.0, 0.5]);
    if !combination_problems(spec).is_empty() {
        *spec = plain;
    }
}

/// What an answer is, now and then.
fn answer_form(genes: &mut Genes, spec: &DebateSpec) -> Option<AnswerForm> {
    let kind =
        genes.pick(&[None, None, None, Some(AnswerKind::Choice), Some(AnswerKind::Number), Some(AnswerKind::Text)]);
    let assigned = spec.mode == Mode::Adversarial;
    let judged = spec.consensus_strategy == ConsensusStrategy::Judge;
    let kind = kind.filter(|kind| !assigned || *kind == AnswerKind::Choice || *kind == AnswerKind::Text && judged)?;
    let stances: Vec<String> = spec.stances().into_iter().map(str::to_owned).collect();
    let own = ["Answer 0", "Answer 1", "Answer 2"].map(str::to_owned).to_vec();
    let options = [if assigned { stances } else { own }, vec!["None of these".to_owned()]].concat();
    let options = if kind == AnswerKind::Choice { options } else { Vec::new() };
    Some(AnswerForm { kind, options, ..AnswerForm::default() })
}

/// Format, order, phases, moderator, decision: what depends on each other.
fn shaped(genes: &mut Genes, format: DebateFormat) -> DebateSpec {
    use TurnMode::*;
    let parliament = format == DebateFormat::BpStyle;
    let count = match format {
        DebateFormat::BpStyle => genes.pick(&[4, 8]),
        DebateFormat::Fishbowl => 3 + genes.below(3) as usize,
        _ => 2 + genes.below(3) as usize,
    };
    let turn_mode = match format {
        DebateFormat::RoundRobin | DebateFormat::ChainOfThought => genes.pick(&TurnMode::ALL),
        DebateFormat::Socratic => genes.pick(&[RoundRobin, Random, PriorityOrder]),
        DebateFormat::Fishbowl => genes.pick(&[RoundRobin, Random, PriorityOrder, ReactionTriggered]),
        DebateFormat::BpStyle | DebateFormat::OpenFight | DebateFormat::CritiqueRevision => RoundRobin,
        DebateFormat::Poll => RoundRobin,
    };
    let mode = if !parliament && genes.one_in(2) { Mode::Deliberative } else { Mode::Adversarial };
    let max_rounds = if parliament { 1 } else { 1 + genes.below(4) };
    let at_once = match format {
        DebateFormat::RoundRobin | DebateFormat::ChainOfThought | DebateFormat::Fishbowl => {
            turn_mode != ReactionTriggered && genes.one_in(2)
        }
        DebateFormat::CritiqueRevision => genes.one_in(2),
        DebateFormat::Socratic | DebateFormat::BpStyle | DebateFormat::OpenFight | DebateFormat::Poll => false,
    };
    let final_statements = !parliament && genes.one_in(2);
    let proposes = format == DebateFormat::CritiqueRevision;
    let phases = Phases {
        opening_statements: proposes || !parliament && genes.one_in(2),
        final_statements,
        rebuttals: final_statements && genes.one_in(2),
        ..testing::no_statements()
    };
    let mut spec = DebateSpec {
        mode,
        debate_format: format,
        format: options(genes, format, count),
        max_rounds,
        personas: (0..count).map(|n| persona(genes, n)).collect(),
        turn_mode,
        visibility: if at_once { Visibility::Simultaneous } else { Visibility::Sequential },
        phases,
        moderator: moderator(genes, turn_mode == Moderator),
        judge: None,
        ballots: genes.pick(&[Ballots::Both, Ballots::FinalOnly, Ballots::None]),
        timeout_per_turn_ms: 1_000,
        on_turn_failure: if genes.one_in(4) { OnTurnFailure::Abort } else { OnTurnFailure::Skip },
        quorum: genes.pick(&[Quorum::AtLeast(1), Quorum::Majority, Quorum::All, Quorum::AtLeast(9)]),
        ..testing::spec()
    };
    for (at, persona) in spec.personas.iter_mut().enumerate().filter(|_| parliament) {
        let bench = Bench::ALL.into_iter().find(|bench| bench.speaker(count) == at).unwrap();
        persona.stance = Some(Bench::TEAMS[bench.team()].into());
    }
    decision(genes, &mut spec);
    spec
}

fn options(genes: &mut Genes, format: DebateFormat, count: usize) -> FormatOptions {
    let usual = FormatOptions::default();
    match format {
        DebateFormat::BpStyle => FormatOptions { points_of_information: !genes.one_in(4), ..usual },
        DebateFormat::Fishbowl => FormatOptions { inner_circle: 2 + genes.below(count as u32 - 2), ..usual },
        DebateFormat::OpenFight => {
            let interruptions =
                genes.pick(&[Interruptions::Off, Interruptions::TurnBoundary, Interruptions::MidSpeech]);
            let interruption_threshold = if interruptions == Interruptions::Off { 8 } else { genes.pick(&[8, 1, 5]) };
            FormatOptions { interruptions, interruption_threshold, ..usual }
        }
        DebateFormat::CritiqueRevision => {
            use Topology::*;
            let topology = genes.pick(&[AllToAll, RoundRobin, Ring, Star, Sparse]);
            let hub = genes.below(count as u32 + 1).checked_sub(1).map(|n| ParticipantId::new(format!("P{n}")));
            let direction = genes.pick(&[Direction::HubCritiques, Direction::CritiqueHub]);
            let density = genes.pick(&[0.5, 0.01, 1.0]);
            match topology {
                AllToAll | RoundRobin | Ring => FormatOptions { topology, ..usual },
                Star => FormatOptions { topology, hub, direction, ..usual },
                Sparse => FormatOptions { topology, density, ..usual },
            }
        }
        DebateFormat::RoundRobin | DebateFormat::Socratic | DebateFormat::ChainOfThought => usual,
        DebateFormat::Poll => usual,
    }
}

fn decision(genes: &mut Genes, spec: &mut DebateSpec) {
    let strategy = genes.pick(&ConsensusStrategy::ALL);
    spec.consensus_strategy = match strategy {
        ConsensusStrategy::MediatorSummary if spec.moderator.is_none() => ConsensusStrategy::NoConsensus,
        ConsensusStrategy::AgentClosing if !spec.phases.final_statements => ConsensusStrategy::Judge,
        strategy => strategy,
    };
    if spec.consensus_strategy == ConsensusStrategy::Vote {
        spec.voting = Some(voting(genes, spec));
    }
    let judged = spec.consensus_strategy.is_judged();
    let votes = spec.voting.is_some_and(|voting| voting.voters == Voters::Judges);
    let ends_rounds = spec.max_rounds > 1 && genes.one_in(3);
    if judged || votes || ends_rounds {
        spec.judge = Some(judge(genes, (judged, votes, ends_rounds)));
    }
    if !spec.voting.is_some_and(|voting| voting.rule.is_scored()) && genes.one_in(4) {
        spec.scoring = Scoring::Anonymous;
    }
    let by_answers = spec.mode == Mode::Deliberative && !spec.elects_debaters();
    let needs_ballots = by_answers && (judged || strategy == ConsensusStrategy::Vote);
    if needs_ballots && spec.ballots == Ballots::None {
        spec.ballots = Ballots::Both;
    }
    if by_answers && spec.voting.is_some_and(|voting| voting.every_round) {
        spec.ballots = Ballots::Both;
    }
    if spec.voting.is_some_and(|voting| voting.rule == VoteRule::Weighted) {
        for persona in &mut spec.personas {
            match genes.below(3) {
                0 => {}
                1 => persona.weight = Some(genes.pick(&[1.0, 0.1, 2.5, 5.0])),
                _ => (persona.elo, persona.calibration) = (Some(genes.pick(&[1500.0, 900.0, 2000.0])), Some(0.7)),
            }
        }
    }
}

fn past(genes: &mut Genes, spec: &mut DebateSpec) {
    use ContextScope::*;
    use Memory::*;
    spec.context_scope = genes.pick(&[FullLog, LastNTurns, PersonaScoped, SummaryOnly]);
    spec.memory = genes.pick(&[AppendAll, RollingWindow, PersonaMasking, SummarizePast]);
    if spec.max_rounds == 1 {
        spec.context_scope = if spec.context_scope == SummaryOnly { FullLog } else { spec.context_scope };
        spec.memory = if spec.memory == SummarizePast { AppendAll } else { spec.memory };
    }
    match spec.memory {
        SummarizePast if spec.context_scope != SummaryOnly => {
            spec.windows.summarize_every = 1 + genes.below(spec.max_rounds - 1);
        }
        PersonaMasking => {
            spec.personas[0].sees = Some(vec![Sight::Kind(TurnKind::Arguments)]);
            spec.context_scope = if spec.context_scope == SummaryOnly { FullLog } else { spec.context_scope };
        }
        RollingWindow => (spec.windows.memory_window, spec.windows.window_step) = (4, 1 + genes.below(4)),
        AppendAll | SummarizePast => {}
    }
    if spec.memory == SummarizePast || spec.context_scope == SummaryOnly {
        spec.summarizer = Some(Summarizer { instructions: None, voice: parts::voice("s") });
    }
    for persona in spec.personas.iter_mut().filter(|_| spec.max_rounds > 1) {
        (persona.reflection, persona.evolution) = (genes.one_in(4), genes.one_in(4));
    }
}
