//! Events and fields that formats, moderators and decisions brought.
use super::{TURN, ada, admission, ask, call};
use agon_core::*;
use serde_json::json;

fn bob() -> ParticipantId {
    ParticipantId::new("Bob")
}
fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}
fn texts() -> Vec<String> {
    vec!["Yes".to_owned(), "No".to_owned()]
}
const SCORE: Score = Score { clarity: 8, evidence: 7, originality: 0, on_topic: 10 };

pub(super) fn events() -> Vec<(&'static str, Event)> {
    let mut events = tasks();
    events.extend(said());
    events.extend(moderated());
    events.extend(decided());
    events
}

fn tasks() -> Vec<(&'static str, Event)> {
    let guidance = || Guidance { briefing: Some("b".into()), new_angle: Some("n".into()), summary: None };
    let argument = Task::new(
        Work::Argument { to: Some(bob()), bench: Some(Bench::GovernmentWhip) },
        Material { guidance: guidance(), ..Material::default() },
    );
    let statement = Task::new(
        Work::Statement { speech: SpeechKind::FollowUp, to: Some(bob()), about: Some("Why?".into()) },
        Material { guidance: guidance(), ..Material::default() },
    );
    let bid =
        Task::from(Work::Bid { purpose: BidPurpose::Interruption, on: Some(bob()), heard: Some("We should".into()) });
    let points = vec![Point { by: bob(), text: "At what cost?".to_owned() }];
    let labelled = vec![(ada(), "Speaker B".to_owned()), (bob(), "Speaker A".to_owned())];
    vec![
        ("turn_asked.argument_on_bench", ask(argument)),
        ("turn_asked.statement", ask(statement)),
        ("turn_asked.bid", ask(bid)),
        ("turn_asked.answer_points", ask(agon_core::testing::answering(points))),
        ("turn_asked.critique", ask(Work::Critique { of: bob() }.into())),
        ("turn_asked.revise", ask(agon_core::testing::revising(vec![bob()]))),
        ("turn_asked.reflect", ask(agon_core::testing::reflecting(true, false))),
        ("turn_asked.interject", ask(Work::Interject.into())),
        ("turn_asked.score_speeches", ask(agon_core::testing::scoring_speeches(vec![TURN]))),
        ("turn_asked.research", ask(Work::Research.into())),
        ("turn_asked.conclude", ask(Work::Conclude { conclusion: Conclusion::Decision }.into())),
        ("turn_asked.summarise", ask(agon_core::testing::summarising(2))),
        ("turn_asked.measure", ask(agon_core::testing::measuring(2))),
        ("turn_asked.enough_said", ask(Work::EnoughSaid.into())),
        ("turn_asked.rank", ask(agon_core::testing::ranking(1, texts()))),
        ("turn_asked.ranked_vote", ask(agon_core::testing::vote_by(texts(), BallotForm::Ranking))),
        ("turn_asked.score_debaters", ask(agon_core::testing::scoring(labelled))),
        ("turn_asked.synthesise", ask(Work::Synthesise.into())),
    ]
}

fn said() -> Vec<(&'static str, Event)> {
    let seat = |work| Seat { participant: ada(), work };
    let works = vec![
        Work::Ballot { stage: BallotStage::Final },
        Work::Opening,
        Work::Argument { to: Some(bob()), bench: Some(Bench::PrimeMinister) },
        Work::Statement { speech: SpeechKind::Answer, to: Some(bob()), about: Some("Why?".into()) },
        Work::Closing,
        Work::Bid { purpose: BidPurpose::Point, on: Some(bob()), heard: None },
        Work::AnswerPoints,
        Work::Critique { of: bob() },
        Work::Revise,
        Work::Reflect,
        Work::OpenRound,
        Work::CloseRound,
        Work::Interject,
        Work::ScoreSpeeches,
        Work::Research,
        Work::Conclude { conclusion: Conclusion::Reconciliation },
        Work::Summarise,
        Work::Measure,
        Work::EnoughSaid,
        Work::Judge { order: 1 },
        Work::Rank { order: 1 },
        Work::Vote,
        Work::ScoreDebaters,
        Work::Synthesise,
    ];
    let stage = Event::StageOpened {
        round: 2,
        step: Step::Speaking,
        seats: works.into_iter().map(seat).collect(),
        parallel: true,
        joins: true,
    };
    let tool = ToolUse {
        tool: "search".to_owned(),
        arguments: r#"{"query":"bridges"}"#.to_owned(),
        result: text("three"),
        error: text("slow"),
        truncated: true,
        duration_ms: 120,
    };
    let bid = Bid { urgency: 9, to: Some(bob()), text: text("cost") };
    let reply = PointReply { accepts: Some(bob()), reply: text("little") };
    let critique = Critique { severity: 7, issues: vec!["cost".to_owned()], suggestions: vec!["lease".to_owned()] };
    let note = Note {
        position: text("for"),
        changed_by: text("Bob"),
        contradictions: vec!["c".to_owned()],
        worked: text("w"),
        did_not_work: text("d"),
        next: text("n"),
    };
    let points = vec![Point { by: bob(), text: "At what cost?".to_owned() }];
    let turn = TURN;
    vec![
        ("stage_opened", stage),
        ("tool_called", Event::ToolCalled { turn, participant: ada(), tool }),
        ("speech_heard", Event::SpeechHeard { turn, participant: ada(), text: "We should".into() }),
        ("bid_placed", Event::answer(turn, ada(), Given::Bid { purpose: BidPurpose::Reaction, bid }, call())),
        ("points_answered", Event::answer(turn, ada(), Given::Points { points, reply }, call())),
        (
            "critique_recorded",
            Event::answer(turn, ada(), Given::Critique { of: bob(), critique, neutralised: 1 }, call()),
        ),
        ("note_taken", Event::answer(turn, ada(), Given::Note(note), call())),
        ("speech_recorded.revision", Event::answer(turn, ada(), Given::Speech(revision()), call())),
        (
            "debaters_scored",
            Event::answer(
                turn,
                ada(),
                Given::DebaterScores { scores: vec![DebaterScore { debater: bob(), score: SCORE }] },
                call(),
            ),
        ),
    ]
}

