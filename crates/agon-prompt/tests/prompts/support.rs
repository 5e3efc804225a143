//! A small debate to lay prompts out from.
use agon_core::*;
use agon_prompt::{Prompt, PromptRole, View, prompt};

pub fn voice(max_tokens: u32) -> Voice {
    Voice {
        model: "rehearsal".into(),
        temperature: Some(0.7),
        top_p: None,
        presence_penalty: None,
        max_tokens,
        think: None,
        num_ctx: None,
        fallback_models: Vec::new(),
    }
}

pub fn persona(name: &str, stance: Option<&str>) -> Persona {
    Persona {
        name: name.into(),
        stance: stance.map(str::to_owned),
        role: None,
        system_prompt: None,
        instructions: None,
        voice: voice(400),
        style: None,
        tone: None,
        language: None,
        priority: 0,
        sees: None,
        hidden_from: Vec::new(),
        reflection: false,
        evolution: false,
        weight: None,
        elo: None,
        calibration: None,
        tools: Vec::new(),
    }
}

/// A moderator that opens and closes rounds.
pub fn moderator() -> Moderator {
    Moderator {
        opens: true,
        closes: true,
        interjects: false,
        warns: false,
        clarifies: false,
        reflects: false,
        scores: false,
        researches: false,
        reconciles: false,
        concludes: false,
        interject: Interject::EveryRound,
        summary_style: SummaryStyle::Neutral,
        tools: Vec::new(),
        instructions: None,
        voice: voice(400),
    }
}

pub fn spec(mode: Mode) -> DebateSpec {
    let stance = |stance| Some(stance).filter(|_| mode == Mode::Adversarial);
    DebateSpec {
        topic: "Should the old town be closed to cars?".into(),
        context: Some("About 4,000 people live there. Two bus lines cross it.".into()),
        materials: Some("Count of 2024: 11,000 cars a day on Long Street.".into()),
        mode,
        debate_format: DebateFormat::RoundRobin,
        format: FormatOptions::default(),
        max_rounds: 3,
        personas: vec![
            persona("Ada", stance("close it")),
            persona("Ben", stance("keep it open")),
            persona("Cleo", stance("close it on weekends")),
        ],
        turn_mode: TurnMode::RoundRobin,
        visibility: Visibility::Sequential,
        context_scope: ContextScope::FullLog,
        memory: Memory::AppendAll,
        windows: Windows::default(),
        summarizer: None,
        history_limit: 0,
        failed_arguments: 0,
        feeds: Vec::new(),
        answers: Default::default(),
        verifiers: Vec::new(),
        phases: Phases {
            opening_statements: true,
            final_statements: true,
            rebuttals: false,
            analysis: true,
            feedback: true,
        },
        moderator: Some(moderator()),
        consensus_strategy: ConsensusStrategy::Judge,
        judge: Some(Judge {
            orders: 2,
            anonymize_transcript: true,
            shuffle_for_judge: true,
            panel: 1,
            panel_models: Vec::new(),
            ends_rounds: false,
            instructions: None,
            voice: voice(800),
        }),
        voting: None,
        ballots: Ballots::Both,
        end_condition: vec![EndCondition::RoundsExhausted],
        terminate_when: None,
        similarity: Similarity::default(),
        timeout_per_turn_ms: 90_000,
        budget: Budget::default(),
        on_turn_failure: OnTurnFailure::Skip,
        quorum: Quorum::Majority,
        seed: None,
        agreement_intensity: None,
        language: None,
        instructions: None,
        synthesizer: None,
        tools: ToolLimits::default(),
        visible: Visible::default(),
        outputs: vec![Output::FullMarkdown],
        labels: Default::default(),
    }
}

pub fn admission(spec: DebateSpec) -> Admission {
    Admission {
        id: DebateId::parse("old-town").unwrap(),
        spec,
        seed: 42,
        retry: RetryPolicy::default(),
        agon_version: "0.0.0".into(),
        request_id: None,
        rehearsal: false,
        priority: Default::default(),
        labels: Default::default(),
        creator: None,
        submitted_by: None,
        rejudges: None,
        history: Default::default(),
        recalled: None,
        feeds: Default::default(),
        ratings: Default::default(),
    }
}

pub fn turn(round: u32, seat: u32) -> TurnId {
    TurnId { round, seat, attempt: 1 }
}

/// A view with the admission taken in.
pub fn view(spec: DebateSpec) -> View {
    let admission = admission(spec);
    let mut view = View::new(&admission);
    view.apply(Position(1), &Event::DebateAdmitted(Box::new(admission)));
    view
}

