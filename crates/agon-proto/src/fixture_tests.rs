//! "Journal records are readable by every later version." `fixtures/journal-v1/README.md` says how to add one.
use crate::{Chained, decode_record, encode_record};
use agon_core::gate::{GateFeatures, GateReason};
use agon_core::*;
use std::path::PathBuf;

mod formats;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/journal-v1")
}

/// Set to write the fixtures that are missing. Files that exist are never touched.
const WRITE: &str = "AGON_WRITE_FIXTURES";

#[test]
fn every_kind_of_event_of_version_1_is_still_readable() {
    for (name, event) in events() {
        let expected = Chained { record: record(event), prev_hash: [0xA5; 32] };
        let path = folder().join(format!("{name}.bin"));
        if !path.exists() && std::env::var_os(WRITE).is_some() {
            std::fs::write(&path, encode_record(&expected.record, &expected.prev_hash)).unwrap();
        }
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(decode_record(&bytes).unwrap(), expected, "{name}");
    }
}

#[test]
fn every_fixture_is_expected_and_every_kind_has_one() {
    let mut files: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".bin").map(str::to_owned))
        .collect();
    files.sort();
    let mut expected: Vec<_> = events().into_iter().map(|(name, _)| name.to_owned()).collect();
    expected.sort();
    assert_eq!(files, expected);
    let kinds: std::collections::BTreeSet<_> = events().iter().map(|(_, event)| kind(event)).collect();
    assert_eq!(kinds.len(), 38, "a kind of event has no fixture");
}

/// Grows with the enum: a new variant does not compile here until it is named, and then fails above until it has a fixture.
fn kind(event: &Event) -> u32 {
    match event {
        Event::DebateAdmitted(_) => 1,
        Event::Claimed { .. } => 2,
        Event::PhaseEntered { .. } => 3,
        Event::ParticipantPlaced { .. } => 4,
        Event::RoundOpened { .. } => 5,
        Event::TurnAsked(_) => 6,
        Event::Answered(Answered { given: Given::Speech(_), .. }) => 7,
        Event::Answered(Answered { given: Given::Ballot { .. }, .. }) => 8,
        Event::Answered(Answered { given: Given::Vote { .. }, .. }) => 9,
        Event::Answered(Answered { given: Given::Decision { .. }, .. }) | Event::FallbackDecided { .. } => 10,
        Event::TurnFailed { .. } => 11,
        Event::SeatSkipped { .. } => 12,
        Event::LoopEnded { .. } => 13,
        Event::Answered(Answered { given: Given::Judgement { .. }, .. }) => 14,
        Event::VoteTallied { .. } => 15,
        Event::VerdictReached { .. } => 16,
        Event::CancelRequested { .. } => 17,
        Event::DebateEnded { .. } => 18,
        Event::StageOpened { .. } => 19,
        Event::ToolCalled { .. } => 20,
        Event::SpeechHeard { .. } => 21,
        Event::Answered(Answered { given: Given::Bid { .. }, .. }) => 22,
        Event::Answered(Answered { given: Given::Points { .. }, .. }) => 23,
        Event::Answered(Answered { given: Given::Critique { .. }, .. }) => 24,
        Event::Answered(Answered { given: Given::Note(_), .. }) => 25,
        Event::Answered(Answered { given: Given::DebaterScores { .. }, .. }) => 26,
        Event::Answered(Answered { given: Given::Interjection(_), .. }) => 27,
        Event::Answered(Answered { given: Given::SpeechScores { .. }, .. }) => 28,
        Event::Answered(Answered { given: Given::Research { .. }, .. }) => 29,
        Event::Answered(Answered { given: Given::Conclusion { .. }, .. }) => 30,
        Event::Answered(Answered { given: Given::Summary { .. }, .. }) => 31,
        Event::Answered(Answered { given: Given::Measures { .. }, .. }) | Event::RoundCompared { .. } => 32,
        Event::Answered(Answered { given: Given::Enough { .. }, .. }) => 33,
        Event::Answered(Answered { given: Given::Ranking { .. }, .. }) => 34,
        Event::Answered(Answered { given: Given::Synthesis(_), .. }) => 35,
        Event::DebateInterrupted { .. } => 37,
        Event::DebateResumed { .. } => 38,
        Event::GateDecided { .. } => 39,
    }
}