fn revision() -> Speech {
    Speech {
        stance: None,
        kind: SpeechKind::Revision,
        text: "Lease it.".into(),
        to: Some(bob()),
        bench: Some(Bench::LeaderOfOpposition),
        answer: text("Lease"),
        accepted: vec![bob()],
        declined: vec![Declined { critic: ParticipantId::new("Cy"), why: "too dear".to_owned() }],
        cut_by: Some(bob()),
        cut_at_limit: false,
        confidence: None,
        neutralised: 0,
    }
}

fn moderated() -> Vec<(&'static str, Event)> {
    let turn = TURN;
    let remark = |text: &str| vec![Remark { to: ada(), text: text.to_owned() }];
    let interjection = Interjection {
        comment: text("calm"),
        warnings: remark("off topic"),
        questions: remark("how much?"),
        revisions: remark("say it shorter"),
    };
    let measures = Measures {
        agreement: Some(0.25),
        stability: Some(0.5),
        stable: vec![Figure { participant: ada(), value: 0.5 }],
        known: vec![Figure { participant: bob(), value: 0.75 }],
        by_answers: true,
        method: Method::WordsInstead,
    };
    let scores = vec![SpeechScore { speech: TURN, score: SCORE, comment: text("clear") }];
    vec![
        ("moderator_interjected", Event::answer(turn, MODERATOR, Given::Interjection(interjection), call())),
        ("speeches_scored", Event::answer(turn, MODERATOR, Given::SpeechScores { scores }, call())),
        ("research_briefed", Event::answer(turn, MODERATOR, Given::Research { text: "facts".into() }, call())),
        (
            "moderator_concluded",
            Event::answer(
                turn,
                MODERATOR,
                Given::Conclusion { conclusion: Conclusion::Decision, text: "Lease.".into(), reasoning: text("r") },
                call(),
            ),
        ),
        (
            "summary_recorded",
            Event::answer(turn, SUMMARIZER, Given::Summary { through: 2, text: "so far".into() }, call()),
        ),
        ("round_measured", Event::answer(TURN, EMBEDDER, Given::Measures { round: 2, measures }, call())),
    ]
}