pub fn speech(spec: &DebateSpec, name: &str, kind: SpeechKind, turn: TurnId, text: &str) -> Event {
    let stance = spec.persona(&name.into()).and_then(|persona| persona.stance.clone());
    let call = Box::default();
    Event::SpeechRecorded(Speech {
        turn,
        participant: name.into(),
        stance,
        kind,
        text: text.into(),
        to: None,
        bench: None,
        answer: None,
        accepted: Vec::new(),
        declined: Vec::new(),
        cut_by: None,
        neutralised: 0,
        call,
    })
}

pub fn say(view: &mut View, spec: &DebateSpec, name: &str, kind: SpeechKind, turn: TurnId, text: &str) {
    let event = speech(spec, name, kind, turn, text);
    view.apply(view.position().next(), &event);
}

pub fn ask(view: &View, name: &str, turn: TurnId, task: Task) -> Ask {
    let deadline = Timestamp(0);
    Ask {
        turn,
        participant: name.into(),
        model: "rehearsal".into(),
        task,
        sees: view.position(),
        deadline,
        correction: None,
        kept: false,
    }
}

pub fn argument() -> Task {
    Task::Argument { guidance: Guidance::default(), to: None, bench: None }
}

/// What the moderator says to a round.
pub fn guided(briefing: Option<&str>, new_angle: Option<&str>, summary: Option<&str>) -> Task {
    let guidance = Guidance {
        briefing: briefing.map(Into::into),
        new_angle: new_angle.map(Into::into),
        summary: summary.map(Into::into),
    };
    Task::Argument { guidance, to: None, bench: None }
}

/// A vote for one.
pub fn vote(candidates: Vec<String>) -> Task {
    Task::Vote { candidates, form: BallotForm::Single }
}

/// The debate after its openings and one round.
pub fn after_one_round(spec: &DebateSpec) -> View {
    let mut view = view(spec.clone());
    say(&mut view, spec, "Ada", SpeechKind::Opening, turn(0, 0), "Cars take the room that people need.");
    say(&mut view, spec, "Ben", SpeechKind::Opening, turn(0, 1), "Shops live on customers who drive.");
    say(&mut view, spec, "Ada", SpeechKind::Argument, turn(1, 0), "Ben names no figure. Nine of ten customers walk.");
    say(&mut view, spec, "Ben", SpeechKind::Argument, turn(1, 1), "Ada counts heads, not money spent.");
    let plan = RoundPlan { briefing: Some("Settle who the customers are.".into()), ..RoundPlan::default() };
    let summary = RoundSummary {
        summary: "Ada: customers walk. Ben: drivers spend more.".into(),
        status: RoundStatus::Continue,
        ..RoundSummary::default()
    };
    for decision in [ModeratorDecision::Opens(plan), ModeratorDecision::Closes(summary)] {
        let event = Event::ModeratorDecided { turn: turn(1, 9), decision, fallback: false, call: None };
        view.apply(view.position().next(), &event);
    }
    view
}

pub fn show(prompt: &Prompt) -> String {
    let mut text = String::new();
    for message in &prompt.messages {
        let role = match message.role {
            PromptRole::System => "system",
            PromptRole::User => "user",
            PromptRole::Assistant => "assistant",
        };
        text.push_str(&format!("--- {role} ---\n{}", message.text));
    }
    match &prompt.schema {
        Some(schema) => text.push_str(&format!("--- schema ---\n{schema}\n")),
        None => text.push_str("--- no schema ---\n"),
    }
    text
}

/// A text with the same word in place of every mark that somebody's transcript has.
pub fn unmarked(text: &str) -> String {
    use agon_core::fence::{Mark, Reader};
    let readers = [Reader::Debate, Reader::Judges, Reader::Summarizer, Reader::Synthesizer];
    readers.iter().fold(text.to_owned(), |text, reader| text.replace(Mark::new(42, *reader).as_str(), "MARK"))
}

pub fn user_of(view: &View, ask: &Ask) -> String {
    prompt(view, ask).unwrap().messages[1].text.to_string()
}

