//! Debates as the machine holds them, with time that stands still between steps, told to an observer as a node would.
pub use agon_core::testing::START;
use agon_core::*;
use agon_telemetry::{
    Content, ConversationMessage, DebateClaimed, ModelServer, Observer, Otlp, TelemetryConfig, TurnEnd, TurnPlayed,
};
use agon_testkit::OtlpSink;
use std::sync::Arc;
use std::time::Duration;

/// How long a test waits for what must come.
pub const LIMIT: Duration = Duration::from_secs(20);
pub const SECRET: &str = "the oven is paid off in four years";

pub fn config(sink: &OtlpSink) -> TelemetryConfig {
    let otlp = Some(Otlp::to(sink.endpoint()));
    TelemetryConfig { otlp, log: None, ..TelemetryConfig::new("agon", "node-1") }
}

pub fn admission(id: &str) -> Admission {
    let voice = |model| testing::voice(model, 512);
    let ada = Voice { temperature: Some(0.7), ..voice("gemma3:4b") };
    let spec = DebateSpec {
        topic: "Should the bakery buy the second oven?".to_owned(),
        phases: Phases { opening_statements: true, ..testing::no_statements() },
        personas: vec![
            Persona { voice: ada, ..testing::persona("Ada", "Invest now") },
            Persona { voice: voice("llama3.2:3b"), ..testing::persona("Bruno", "Wait a year") },
        ],
        moderator: Some(Moderator { closes: false, voice: voice("qwen3:8b"), ..testing::moderator() }),
        judge: Some(Judge { shuffle_for_judge: false, voice: voice("qwen3:8b"), ..testing::judge() }),
        ballots: Ballots::FinalOnly,
        timeout_per_turn_ms: 90_000,
        ..testing::spec()
    };
    let submitted_by = Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00".to_owned());
    let (seed, agon_version) = (7, "0.1.0".to_owned());
    Admission { seed, agon_version, submitted_by, ..testing::admission(id, spec) }
}

/// A debate with bids, a moderator that interjects after the last round and concludes, tools, and a synthesis.
pub fn lively(id: &str) -> Admission {
    let mut admission = admission(id);
    let spec = &mut admission.spec;
    (spec.debate_format, spec.ballots) = (DebateFormat::OpenFight, Ballots::None);
    spec.phases.opening_statements = false;
    spec.personas[0].tools = vec!["fs".to_owned()];
    if let Some(moderator) = &mut spec.moderator {
        (moderator.opens, moderator.interjects, moderator.clarifies) = (false, true, true);
        (moderator.interject, moderator.concludes) = (Interject::FinalOnly, true);
    }
    let voice = spec.personas[0].voice.clone();
    spec.synthesizer = Some(Synthesizer { output_schema: None, instructions: None, voice });
    admission
}

/// What somebody did with a tool.
pub fn tool_use(tool: &str, error: Option<&str>) -> ToolUse {
    ToolUse {
        tool: tool.to_owned(),
        arguments: SECRET.to_owned(),
        result: Some(SECRET.to_owned()),
        error: error.map(str::to_owned),
        truncated: false,
        duration_ms: 250,
    }
}

/// A try as its host saw it.
#[derive(Clone)]
pub struct PlayedTry {
    pub ask: Ask,
    pub taken: Timestamp,
    pub result: TurnResult,
}

/// A debate that was held, and who played what.
pub struct RecordedDebate {
    pub log: Vec<Arc<Record>>,
    pub played: Vec<PlayedTry>,
}

/// Holds a debate to its end. `fault` says which tries fail.
pub fn hold(admission: Admission, fault: impl Fn(&Ask) -> Option<FailureCause>) -> RecordedDebate {
    hold_with(admission, fault, usize::MAX)
}

/// The same; after so many tries another node takes over, 7 s after the last event, and other hosts play.
pub fn hold_with(admission: Admission, fault: impl Fn(&Ask) -> Option<FailureCause>, tries: usize) -> RecordedDebate {
    let mut now = Timestamp(START);
    let events = vec![Debate::admit(admission)];
    let first = Record { first: Position(1), at: now, epoch: 0, nonce: 1, events };
    let mut debate = Debate::fold([&first]).unwrap();
    let mut held = RecordedDebate { log: vec![Arc::new(first)], played: Vec::new() };
    let mut input = Input::Claim { writer: NodeId::new("node-1") };
    loop {
        let events = debate.decide(now, input).unwrap();
        let record = debate.record(now, 2, events);
        debate.apply_record(&record);
        held.log.push(Arc::new(record));
        if held.played.len() == tries && debate.epoch() == 1 {
            now = now.plus(7_000);
            input = Input::Claim { writer: NodeId::new("node-2") };
            continue;
        }
        input = match debate.outstanding().into_iter().next().unwrap() {
            Effect::Finish => return held,
            Effect::Cut { turn } => panic!("nobody interrupts {turn} here"),
            Effect::WakeAt { at, turn } => {
                now = at;
                Input::RetryDue { turn }
            }
            Effect::Ask(ask) => {
                let (turn, taken, mut result) = (ask.turn, now.plus(10), result(&ask, fault(&ask)));
                if debate.epoch() > 1
                    && let TurnResult::Answered { call, .. } = &mut result
                {
                    call.host = Some("cellar".to_owned());
                }
                now = now.plus(2_100);
                held.played.push(PlayedTry { ask, taken, result: result.clone() });
                Input::TurnDecided { turn, result }
            }
        };
    }
}

