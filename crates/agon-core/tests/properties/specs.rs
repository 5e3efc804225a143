//! Any valid debate.
use agon_core::*;
use proptest::prelude::*;

/// A valid expression that fails on every debate here.
pub const FAILING_EXPRESSION: &str = "labels.nowhere == 'x'";

/// Admissions of all supported modes, orders, moderators, decisions, budgets and failure rules.
pub fn admissions() -> impl Strategy<Value = Admission> {
    let shape = (2usize..5, 1u32..4, 0u8..2, 0u8..4, 0u8..2, 0u8..4, 0u8..3, any::<bool>(), any::<bool>());
    let rules = (0u8..4, any::<bool>(), any::<bool>(), 0u8..4, 1u32..3, 0u8..6, 1u32..4, 0u8..4);
    (shape, rules, any::<u64>()).prop_map(|(shape, rules, seed)| admission(shape, rules, seed))
}

type Shape = (usize, u32, u8, u8, u8, u8, u8, bool, bool);
type Rules = (u8, bool, bool, u8, u32, u8, u32, u8);

fn admission(shape: Shape, rules: Rules, seed: u64) -> Admission {
    let (personas, max_rounds, mode, order, visibility, moderator, ballots, opening_statements, final_statements) =
        shape;
    let (strategy, abort, fallback, quorum, orders, stop, max_attempts, rule) = rules;
    let mode = if mode == 0 { Mode::Adversarial } else { Mode::Deliberative };
    let moderator = (moderator > 0 || order == 3).then(|| Moderator {
        opens: moderator != 2 || order == 3,
        closes: moderator >= 2,
        instructions: None,
        voice: voice("m"),
    });
    let votes = strategy >= 2;
    let rule =
        [VoteRule::Majority, VoteRule::Supermajority, VoteRule::Unanimous, VoteRule::Plurality][usize::from(rule)];
    let self_votes = if strategy == 3 && personas > 2 { SelfVotes::Exclude } else { SelfVotes::Allow };
    let ballots = match (ballots, mode) {
        (0, _) => Ballots::Both,
        (1, _) | (_, Mode::Deliberative) => Ballots::FinalOnly,
        _ => Ballots::None,
    };
    let spec = DebateSpec {
        topic: "T".into(),
        context: None,
        materials: None,
        mode,
        debate_format: DebateFormat::RoundRobin,
        max_rounds,
        personas: (0..personas).map(|n| persona(n, fallback)).collect(),
        turn_mode: [TurnMode::RoundRobin, TurnMode::Random, TurnMode::PriorityOrder, TurnMode::Moderator]
            [usize::from(order)],
        visibility: if visibility == 0 { Visibility::Sequential } else { Visibility::Simultaneous },
        context_scope: ContextScope::FullLog,
        memory: Memory::AppendAll,
        phases: Phases { opening_statements, final_statements },
        moderator,
        consensus_strategy: if votes { ConsensusStrategy::Vote } else { ConsensusStrategy::Judge },
        judge: (!votes).then(|| Judge {
            orders,
            anonymize_transcript: true,
            shuffle_for_judge: true,
            instructions: None,
            voice: voice("j"),
        }),
        voting: votes.then_some(Voting { rule, self_votes }),
        ballots,
        end_condition: vec![EndCondition::RoundsExhausted],
        terminate_when: match stop {
            1 => Some("turns >= 3".into()),
            2 => Some(FAILING_EXPRESSION.into()),
            _ => None,
        },
        timeout_per_turn_ms: 1_000,
        budget: match stop {
            3 => Budget { tokens: Some(9_000), seconds: None },
            4 => Budget { tokens: None, seconds: Some(9) },
            _ => Budget::default(),
        },
        on_turn_failure: if abort { OnTurnFailure::Abort } else { OnTurnFailure::Skip },
        quorum: [Quorum::Majority, Quorum::All, Quorum::AtLeast(1), Quorum::AtLeast(9)][usize::from(quorum)],
        seed: None,
        agreement_intensity: None,
        language: None,
        instructions: None,
        outputs: vec![],
        labels: Default::default(),
    };
    let retry = RetryPolicy { max_attempts, wait_limit_ms: 2_000, ..RetryPolicy::default() };
    let id = DebateId::parse("debate-1").unwrap();
    Admission {
        id,
        spec,
        seed,
        retry,
        agon_version: "test".into(),
        request_id: None,
        rehearsal: false,
        priority: Default::default(),
        labels: Default::default(),
        creator: None,
        submitted_by: None,
        rejudges: None,
    }
}

fn persona(n: usize, fallback: bool) -> Persona {
    Persona {
        name: ParticipantId::new(format!("P{n}")),
        stance: Some(format!("stance {n}")),
        role: None,
        system_prompt: None,
        instructions: None,
        voice: voice("a"),
        fallback_models: if fallback { vec![ModelName::from("b")] } else { vec![] },
        style: None,
        tone: None,
        language: None,
        priority: [3, 1, 2, 3][n % 4],
    }
}

fn voice(model: &str) -> Voice {
    Voice { model: model.into(), temperature: None, top_p: None, presence_penalty: None, max_tokens: 100, think: None }
}
