//! Debaters who do not know each other by name, and what nobody asks of a debater with an assigned stance.
use crate::support::*;
use agon_core::testing::Asked;
use agon_core::*;
use agon_prompt::{View, prompt, read_answer, shown_ask};

const NAMES: [&str; 3] = ["Ada", "Ben", "Cleo"];

fn nameless(mode: Mode) -> DebateSpec {
    let mut spec = everything(mode);
    spec.visible.names = false;
    spec
}

/// The debate after a round in which everybody names everybody.
fn named(spec: &DebateSpec) -> View {
    let mut view = after_one_round(spec);
    let text = "Ada, Ben and Cleo differ; ask Ada's friends.";
    for (seat, name) in (2..).zip(NAMES) {
        say(&mut view, spec, name, SpeechKind::Argument, turn(1, seat), text);
    }
    let critique = Critique { severity: 3, issues: vec![text.into()], suggestions: vec![] };
    let interjection = Interjection {
        comment: Some(text.into()),
        warnings: vec![Remark { to: "Ben".into(), text: text.into() }],
        ..Interjection::default()
    };
    let plan = RoundPlan { briefing: Some(text.into()), next_speakers: vec!["Ada".into()], ..RoundPlan::default() };
    let closing = RoundSummary { summary: text.into(), ..RoundSummary::default() };
    let moderator = |seat| Asked::at(turn(1, seat), MODERATOR);
    let events = [
        Asked::at(turn(1, 5), "Cleo").critique("Ben", critique, 0),
        moderator(6).interjection(interjection),
        moderator(7).brief(text),
        Asked::at(turn(1, 8), SUMMARIZER).summary(1, text),
        moderator(9).decision(ModeratorDecision::Closes(closing)),
        moderator(9).decision(ModeratorDecision::Opens(plan)),
        Event::RoundOpened { round: 2, speakers: vec![], briefing: Some(text.into()), new_angle: Some(text.into()) },
    ];
    events.iter().for_each(|event| view.apply(view.position().next(), event));
    view
}

fn told(view: &View, ask: &Ask) -> String {
    show(&prompt(view, ask).unwrap())
}

fn names_in(text: &str) -> Vec<&'static str> {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    NAMES.into_iter().filter(|name| words.contains(name)).collect()
}

#[test]
fn debaters_who_are_not_to_know_names_are_told_none() {
    for mode in [Mode::Adversarial, Mode::Deliberative] {
        let (hidden, open) = (nameless(mode), everything(mode));
        let (masked, known) = (named(&hidden), named(&open));
        let guidance =
            || Guidance { briefing: Some("Ask Ben.".into()), new_angle: None, summary: Some("Ada leads.".into()) };
        let guided = (
            "guided",
            "Cleo",
            Task::new(
                Work::Argument { to: Some("Ben".into()), bench: None },
                Material { guidance: guidance(), ..Material::default() },
            ),
        );
        for (name, who, task) in every_task().into_iter().chain([guided]) {
            let shown = told(&masked, &ask(&masked, who, turn(2, 0), task.clone()));
            if NAMES.contains(&who) {
                assert_eq!(names_in(&shown), [""; 0], "{name}: {shown}");
                // A proposal is made before others are seen; where debaters are scored, the others have letters.
                let alone = ["proposal", "score_debaters"].contains(&name);
                assert!(alone || shown.contains("Debater 3"), "{name}: {shown}");
            } else {
                assert_eq!(shown, told(&known, &ask(&known, who, turn(2, 0), task)), "{name}: staff know names");
            }
        }
    }
}

fn read(spec: &DebateSpec, who: &str, task: Task, text: &str) -> Answer {
    let view = view(spec.clone());
    read_answer(spec, &ask(&view, who, turn(2, 0), task), text).unwrap().answer
}