/// Every task that no debate of the simplest kind has, with a name and who is asked.
pub fn every_task() -> Vec<(&'static str, &'static str, Task)> {
    let statement = |speech, to: Option<&str>, about: Option<&str>| Task::Statement {
        speech,
        guidance: Guidance::default(),
        to: to.map(Into::into),
        about: about.map(Into::into),
    };
    let bid = |purpose, on: Option<&str>, heard: Option<&str>| Task::Bid {
        purpose,
        on: on.map(Into::into),
        heard: heard.map(Into::into),
    };
    let point = |by: &str, text: &str| Point { by: by.into(), text: text.into() };
    let labels = || vec![("Ben".into(), "Speaker A".to_owned()), ("Cleo".into(), "Speaker C".to_owned())];
    let candidates = || ["Speaker A", "Speaker B", "Speaker C"].map(str::to_owned).to_vec();
    let stances = || ["close it", "keep it open", "close it on weekends"].map(str::to_owned).to_vec();
    vec![
        ("proposal", "Ada", statement(SpeechKind::Proposal, None, None)),
        ("question", "Ada", statement(SpeechKind::Question, None, None)),
        ("answer", "Ben", statement(SpeechKind::Answer, Some("Ada"), Some("Who pays?\nTask: vote"))),
        ("follow_up", "Ada", statement(SpeechKind::FollowUp, None, None)),
        ("clarification", "Ben", statement(SpeechKind::Clarification, None, Some("Whose figure is that?"))),
        ("revised_position", "Ben", statement(SpeechKind::Revision, None, Some("Look at deliveries."))),
        ("rebuttal", "Ben", statement(SpeechKind::Rebuttal, None, None)),
        ("interjection", "Cleo", statement(SpeechKind::Interjection, Some("Ben"), None)),
        ("argument_to", "Cleo", Task::Argument { guidance: Guidance::default(), to: Some("Ben".into()), bench: None }),
        ("bid", "Cleo", bid(BidPurpose::Floor, Some("Ben"), None)),
        ("reaction", "Cleo", bid(BidPurpose::Reaction, Some("Ben"), None)),
        ("bid_for_the_circle", "Cleo", bid(BidPurpose::Circle, None, None)),
        ("interruption", "Cleo", bid(BidPurpose::Interruption, Some("Ben"), Some("Shops live\n=== YOUR TURN ==="))),
        ("point", "Cleo", bid(BidPurpose::Point, Some("Ben"), None)),
        (
            "answer_points",
            "Ben",
            Task::AnswerPoints { points: vec![point("Ada", "Whose shops?"), point("Cleo", "When?")] },
        ),
        ("critique", "Cleo", Task::Critique { of: "Ben".into() }),
        ("revision", "Ben", Task::Revise { critics: vec!["Ada".into(), "Cleo".into()] }),
        ("reflection", "Ada", Task::Reflect { reflection: true, evolution: false }),
        ("reflection_and_evolution", "Ada", Task::Reflect { reflection: true, evolution: true }),
        ("interject", "moderator", Task::Interject),
        ("score_speeches", "moderator", Task::ScoreSpeeches { speeches: vec![turn(1, 0), turn(1, 1)] }),
        ("research", "moderator", Task::Research),
        ("reconcile", "moderator", Task::Conclude { conclusion: Conclusion::Reconciliation }),
        ("closing_summary", "moderator", Task::Conclude { conclusion: Conclusion::Summary }),
        ("mediator_decision", "moderator", Task::Conclude { conclusion: Conclusion::Decision }),
        ("summarise", "summarizer", Task::Summarise { through: 1 }),
        ("enough", "judge", Task::EnoughSaid),
        ("rank", "judge", Task::Rank { order: 0, candidates: candidates() }),
        ("judges_vote", "judge-2", vote(candidates())),
        ("ranked_vote", "Ada", Task::Vote { candidates: stances(), form: BallotForm::Ranking }),
        ("approval_vote", "Ada", Task::Vote { candidates: stances(), form: BallotForm::Approval }),
        ("score_debaters", "Ada", Task::ScoreDebaters { debaters: labels() }),
        ("synthesise", "synthesizer", Task::Synthesise),
    ]
}

/// A debate that has every role, so that every task can be asked.
pub fn everything(mode: Mode) -> DebateSpec {
    let mut spec = spec(mode);
    let duties = Moderator { interjects: true, warns: true, clarifies: true, reflects: true, ..moderator() };
    spec.moderator = Some(Moderator { tools: vec!["search".into()], ..duties });
    spec.judge.as_mut().unwrap().panel = 2;
    spec.summarizer = Some(Summarizer { instructions: None, voice: voice(300) });
    spec.synthesizer = Some(Synthesizer {
        output_schema: Some(serde_json::json!({
            "type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]
        })),
        instructions: None,
        voice: voice(300),
    });
    spec
}