fn record(event: Event) -> Record {
    Record { first: Position(7), at: Timestamp(1_700_000_000_123), epoch: 3, nonce: 0xDEAD_BEEF, events: vec![event] }
}

const TURN: TurnId = TurnId { round: 2, seat: 1, attempt: 3 };
fn ada() -> ParticipantId {
    ParticipantId::new("Ada")
}

fn events() -> Vec<(&'static str, Event)> {
    let mut events = control();
    events.extend(turns());
    events.extend(ends());
    events.extend(formats::events());
    events
}

fn ask(task: Task) -> Event {
    Event::TurnAsked(Ask {
        model: ModelName::new("llama3.2:3b"),
        sees: Position(6),
        deadline: Timestamp(1_700_000_600_000),
        correction: Some("no JSON".to_owned()),
        ..testing::ask(TURN, "Ada", task)
    })
}

fn control() -> Vec<(&'static str, Event)> {
    let texts = || vec!["Yes".to_owned(), "No".to_owned()];
    vec![
        ("debate_admitted", Event::DebateAdmitted(Box::new(admission()))),
        ("claimed", Event::Claimed { writer: NodeId::new("node-a"), epoch: 3 }),
        ("phase_entered", Event::PhaseEntered { phase: PhaseName::Rounds }),
        (
            "participant_placed",
            Event::ParticipantPlaced {
                participant: ada(),
                host: "gpu-1".to_owned(),
                model: ModelName::new("llama3.2:3b"),
                digest: Some("sha256:ab".to_owned()),
            },
        ),
        (
            "round_opened",
            Event::RoundOpened {
                round: 2,
                speakers: vec![ada(), ParticipantId::new("Bob")],
                briefing: Some("be brief".into()),
                new_angle: None,
            },
        ),
        ("turn_asked.ballot", ask(agon_core::testing::ballot(BallotStage::Initial, texts()))),
        ("turn_asked.opening", ask(Work::Opening.into())),
        (
            "turn_asked.argument",
            ask(Task::new(
                Work::Argument { to: None, bench: None },
                Material {
                    guidance: Guidance { briefing: Some("b".into()), new_angle: None, summary: Some("s".into()) },
                    ..Material::default()
                },
            )),
        ),
        ("turn_asked.closing", ask(Work::Closing.into())),
        ("turn_asked.open_round", ask(Work::OpenRound.into())),
        ("turn_asked.close_round", ask(Work::CloseRound.into())),
        ("turn_asked.judge", ask(agon_core::testing::judging(1, texts()))),
        ("turn_asked.vote", ask(agon_core::testing::vote(texts()))),
        ("seat_skipped", Event::SeatSkipped { round: 2, seat: 1, participant: ada(), reason: SkipReason::Budget }),
        ("debate_interrupted", Event::DebateInterrupted { reason: Reason::with(ReasonCode::Poison, "it died") }),
        ("debate_resumed", Event::DebateResumed { by: Some("ada".to_owned()) }),
        ("cancel_requested", Event::CancelRequested { reason: "enough".to_owned() }),
    ]
}

