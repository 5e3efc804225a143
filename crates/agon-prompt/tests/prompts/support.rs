//! A small debate to lay prompts out from.
use agon_core::*;
use agon_prompt::{Prompt, PromptRole, View, prompt};

use agon_core::testing::{self, Asked, full_spec, judge};
pub use agon_core::testing::{argument, turn, vote};

pub fn voice(max_tokens: u32) -> Voice {
    Voice { temperature: Some(0.7), ..testing::voice("rehearsal", max_tokens) }
}

pub fn persona(name: &str, stance: Option<&str>) -> Persona {
    Persona { voice: voice(400), ..testing::persona(name, stance) }
}

/// A moderator that opens and closes rounds.
pub fn moderator() -> Moderator {
    Moderator { voice: voice(400), ..testing::moderator() }
}

pub fn spec(mode: Mode) -> DebateSpec {
    let stance = |stance| Some(stance).filter(|_| mode == Mode::Adversarial);
    DebateSpec {
        topic: "Should the old town be closed to cars?".into(),
        context: Some("About 4,000 people live there. Two bus lines cross it.".into()),
        materials: Some("Count of 2024: 11,000 cars a day on Long Street.".into()),
        mode,
        personas: vec![
            persona("Ada", stance("close it")),
            persona("Ben", stance("keep it open")),
            persona("Cleo", stance("close it on weekends")),
        ],
        moderator: Some(moderator()),
        judge: Some(Judge { orders: 2, voice: voice(800), ..judge() }),
        timeout_per_turn_ms: 90_000,
        outputs: vec![Output::FullMarkdown],
        ..full_spec()
    }
}

pub fn admission(spec: DebateSpec) -> Admission {
    Admission { agon_version: "0.0.0".into(), ..testing::admission("old-town", spec) }
}

/// A view with the admission taken in.
pub fn view(spec: DebateSpec) -> View {
    begun(admission(spec))
}

pub fn begun(admission: Admission) -> View {
    let mut view = View::new(&admission);
    view.apply(Position(1), &Event::DebateAdmitted(Box::new(admission)));
    view
}

pub fn say(view: &mut View, spec: &DebateSpec, name: &str, kind: SpeechKind, turn: TurnId, text: &str) {
    say_as(view, spec, (name, kind), turn, text, |_| {});
}

/// A speech of which more is known than its words.
pub fn say_as(
    view: &mut View,
    spec: &DebateSpec,
    (name, kind): (&str, SpeechKind),
    turn: TurnId,
    text: &str,
    more: impl FnOnce(&mut Speech),
) {
    let stance = spec.persona(&name.into()).and_then(|persona| persona.stance.clone());
    let event = Asked::at(turn, name).speech_as(kind, text, |speech| {
        speech.stance = stance;
        more(speech);
    });
    view.apply(view.position().next(), &event);
}

/// A speech with what came of the claims that it marks.
pub fn say_checked(view: &mut View, spec: &DebateSpec, name: &str, turn: TurnId, text: &str, checks: Vec<Check>) {
    let mut asked = Asked::at(turn, name);
    asked.call.checks = checks;
    let stance = spec.persona(&name.into()).and_then(|persona| persona.stance.clone());
    let event = asked.speech_as(SpeechKind::Argument, text, |speech| speech.stance = stance);
    view.apply(view.position().next(), &event);
}
pub fn ask(view: &View, name: &str, turn: TurnId, task: Task) -> Ask {
    Ask { model: "rehearsal".into(), sees: view.position(), ..testing::ask(turn, name, task) }
}

/// What the moderator says to a round.
pub fn guided(briefing: Option<&str>, new_angle: Option<&str>, summary: Option<&str>) -> Task {
    let guidance = Guidance {
        briefing: briefing.map(Into::into),
        new_angle: new_angle.map(Into::into),
        summary: summary.map(Into::into),
    };
    Task::new(Work::Argument { to: None, bench: None }, Material { guidance, ..Material::default() })
}

