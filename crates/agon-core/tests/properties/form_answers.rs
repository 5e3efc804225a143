//! Options as models write them: whatever marks are around one, and never out of prose.
use agon_core::{AnswerForm, AnswerKind, named_answer};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// What models put around an answer.
const MARKS: [(&str, &str); 11] = [
    ("`", "`"),
    ("```", "```"),
    ("*", "*"),
    ("**", "**"),
    ("__", "__"),
    ("<", ">"),
    ("\"", "\""),
    ("'", "'"),
    ("\u{201c}", "\u{201d}"),
    ("\\boxed{", "}"),
    ("", "."),
];

fn options() -> impl Strategy<Value = Vec<String>> {
    let word = "[a-z]{3,8}( [a-z]{2,6})?";
    prop::collection::btree_set(word, 2..6).prop_map(|words: BTreeSet<String>| words.into_iter().collect())
}

fn marked(text: &str, marks: &[usize]) -> String {
    marks.iter().fold(text.to_owned(), |text, mark| format!("{}{text}{}", MARKS[*mark].0, MARKS[*mark].1))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_option_is_read_within_any_marks_and_not_out_of_prose(
        options in options(),
        at in any::<prop::sample::Index>(),
        marks in prop::collection::vec(0..MARKS.len(), 0..4),
        prose in prop::sample::select(&["I say {} now", "not {}", "{}, I think", "{} or {}", "It is {}"][..]),
    ) {
        let form = AnswerForm { kind: AnswerKind::Choice, options: options.clone(), ..AnswerForm::default() };
        let option = at.get(&options);
        let given = marked(option, &marks);
        prop_assert_eq!(form.read(&given), Ok(option.clone()), "{}", given);
        let line = format!("So it is.\nMy answer: {given}");
        let stated = named_answer(&line).unwrap_or_default();
        prop_assert_eq!(form.read(stated), Ok(option.clone()), "{}", line);
        let said = prose.replace("{}", &given);
        let is_option = options.iter().any(|option| agon_core::tally::same_answer(option, &said));
        prop_assume!(!is_option);
        prop_assert!(form.read(&said).is_err(), "{}", said);
    }
}

#[test]
fn stops_may_follow_the_emphasis_around_a_stated_answer() {
    for line in ["My answer: *Rome*..", "**My answer: Rome**.", "My answer: _Rome._...", "*My answer: Rome.*."] {
        let form = AnswerForm {
            kind: AnswerKind::Choice,
            options: vec!["Rome".into(), "Paris".into()],
            ..AnswerForm::default()
        };
        let stated = named_answer(line).unwrap_or_default();
        assert_eq!(form.read(stated).as_deref(), Ok("Rome"), "{line}");
    }
}