fn result(ask: &Ask, fault: Option<FailureCause>) -> TurnResult {
    let call = Box::new(call(ask, fault.is_none()));
    match fault {
        Some(cause) => TurnResult::Failed { failure: Failure::new(cause, format!("said: {SECRET}")), call },
        None => TurnResult::Answered { answer: answer(&ask.task), call },
    }
}

fn call(ask: &Ask, ended: bool) -> Call {
    let usage = Usage { prompt_tokens: Some(812), cached_tokens: Some(640), completion_tokens: Some(210) };
    let known = Timing { prefill_ms: Some(300), decode_ms: Some(1_500), first_byte_ms: Some(400), ..Timing::default() };
    Call {
        host: Some("attic".to_owned()),
        model: Some(ask.model.clone()),
        digest: Some("a2af6cc3eb7f".to_owned()),
        prompt_hash: Some("b3:1234".to_owned()),
        options: CallOptions { seed: Some(7), max_tokens: Some(512), ..CallOptions::default() },
        usage: if ended { usage } else { Usage::default() },
        timing: Timing { queue_ms: Some(40), total_ms: Some(2_000), ..if ended { known } else { Timing::default() } },
        finish_reason: ended.then(|| "stop".to_owned()),
        coerced: Vec::new(),
        checks: Vec::new(),
        tools: Vec::new(),
        answered_by: None,
        rehearsal: false,
    }
}

fn answer(task: &Task) -> Answer {
    match &task.work {
        Work::OpenRound => {
            let next_speakers = ["Ada", "Bruno"].map(ParticipantId::from).to_vec();
            Answer::RoundPlan(RoundPlan { next_speakers, ..RoundPlan::default() })
        }
        Work::Judge { .. } => Answer::Judgement(Judgement {
            verdict: SECRET.to_owned(),
            winner: task.material.candidates().first().cloned(),
            reasoning: SECRET.to_owned(),
            citations: Vec::new(),
            open_objections: Vec::new(),
        }),
        Work::Ballot { .. } => Answer::Choice {
            choice: task.material.choices()[0].clone(),
            reasons: vec![SECRET.to_owned()],
            confidence: None,
        },
        Work::Bid { .. } => Answer::Bid(Bid { urgency: 5, to: None, text: Some(SECRET.to_owned()) }),
        Work::Conclude { .. } | Work::Research | Work::Summarise => Answer::Text { text: SECRET.into() },
        Work::Interject => Answer::Interjection(Interjection {
            comment: Some(SECRET.to_owned()),
            questions: vec![Remark { to: ParticipantId::from("Ada"), text: SECRET.to_owned() }],
            ..Interjection::default()
        }),
        Work::Synthesise => Answer::Synthesis(Synthesis { text: SECRET.into(), output: None, problems: Vec::new() }),
        _ => Answer::Speech { text: SECRET.into(), cut: false, cut_at_limit: false },
    }
}

/// Tells it all, as the node would that holds every role.
pub fn tell(observer: &dyn Observer, held: &RecordedDebate) {
    tell_the_play(observer, held);
    observer.debate_ended(&held.log);
}

/// All but the end.
pub fn tell_the_play(observer: &dyn Observer, held: &RecordedDebate) {
    let Some(Event::DebateAdmitted(admission)) = held.log[0].events.first() else { panic!("no admission") };
    observer.debate_admitted(admission, held.log[0].at);
    for record in &held.log[1..] {
        for event in &record.events {
            if let Event::Claimed { writer, epoch } = event {
                let (admitted, at, after) = (held.log[0].at, record.at, Position(record.first.0 - 1));
                observer.debate_claimed(&DebateClaimed { admission, writer, admitted, at, epoch: *epoch, after });
            }
        }
        observer.recorded(&admission.id, record);
    }
    held.played.iter().for_each(|played| tell_try(observer, admission, played));
}

fn tell_try(observer: &dyn Observer, admission: &Admission, played: &PlayedTry) {
    with_try(admission, played, |told| observer.turn_played(&told));
}

/// A try as it is told.
pub fn with_try(admission: &Admission, played: &PlayedTry, tell: impl FnOnce(TurnPlayed<'_>)) {
    let server = ModelServer { provider: "ollama", address: "10.0.0.7".to_owned(), port: Some(11434) };
    let input =
        vec![ConversationMessage { role: "system", text: SECRET }, ConversationMessage { role: "user", text: SECRET }];
    let (end, call, output) = match &played.result {
        TurnResult::Answered { call, .. } => (TurnEnd::Answered, call, Some(SECRET)),
        TurnResult::Failed { failure, call } => (TurnEnd::Failed(failure), call, None),
        TurnResult::Withdrawn => panic!("no try ends so here"),
    };
    let (host, content) = (HostId::new("attic"), Content { input, output });
    tell(TurnPlayed {
        debate: &admission.id,
        admission: Some(admission),
        ask: &played.ask,
        host: &host,
        server: Some(&server),
        taken: played.taken,
        sent: Some(played.taken.plus(45)),
        ended: played.taken.plus(2_050),
        call,
        response_model: Some(played.ask.model.as_str()),
        end,
        won: Some(true),
        content: Some(&content),
    });
}

/// The second debater's speech of round 1 fails at the first try.
pub fn stumble(ask: &Ask) -> Option<FailureCause> {
    let speech = matches!(ask.task.work, Work::Argument { .. }) && ask.participant.as_str() == "Bruno";
    (speech && ask.turn.attempt == 1).then_some(FailureCause::Transport)
}