fn decided() -> Vec<(&'static str, Event)> {
    let (turn, judge) = (TURN, || ParticipantId::new("judge-2"));
    let synthesis = Synthesis { text: "{}".into(), output: Some("{}".into()), problems: vec!["p".to_owned()] };
    let ranking = vec![Ranked { candidate: "Yes".to_owned(), reason: "r".to_owned() }];
    let weights = vec![VoterWeight {
        voter: ada(),
        elo: Some(1500.0),
        calibration: Some(0.5),
        confidence: None,
        thousandths: 1000,
    }];
    let enough = Event::answer(turn, judge(), Given::Enough { enough: true, reasoning: "r".to_owned() }, call());
    let judged = Event::answer(
        turn,
        judge(),
        Given::Judgement {
            order: 0,
            verdict: "Yes".to_owned(),
            winner: None,
            reasoning: "r".to_owned(),
            citations: Vec::new(),
            open_objections: vec!["cost".to_owned()],
        },
        call(),
    );
    let tallied = |rule| Event::VoteTallied {
        rule,
        counts: vec![("Yes".to_owned(), 3000)],
        weights: weights.clone(),
        eligible: 3,
        received: 3,
        winner: None,
    };
    let verdict = Event::VerdictReached {
        outcome: Outcome::Inconclusive,
        verdict: None,
        winner: None,
        reasoning: None,
        reason: Some(Reason::with(ReasonCode::PanelSplit, "2 of 4")),
        consensus: None,
        majority: MajorityShift::None,
        moved: Vec::new(),
    };
    vec![
        ("enough_asked", enough),
        ("judgement_recorded.objections", judged),
        ("ranking_recorded", Event::answer(turn, judge(), Given::Ranking { order: 1, ranking }, call())),
        (
            "vote_cast.ranking",
            Event::answer(
                turn,
                ada(),
                Given::Vote { choice: "Yes".to_owned(), choices: texts(), reasons: Vec::new(), confidence: None },
                call(),
            ),
        ),
        ("vote_tallied.weighted", tallied(Some(VoteRule::Weighted))),
        ("vote_tallied.rankings", tallied(None)),
        ("verdict_reached.split", verdict),
        ("synthesis_recorded", Event::answer(turn, SYNTHESIZER, Given::Synthesis(synthesis), call())),
        ("debate_admitted.formats", Event::DebateAdmitted(Box::new(admission_of_formats()))),
    ]
}

/// Every field that the first records did not have, none at its default.
fn admission_of_formats() -> Admission {
    let mut admission = admission();
    let spec = &mut admission.spec;
    spec.debate_format = DebateFormat::CritiqueRevision;
    spec.format = FormatOptions {
        inner_circle: 3,
        interruptions: Interruptions::MidSpeech,
        interruption_threshold: 7,
        points_of_information: false,
        topology: Topology::Star,
        hub: Some(ada()),
        direction: Direction::CritiqueHub,
        density: 0.25,
        samples: 0,
    };
    (spec.context_scope, spec.memory) = (ContextScope::SummaryOnly, Memory::PersonaMasking);
    spec.windows = Windows { context_turns: 5, memory_window: 6, summarize_every: 7, window_step: 1 };
    spec.similarity = Similarity { similarity_threshold: 0.5, embedding_model: Some(ModelName::new("e")) };
    spec.phases.rebuttals = true;
    spec.tools = ToolLimits { max_calls_per_turn: 1, timeout_ms: 2, max_result_chars: 3 };
    let hidden = Shown { client: false, history: false };
    spec.visible = Visible {
        debaters: hidden,
        moderator: Shown { client: true, history: false },
        judge: hidden,
        ..Visible::default()
    };
    spec.outputs = vec![Output::VisualTree];
    spec.end_condition = vec![EndCondition::Impasse];
    let voice = Voice { num_ctx: Some(4096), fallback_models: vec![], ..spec.personas[0].voice.clone() };
    spec.summarizer = Some(Summarizer { instructions: text("si"), voice: voice.clone() });
    let schema = json!({ "type": "object", "properties": { "b": { "type": "string" }, "a": { "maximum": 1.5 } } });
    spec.synthesizer = Some(Synthesizer { output_schema: Some(schema), instructions: text("yi"), voice });
    spec.voting = Some(Voting {
        rule: VoteRule::AnonymousScoring,
        self_votes: SelfVotes::Exclude,
        voters: Voters::Judges,
        every_round: true,
    });
    roles(spec);
    admission
}

fn roles(spec: &mut DebateSpec) {
    let persona = &mut spec.personas[0];
    persona.sees = Some(vec![Sight::Kind(TurnKind::Critiques), Sight::Persona(bob())]);
    persona.hidden_from = vec![bob()];
    (persona.reflection, persona.evolution) = (true, true);
    (persona.weight, persona.elo, persona.calibration) = (Some(1.5), Some(1600.0), Some(0.75));
    persona.tools = vec!["search".to_owned()];
    // an empty list is not the same as none
    spec.personas[1].sees = Some(Vec::new());
    if let Some(judge) = &mut spec.judge {
        judge.panel = 3;
        judge.panel_models = vec![ModelName::new("k")];
        judge.ends_rounds = true;
    }
    if let Some(moderator) = &mut spec.moderator {
        *moderator = Moderator {
            interjects: true,
            warns: true,
            clarifies: true,
            reflects: true,
            scores: true,
            researches: true,
            reconciles: true,
            concludes: true,
            interject: Interject::FinalOnly,
            summary_style: SummaryStyle::Persuasive,
            tools: vec!["search".to_owned()],
            ..moderator.clone()
        };
    }
}
