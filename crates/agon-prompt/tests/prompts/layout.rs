//! The prompt of every role and task, as it is sent.
use crate::support::*;
use agon_core::testing::Asked;
use agon_core::*;
use agon_prompt::{PromptError, PromptRole, View, prompt};

fn stances() -> Vec<String> {
    ["close it", "keep it open", "close it on weekends"].map(str::to_owned).to_vec()
}

/// The user message and the schema; the system message has a snapshot of its own.
fn shown(view: &View, ask: &Ask) -> String {
    let prompt = prompt(view, ask).unwrap();
    assert_eq!(prompt.messages.iter().map(|m| m.role).collect::<Vec<_>>(), [PromptRole::System, PromptRole::User]);
    let all = show(&prompt);
    let (_, user) = all.split_once("--- user ---\n").unwrap();
    user.to_owned()
}

#[test]
fn the_system_message_is_the_same_for_debaters_and_moderator() {
    let view = after_one_round(&spec(Mode::Adversarial));
    let system =
        |name: &str, task| prompt(&view, &ask(&view, name, turn(2, 0), task)).unwrap().messages[0].text.clone();
    let shared = system("Ada", argument());
    for (name, task) in
        [("Ben", Work::Closing.into()), ("Cleo", Work::Opening.into()), ("moderator", Work::CloseRound.into())]
    {
        assert_eq!(system(name, task), shared);
    }
    insta::assert_snapshot!("system", shared);
    let judge = system("judge", agon_core::testing::judging(0, stances()));
    insta::assert_snapshot!("system_judge", judge);
}

#[test]
fn debaters_and_judges_have_their_prompts() {
    let view = after_one_round(&spec(Mode::Adversarial));
    let guided = guided(
        Some("Settle who the customers are.\n### T9 | Ada"),
        Some("deliveries"),
        Some("Ada: customers walk.\nBen: drivers spend more."),
    );
    let cases = [
        ("argument_guided", "Ada", guided),
        ("judge", "judge", agon_core::testing::judging(0, stances())),
        ("judge_reversed", "judge", agon_core::testing::judging(1, stances().into_iter().rev().collect())),
    ];
    for (name, who, task) in cases {
        let text = shown(&view, &ask(&view, who, turn(2, 0), task));
        assert!(!text.contains("{{"), "{name} has an unfilled variable");
        insta::assert_snapshot!(name, text);
    }
}

#[test]
fn everything_that_a_persona_can_say_about_itself_reaches_its_prompt() {
    let mut spec = spec(Mode::Adversarial);
    spec.language = Some("German".into());
    spec.agreement_intensity = Some(0);
    spec.instructions =
        Some("Round {{round}} of {{max_rounds}}: {{name}} speaks {{language}} on {{topic}} {{other}}".into());
    let ada = &mut spec.personas[0];
    ada.role = Some("town planner".into());
    ada.system_prompt = Some("You are a planner of the old school. You hold: {{stance}}.".into());
    ada.instructions = Some("Cite one town that tried it.".into());
    ada.style = Some(Style::BulletPoint);
    ada.tone = Some("dry".into());
    ada.language = Some("French".into());
    let view = after_one_round(&spec);
    let again = Ask { correction: Some("the speech\nis empty".into()), ..ask(&view, "Ada", turn(2, 0), argument()) };
    insta::assert_snapshot!("persona", shown(&view, &again));
}

#[test]
fn a_judge_that_sees_names_is_shown_names() {
    let mut spec = spec(Mode::Adversarial);
    let judge = spec.judge.as_mut().unwrap();
    (judge.anonymize_transcript, judge.shuffle_for_judge) = (false, false);
    let view = after_one_round(&spec);
    let text = user_of(&view, &ask(&view, "judge", turn(4, 0), agon_core::testing::judging(0, stances())));
    assert!(text.contains("### [3] Ada | close it\nBen names no figure."), "{text}");
}

#[test]
fn sampling_is_the_voice_of_the_role_with_a_seed_of_the_turn() {
    let mut spec = spec(Mode::Adversarial);
    spec.personas[0].voice.think = Some(Think::Low);
    let view = after_one_round(&spec);
    let of = |name: &str, turn, task| prompt(&view, &ask(&view, name, turn, task)).unwrap().options;
    let ada = of("Ada", turn(2, 0), argument());
    assert_eq!((ada.temperature, ada.top_p, ada.max_tokens, ada.think), (Some(0.7), None, Some(400), Some(Think::Low)));
    assert_eq!(ada.seed, of("Ada", turn(2, 0), argument()).seed);
    assert_ne!(ada.seed, of("Ada", turn(2, 1), argument()).seed);
    assert_eq!(of("judge", turn(4, 0), agon_core::testing::judging(0, stances())).max_tokens, Some(800));
}

#[test]
fn an_ask_that_cannot_be_told_is_refused() {
    let view = after_one_round(&spec(Mode::Adversarial));
    let plain = ask(&view, "Ada", turn(2, 0), argument());
    let ahead = Ask { sees: view.position().next(), ..plain.clone() };
    assert_eq!(
        prompt(&view, &ahead),
        Err(PromptError::Behind { view: view.position(), needed: view.position().next() })
    );
    let stranger = Ask { participant: "Zoe".into(), ..plain.clone() };
    assert_eq!(prompt(&view, &stranger), Err(PromptError::UnknownParticipant("Zoe".into())));
    let wrong = Ask { task: Work::CloseRound.into(), ..plain };
    assert_eq!(prompt(&view, &wrong), Err(PromptError::WrongRole("Ada".into())));
}

#[test]
fn an_event_taken_in_twice_counts_once() {
    let spec = spec(Mode::Adversarial);
    let mut view = after_one_round(&spec);
    let before = user_of(&view, &ask(&view, "Ada", turn(2, 0), argument()));
    view.apply(Position(3), &Asked::at(turn(0, 0), "Ada").speech(SpeechKind::Opening, "again"));
    assert_eq!(user_of(&view, &ask(&view, "Ada", turn(2, 0), argument())), before);
}

#[test]
fn the_schema_of_equal_choices_is_made_once() {
    let view = after_one_round(&spec(Mode::Adversarial));
    let voting = |name: &str| prompt(&view, &ask(&view, name, turn(4, 0), vote(stances()))).unwrap();
    let (ada, ben) = (voting("Ada").schema.unwrap(), voting("Ben").schema.unwrap());
    assert!(std::sync::Arc::ptr_eq(&ada, &ben));
}

#[test]
fn the_estimate_counts_every_character() {
    let view = after_one_round(&spec(Mode::Adversarial));
    for (who, task) in
        [("Ada", argument()), ("Ada", Work::Opening.into()), ("judge", agon_core::testing::judging(0, stances()))]
    {
        let prompt = prompt(&view, &ask(&view, who, turn(2, 0), task)).unwrap();
        let chars: usize = prompt.messages.iter().map(|message| message.text.chars().count()).sum();
        assert_eq!(prompt.estimated_tokens, chars as u64 * 2 / 7);
    }
}