fn turns() -> Vec<(&'static str, Event)> {
    let decided = |decision, fallback| match fallback {
        true => Event::FallbackDecided { turn: TURN, decision },
        false => Event::answer(TURN, MODERATOR, Given::Decision { decision }, call()),
    };
    let plan = RoundPlan { next_speakers: vec![ada()], briefing: None, new_angle: Some("cost".to_owned()), done: true };
    let summary = RoundSummary {
        summary: "s".to_owned(),
        status: RoundStatus::Settled,
        decision: Some("Yes".to_owned()),
        vote_now: false,
    };
    vec![
        (
            "speech_recorded",
            Event::answer(
                TURN,
                ada(),
                Given::Speech(Speech {
                    stance: Some("Yes".to_owned()),
                    kind: SpeechKind::Argument,
                    text: "Naïve – but true.".into(),
                    to: None,
                    bench: None,
                    answer: None,
                    accepted: Vec::new(),
                    declined: Vec::new(),
                    cut_by: None,
                    cut_at_limit: false,
                    confidence: None,
                    neutralised: 2,
                }),
                call(),
            ),
        ),
        (
            "ballot_cast",
            Event::answer(
                TURN,
                ada(),
                Given::Ballot {
                    stage: BallotStage::Final,
                    choice: "Yes".to_owned(),
                    reasons: vec!["because".to_owned()],
                    confidence: None,
                },
                call(),
            ),
        ),
        (
            "vote_cast",
            Event::answer(
                TURN,
                ada(),
                Given::Vote { choice: "No".to_owned(), choices: vec![], reasons: vec![], confidence: None },
                Box::default(),
            ),
        ),
        ("moderator_decided.opens", decided(ModeratorDecision::Opens(plan), true)),
        ("moderator_decided.closes", decided(ModeratorDecision::Closes(summary), false)),
        (
            "turn_failed",
            Event::TurnFailed {
                turn: TURN,
                participant: ada(),
                failure: Failure { cause: FailureCause::Busy, detail: "503".to_owned(), retry_after_ms: Some(1_500) },
                retry_at: Some(Timestamp(1_700_000_001_623)),
                call: call(),
            },
        ),
        (
            "judgement_recorded",
            Event::answer(
                TURN,
                ParticipantId::new(JUDGE),
                Given::Judgement {
                    order: 1,
                    verdict: "Yes, but".to_owned(),
                    winner: Some("Yes".to_owned()),
                    reasoning: "r".to_owned(),
                    citations: vec![Citation {
                        turn: Some(TURN),
                        participant: Some(ada()),
                        quote: "true".to_owned(),
                        verified: true,
                        too_short: false,
                    }],
                    open_objections: vec![],
                },
                call(),
            ),
        ),
    ]
}

fn gate_decided() -> Event {
    let features = GateFeatures {
        top_share: Some(0.75),
        entropy: Some(0.5),
        margin: Some(0.25),
        answers: Some(2.0),
        reason_words_mean: Some(12.5),
        reason_words_spread: Some(3.0),
        question_words: Some(21.0),
        options: Some(4.0),
        models_disagree: None,
        confidence_mean: Some(80.0),
    };
    let (score, reason) = (Some(-0.125), GateReason::Explored);
    Event::GateDecided { features, eligible: 4, cast: 4, score, skip: false, reason }
}

fn ends() -> Vec<(&'static str, Event)> {
    vec![
        ("gate_decided", gate_decided()),
        ("loop_ended", Event::LoopEnded { rule: StopRule::ModeratorSettled, round: 2, warning: None }),
        (
            "vote_tallied",
            Event::VoteTallied {
                rule: Some(VoteRule::Supermajority),
                counts: vec![("Yes".to_owned(), 2), ("No".to_owned(), 0)],
                weights: vec![],
                eligible: 3,
                received: 2,
                winner: Some("Yes".to_owned()),
            },
        ),
        (
            "verdict_reached",
            Event::VerdictReached {
                outcome: Outcome::Degraded,
                verdict: Some("Yes, but".to_owned()),
                winner: Some("Yes".to_owned()),
                reasoning: Some("r".to_owned()),
                reason: None,
                consensus: Some(Consensus {
                    answer: Some("Yes".to_owned()),
                    top: 2,
                    eligible: 3,
                    strength: Strength::Moderate,
                    contested: true,
                    source: ConsensusSource::FinalBallots,
                }),
                majority: MajorityShift::Overturned,
                moved: vec![ada()],
            },
        ),
        (
            "debate_ended",
            Event::DebateEnded {
                state: DebateState::Succeeded,
                outcome: Some(Outcome::Inconclusive),
                reason: Some(Reason::with(ReasonCode::OrderSensitive, "Yes, then No")),
                usage: UsageTotals {
                    calls: 9,
                    unknown_calls: 1,
                    prompt_tokens: 1_234,
                    cached_tokens: Some(400),
                    completion_tokens: 567,
                },
                missing_seats: vec![MissingSeat { round: 2, seat: 1, participant: ada(), cause: FailureCause::Quota }],
            },
        ),
    ]
}