#[test]
fn what_is_answered_with_labels_is_read_as_names() {
    let spec = nameless(Mode::Adversarial);
    let (ben, cleo) = ("Debater 2", "Debater 3");
    let bid = Task::from(Work::Bid { purpose: BidPurpose::Floor, on: None, heard: None });
    let bid = read(&spec, "Ada", bid, &format!(r#"{{"urgency": 5, "to": "{ben}", "reason": "r"}}"#));
    assert!(matches!(bid, Answer::Bid(bid) if bid.to == Some("Ben".into())));
    let critics = vec!["Ben".into(), "Cleo".into()];
    let revision =
        format!(r#"{{"text": "t", "accepted": ["{cleo}"], "declined": [{{"critic": "{ben}", "why": "w"}}]}}"#);
    let Answer::Revision(revision) = read(&spec, "Ada", agon_core::testing::revising(critics), &revision) else {
        panic!("no revision")
    };
    assert_eq!((revision.accepted, revision.declined[0].critic.as_str()), (vec!["Cleo".into()], "Ben"));
    let points = ["Ben", "Cleo"].map(|by| Point { by: by.into(), text: "?".into() }).to_vec();
    let reply =
        read(&spec, "Ada", agon_core::testing::answering(points), &format!(r#"{{"accept": "{cleo}", "reply": "r"}}"#));
    assert!(matches!(reply, Answer::PointReply(reply) if reply.accepts == Some("Cleo".into())));
    let choice = |spec: &DebateSpec, choices: [&str; 2], text: &str| {
        let vote = vote(choices.map(str::to_owned).to_vec());
        match read(spec, "Ada", vote, &format!(r#"{{"choice": "{text}", "reasons": ["r"]}}"#)) {
            Answer::Choice { choice, .. } => choice,
            other => panic!("{other:?}"),
        }
    };
    let stances = ["keep it open", "close it on weekends"];
    assert_eq!(choice(&spec, stances, stances[0]), stances[0], "stances stand for election");
    let elected = DebateSpec { debate_format: DebateFormat::CritiqueRevision, ..nameless(Mode::Adversarial) };
    assert_eq!(choice(&elected, ["Ben", "Cleo"], ben), "Ben");
}

#[test]
fn words_with_labels_reach_the_log_with_names_and_the_next_prompt_with_labels() {
    let spec = nameless(Mode::Adversarial);
    let said = "Debater 2 is wrong, and Debater 3's friends know it; Debater 33 is nobody.";
    let kept = "Ben is wrong, and Cleo's friends know it; Debater 33 is nobody.";
    let Answer::Speech { text, .. } = read(&spec, "Ada", argument(), said) else { panic!("no speech") };
    assert_eq!(&*text, kept);
    let mut view = view(spec.clone());
    say(&mut view, &spec, "Ada", SpeechKind::Argument, turn(1, 0), &text);
    let shown = told(&view, &ask(&view, "Ben", turn(1, 1), argument()));
    assert!(shown.contains(said), "{shown}");
    let critique = Task::from(Work::Critique { of: "Ben".into() });
    let critique = read(
        &spec,
        "Ada",
        critique,
        r#"{"severity": 2, "issues": ["Debater 2 errs"], "suggestions": ["as Debater 3"]}"#,
    );
    let wanted = Critique { severity: 2, issues: vec!["Ben errs".into()], suggestions: vec!["as Cleo".into()] };
    assert_eq!(critique, Answer::Critique(wanted));
    assert!(
        matches!(read(&spec, MODERATOR, Work::Research.into(), "Debater 2"), Answer::Text { text } if &*text == "Debater 2")
    );
}

#[test]
fn a_debater_outside_is_asked_with_the_labels_of_the_others_and_its_own_name() {
    let spec = nameless(Mode::Adversarial);
    let view = named(&spec);
    let ask = ask(&view, "Ada", turn(2, 0), Work::Critique { of: "Ben".into() }.into());
    let shown = shown_ask(&spec, &ask);
    assert_eq!((shown.participant.as_str(), shown.task), ("Ada", Work::Critique { of: "Debater 2".into() }.into()));
    assert_eq!(shown_ask(&everything(Mode::Adversarial), &ask), ask);
}

/// Words that ask somebody to give a stance up or to meet the others.
const CONCESSIONS: [&str; 8] = [
    "grant",
    "common ground",
    "concede",
    "all could accept",
    "what you hold now",
    "change your answer",
    "giving up",
    "give your position",
];

#[test]
fn no_prompt_asks_a_debater_with_an_assigned_stance_to_concede() {
    for intensity in (0..=10).map(Some).chain([None]) {
        let spec = DebateSpec { agreement_intensity: intensity, ..everything(Mode::Adversarial) };
        let view = after_one_round(&spec);
        let usual = [
            ("argument", "Ben", argument()),
            ("closing", "Ben", Work::Closing.into()),
            ("opening", "Ben", Work::Opening.into()),
        ];
        for (name, who, task) in every_task().into_iter().chain(usual) {
            let Some(persona) = spec.persona(&who.into()) else { continue };
            let user = user_of(&view, &ask(&view, who, turn(2, 0), task));
            let (_, tail) = user.split_once("=== YOUR TURN ===").unwrap();
            assert!(persona.stance.is_some());
            let asked: Vec<&str> =
                CONCESSIONS.into_iter().filter(|words| tail.to_lowercase().contains(words)).collect();
            assert_eq!(asked, [""; 0], "{name} at {intensity:?}: {tail}");
        }
    }
}