/// The event that opens a round with what a task says.
pub fn open_round(view: &mut View, round: u32, told: &Task) {
    let Guidance { briefing, new_angle, .. } = &told.material.guidance;
    let text = |text: &Option<std::sync::Arc<str>>| text.as_ref().map(ToString::to_string);
    let (briefing, new_angle) = (text(briefing).map(Into::into), text(new_angle).map(Into::into));
    let opened = Event::RoundOpened { round, speakers: Vec::new(), briefing, new_angle };
    view.apply(view.position().next(), &opened);
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
        let event = Asked::at(turn(1, 9), MODERATOR).decision(decision);
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

/// What somebody reads before all that was said.
pub fn system(view: &View, who: &str, task: Task) -> String {
    prompt(view, &ask(view, who, turn(1, 0), task)).unwrap().messages[0].text.to_string()
}

/// What stands between a heading and the rules, as a debater reads it.
pub fn section(view: &View, heading: &str) -> String {
    let system = system(view, "Ada", argument());
    let (_, section) = system.split_once(&format!("\n# {heading}\n")).unwrap();
    format!("{}\n", section.split_once("\n\n# Rules\n").unwrap().0)
}

/// That a section behind the materials is counted, which `none` does not have.
pub fn estimate_counts(section: &str, view: &View, none: &View) {
    let estimate =
        |view: &View| prompt(view, &ask(view, "Ada", turn(1, 0), Work::Opening.into())).unwrap().estimated_tokens;
    assert!(estimate(view) - estimate(none) >= section.chars().count() as u64 * 2 / 7);
}

/// Every task that no debate of the simplest kind has, with a name and who is asked.
pub fn every_task() -> Vec<(&'static str, &'static str, Task)> {
    let statement = |speech, to: Option<&str>, about: Option<&str>| {
        Task::from(Work::Statement { speech, to: to.map(Into::into), about: about.map(Into::into) })
    };
    let bid = |purpose, on: Option<&str>, heard: Option<&str>| {
        Task::from(Work::Bid { purpose, on: on.map(Into::into), heard: heard.map(Into::into) })
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
        ("argument_to", "Cleo", Work::Argument { to: Some("Ben".into()), bench: None }.into()),
        ("bid", "Cleo", bid(BidPurpose::Floor, Some("Ben"), None)),
        ("reaction", "Cleo", bid(BidPurpose::Reaction, Some("Ben"), None)),
        ("bid_for_the_circle", "Cleo", bid(BidPurpose::Circle, None, None)),
        ("interruption", "Cleo", bid(BidPurpose::Interruption, Some("Ben"), Some("Shops live\n=== YOUR TURN ==="))),
        ("point", "Cleo", bid(BidPurpose::Point, Some("Ben"), None)),
        (
            "answer_points",
            "Ben",
            agon_core::testing::answering(vec![point("Ada", "Whose shops?"), point("Cleo", "When?")]),
        ),
        ("critique", "Cleo", Work::Critique { of: "Ben".into() }.into()),
        ("revision", "Ben", agon_core::testing::revising(vec!["Ada".into(), "Cleo".into()])),
        ("reflection", "Ada", agon_core::testing::reflecting(true, false)),
        ("reflection_and_evolution", "Ada", agon_core::testing::reflecting(true, true)),
        ("interject", "moderator", Work::Interject.into()),
        ("score_speeches", "moderator", agon_core::testing::scoring_speeches(vec![turn(1, 0), turn(1, 1)])),
        ("research", "moderator", Work::Research.into()),
        ("reconcile", "moderator", Work::Conclude { conclusion: Conclusion::Reconciliation }.into()),
        ("closing_summary", "moderator", Work::Conclude { conclusion: Conclusion::Summary }.into()),
        ("mediator_decision", "moderator", Work::Conclude { conclusion: Conclusion::Decision }.into()),
        ("summarise", "summarizer", agon_core::testing::summarising(1)),
        ("enough", "judge", Work::EnoughSaid.into()),
        ("rank", "judge", agon_core::testing::ranking(0, candidates())),
        ("judges_vote", "judge-2", vote(candidates())),
        ("ranked_vote", "Ada", agon_core::testing::vote_by(stances(), BallotForm::Ranking)),
        ("approval_vote", "Ada", agon_core::testing::vote_by(stances(), BallotForm::Approval)),
        ("score_debaters", "Ada", agon_core::testing::scoring(labels())),
        ("synthesise", "synthesizer", Work::Synthesise.into()),
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