fn call() -> Box<Call> {
    Box::new(Call {
        host: Some("gpu-1".to_owned()),
        model: Some(ModelName::new("llama3.2:3b")),
        digest: Some("sha256:ab".to_owned()),
        prompt_hash: Some("00ff".to_owned()),
        options: CallOptions {
            temperature: Some(0.5),
            top_p: Some(0.25),
            presence_penalty: Some(-1.0),
            seed: Some(u64::MAX),
            max_tokens: Some(800),
            ..CallOptions::default()
        },
        usage: Usage { prompt_tokens: Some(100), cached_tokens: Some(0), completion_tokens: None },
        timing: Timing {
            queue_ms: Some(0),
            prefill_ms: Some(12),
            decode_ms: Some(345),
            first_byte_ms: Some(20),
            total_ms: Some(360),
            ..Timing::default()
        },
        finish_reason: Some("stop".to_owned()),
        rehearsal: true,
        ..Call::default()
    })
}

fn admission() -> Admission {
    let voice = |model: &str| Voice {
        temperature: Some(0.75),
        top_p: Some(0.5),
        presence_penalty: Some(-0.5),
        think: Some(Think::Low),
        ..testing::voice(model, 800)
    };
    let persona = |name: &str, stance: &str| Persona {
        role: Some("engineer".to_owned()),
        system_prompt: Some("sp".to_owned()),
        instructions: Some("i".to_owned()),
        voice: Voice { fallback_models: vec![ModelName::new("qwen3:4b")], ..voice("llama3.2:3b") },
        style: Some(Style::BulletPoint),
        tone: Some("calm".to_owned()),
        language: Some("de".to_owned()),
        priority: -3,
        ..testing::persona(name, stance)
    };
    let spec = DebateSpec {
        topic: "Is a fixture enough?".to_owned(),
        context: Some("c".to_owned()),
        materials: Some("m".to_owned()),
        mode: Mode::Deliberative,
        max_rounds: 4,
        personas: vec![persona("Ada", "Yes"), persona("Bob", "No")],
        turn_mode: TurnMode::PriorityOrder,
        visibility: Visibility::Simultaneous,
        phases: Phases { opening_statements: true, ..testing::no_statements() },
        moderator: Some(Moderator {
            closes: false,
            instructions: Some("mi".to_owned()),
            voice: voice("m"),
            ..testing::moderator()
        }),
        judge: Some(Judge {
            orders: 2,
            shuffle_for_judge: false,
            instructions: Some("ji".to_owned()),
            voice: voice("j"),
            ..testing::judge()
        }),
        voting: Some(testing::voting(VoteRule::Unanimous)),
        ballots: Ballots::Both,
        terminate_when: Some("round > 2".to_owned()),
        timeout_per_turn_ms: 60_000,
        budget: Budget { tokens: Some(50_000), seconds: Some(0) },
        on_turn_failure: OnTurnFailure::Abort,
        quorum: Quorum::AtLeast(1),
        seed: Some(42),
        agreement_intensity: Some(7),
        language: Some("en".to_owned()),
        instructions: Some("gi".to_owned()),
        outputs: vec![Output::FullMarkdown, Output::Html],
        labels: [("team".to_owned(), "a".to_owned())].into(),
        ..testing::spec()
    };
    Admission {
        seed: 0x0123_4567_89AB_CDEF,
        retry: RetryPolicy { max_attempts: 3, base_delay_ms: 500, max_delay_ms: 30_000, wait_limit_ms: 600_000 },
        agon_version: "0.1.0".to_owned(),
        request_id: Some("req-1".to_owned()),
        rehearsal: true,
        ..testing::admission("fixture-v1", spec)
    }
}
