//! Reading answers: everything that fits the schema, and nothing that panics.
use crate::support::*;
use agon_core::*;
use agon_prompt::{prompt, read_answer};
use proptest::prelude::*;
use serde_json::{Value, json};

fn choices() -> Vec<String> {
    ["close it", "keep it open"].map(str::to_owned).to_vec()
}

fn tasks() -> Vec<(&'static str, Task)> {
    let ballot = |choices| agon_core::testing::ballot(BallotStage::Final, choices);
    vec![
        ("Ada", ballot(choices())),
        ("Ada", ballot(Vec::new())),
        ("Ada", vote(choices())),
        ("moderator", Work::OpenRound.into()),
        ("moderator", Work::CloseRound.into()),
        ("judge", agon_core::testing::judging(0, choices())),
        ("judge", agon_core::testing::judging(0, Vec::new())),
        ("Ada", Work::Opening.into()),
        ("Ada", argument()),
    ]
    .into_iter()
    .chain(every_task().into_iter().map(|(_, who, task)| (who, task)))
    .collect()
}

/// A text that is more than white space.
fn words() -> impl Strategy<Value = String> {
    "[ a-zA-Z\"\\\\{}<>:.]{0,20}[a-z]"
}
fn maybe() -> impl Strategy<Value = Value> {
    prop_oneof![Just(Value::Null), ".{0,10}".prop_map(Value::from)]
}
fn reasons() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(words(), 1..6)
}

/// Values that fit the task's schema.
fn fitting(task: &Task) -> BoxedStrategy<Value> {
    let material = &task.material;
    let choices = [material.choices(), material.candidates()].concat();
    match &task.work {
        Work::Ballot { .. } | Work::Vote if !choices.is_empty() => {
            let choice = proptest::sample::select(choices);
            (choice, reasons()).prop_map(|(choice, reasons)| json!({"choice": choice, "reasons": reasons})).boxed()
        }
        Work::Ballot { .. } | Work::Vote => {
            (words(), reasons()).prop_map(|(choice, reasons)| json!({"reasons": reasons, "choice": choice})).boxed()
        }
        Work::OpenRound => {
            let names = proptest::collection::vec(proptest::sample::select(vec!["Ada", "Ben", "Cleo"]), 1..7);
            (names, maybe(), maybe(), any::<bool>())
                .prop_map(|(names, briefing, angle, done)| {
                    json!({"next_speakers": names, "briefing": briefing, "new_angle": angle, "done": done})
                })
                .boxed()
        }
        Work::CloseRound => {
            let status = proptest::sample::select(vec!["settled", "continue"]);
            (words(), status, maybe())
                .prop_map(
                    |(summary, status, decision)| json!({"summary": summary, "status": status, "decision": decision}),
                )
                .boxed()
        }
        Work::Judge { .. } => {
            let winners: Vec<Value> = material.candidates().iter().map(|c| json!(c)).chain([Value::Null]).collect();
            let entry = prop_oneof![(1u32..99).prop_map(Value::from), (1u32..99).prop_map(|n| json!(f64::from(n)))];
            let citation = (entry, words()).prop_map(|(entry, quote)| json!({"entry": entry, "quote": quote}));
            (words(), proptest::sample::select(winners), words(), proptest::collection::vec(citation, 1..9))
                .prop_map(|(verdict, winner, reasoning, citations)| {
                    let open_objections: Vec<String> = citations.iter().map(|_| reasoning.clone()).collect();
                    json!({"verdict": verdict, "winner": winner, "reasoning": reasoning, "citations": citations, "open_objections": open_objections})
                })
                .boxed()
        }
        _ => Just(Value::Null).boxed(),
    }
}

fn moderated() -> DebateSpec {
    DebateSpec { turn_mode: TurnMode::Moderator, ..spec(Mode::Adversarial) }
}

proptest! {
    #[test]
    fn no_text_makes_reading_panic(
        text in prop_oneof![".{0,200}", "[{}\\[\\]\":,a-z0-9 \\\\]{0,200}", "(<think>|</think>|Ada|:|\\*\\*|SUMMARY:|STATUS:|settled|not|\n|[{]|[}]){0,30}"],
        which in 0usize..40,
    ) {
        let spec = moderated();
        let view = view(spec.clone());
        let tasks = tasks();
        let (name, task) = tasks[which % tasks.len()].clone();
        let read = read_answer(&spec, &ask(&view, name, turn(1, 0), task), &text);
        if let Ok(Answer::Speech { text, .. }) = read.map(|read| read.answer) {
            prop_assert!(!text.trim().is_empty());
        }
    }

    #[test]
    fn what_fits_the_schema_is_accepted_in_every_wrapping(
        (which, value) in (0usize..7).prop_flat_map(|which| (Just(which), fitting(&tasks()[which].1))),
        wrapping in 0usize..4,
    ) {
        let spec = moderated();
        let view = view(spec.clone());
        let (name, task) = tasks().remove(which);
        let ask = ask(&view, name, turn(1, 0), task);
        let schema = prompt(&view, &ask).unwrap().schema.unwrap();
        prop_assert!(agon_schema::Schema::compile(&schema, agon_schema::MAX_NODES).unwrap().problems(&value, 1).is_empty(), "the generator strayed from the schema: {value}");
        let text = match wrapping {
            0 => value.to_string(),
            1 => format!("```json\n{value:#}\n```"),
            2 => format!("<think>{{\"choice\": 1}}</think>Here it is: {value} I hope that helps."),
            _ => format!("In the set {{a, b}} I say\n{value}"),
        };
        // thoughts are cut out wherever they stand, so a value that spells the mark is not held to this
        prop_assume!(!value.to_string().contains("think>"));
        // nor is a free choice that looks like a mark of ours: others must be able to choose it word for word
        prop_assume!(value["choice"].as_str().is_none_or(|choice| agon_core::fence::neutralise(choice).1 == 0));
        let answer = read_answer(&spec, &ask, &text);
        prop_assert!(answer.is_ok(), "{text}: {answer:?}");
    }
}
