use std::fmt::Write as _;

use super::*;
use crate::prompt::Brief;
use crate::task::tests::words_of;

mod files;
mod grades;
mod rates;

/// A world of so many questions with four options each.
fn minds(world: MindWorld, questions: usize) -> Minds {
    let question = |n: usize| MindQuestion {
        id: n.to_string(),
        topics: vec![MindTopic::Text(format!("Which of the four is number {n}?"))],
        answers: vec!["B".into()],
        options: ["A", "B", "C", "D"].map(str::to_owned).to_vec(),
        ..MindQuestion::default()
    };
    Minds::new(world, (0..questions).map(question).collect())
}

/// One debate as its speakers are prompted.
struct PromptedDebate {
    topic: String,
    mark: String,
    entries: Vec<(String, String)>,
}

impl PromptedDebate {
    fn new(question: usize, repetition: usize) -> Self {
        let topic = format!("Which of the four is number {question}?");
        Self { topic, mark: format!("{:016x}", question * 1_000 + repetition), entries: Vec::new() }
    }

    fn system(&self) -> String {
        let mark = &self.mark;
        format!(
            "A debate.\n\n# Question\n{}\n\n# Context\nFour lie there.\n\n# Rules\n- What is quoted has a mark, such as {mark}.\n",
            self.topic
        )
    }

    fn turn(&self, minds: &Minds, (you, task): (&str, &str), sampling: Option<i64>) -> MindedTurn {
        let mut user =
            String::from("# Debaters\n- Ada\n- Ben\n- Cleo\n\n<<< transcript x: what follows was said by others\n");
        for (n, (speaker, answer)) in self.entries.iter().enumerate() {
            writeln!(user, "### T{} | {speaker}\nI say so.\n\nMy answer: {answer}\n", n + 1).unwrap();
        }
        write!(user, ">>> end of transcript x\n\n=== YOUR TURN ===\nYou are {you}.\n{}\n", words_of(task)).unwrap();
        let system = self.system();
        let brief = Brief::read([("system", system.as_str()), ("user", user.as_str())].into_iter());
        minds.turn(MindCall { model: "m", system: &system, sampling, brief: &brief }).unwrap()
    }

    fn debater(&self, minds: &Minds, you: &str, task: &str, sampling: Option<i64>) -> String {
        self.turn(minds, (you, task), sampling).answer
    }

    fn judge(&self, minds: &Minds) -> String {
        self.turn(minds, ("judge", "judge"), None).answer
    }
}

const CAST: [&str; 3] = ["Ada", "Ben", "Cleo"];

#[test]
fn a_debater_opens_with_what_its_first_ballot_was_for() {
    let minds = minds(MindWorld::default(), 200);
    for question in 0..200 {
        let debate = PromptedDebate::new(question, 0);
        let ballot = debate.debater(&minds, "Ada", "private ballot (initial)", Some(1));
        assert_eq!(debate.debater(&minds, "Ada", "opening statement", Some(2)), ballot);
    }
}

#[test]
fn a_server_that_takes_a_debate_over_gives_the_same_answers() {
    let (one, other) = (minds(MindWorld::default(), 50), minds(MindWorld::default(), 50));
    for question in 0..50 {
        let debate = PromptedDebate::new(question, 0);
        let ballot = debate.debater(&one, "Ada", "private ballot (initial)", Some(1));
        other.expect_ballots(&debate.mark);
        assert_eq!(debate.debater(&other, "Ada", "opening statement", Some(2)), ballot);
    }
}

#[test]
fn samples_of_one_persona_differ_by_their_seeds_alone() {
    let minds = minds(MindWorld::default(), 1);
    let poll = PromptedDebate::new(0, 0);
    let sample = |seed| poll.debater(&minds, "Ada", "opening statement", Some(seed));
    let samples: Vec<String> = (0..40).map(sample).collect();
    assert!(samples.iter().any(|answer| *answer != samples[0]));
    assert_eq!(samples, (0..40).map(sample).collect::<Vec<_>>());
}

#[test]
fn a_speech_stands_by_what_its_speaker_stated() {
    let minds = minds(MindWorld::default(), 1);
    let mut debate = PromptedDebate::new(0, 0);
    for answer in ["A", "B", "C", "D"] {
        debate.entries = vec![("Ada".into(), answer.into()), ("Ben".into(), "B".into())];
        assert_eq!(debate.debater(&minds, "Ada", "argument", None), answer);
    }
}

#[test]
fn nobody_moves_to_a_right_answer_that_nobody_stated() {
    let minds = minds(MindWorld { truth: 1.0, sway: 0.0, ..MindWorld::default() }, 1);
    let mut debate = PromptedDebate::new(0, 0);
    debate.entries = CAST.iter().zip(["A", "C", "D"]).map(|(name, answer)| ((*name).into(), answer.into())).collect();
    assert_eq!(debate.debater(&minds, "Ada", "private ballot (final)", None), "A");
    debate.entries[2].1 = "B".into();
    assert_eq!(debate.debater(&minds, "Ada", "private ballot (final)", None), "B");
}

#[test]
fn a_judge_finds_what_was_stated_and_without_that_follows_most() {
    let of = |judge, answers: [&str; 3]| {
        let minds = minds(MindWorld { judge, ..MindWorld::default() }, 1);
        let mut debate = PromptedDebate::new(0, 0);
        debate.entries = CAST.iter().zip(answers).map(|(name, answer)| ((*name).into(), answer.into())).collect();
        debate.judge(&minds)
    };
    assert_eq!(of(1.0, ["C", "C", "B"]), "B");
    assert_eq!(of(0.0, ["C", "C", "B"]), "C");
    assert_eq!(of(1.0, ["C", "C", "A"]), "C");
}

#[test]
fn a_judge_biased_by_order_takes_the_first_one_it_is_shown() {
    let minds = minds(MindWorld { order_bias: 1.0, ..MindWorld::default() }, 1);
    let mut debate = PromptedDebate::new(0, 0);
    debate.entries = vec![("Ada".into(), "C".into()), ("Ben".into(), "B".into())];
    assert_eq!(debate.judge(&minds), "C");
    debate.entries.reverse();
    assert_eq!(debate.judge(&minds), "B");
}

#[test]
fn questions_with_the_same_topic_are_told_apart_by_their_context() {
    let question = |context: &str, answer: &str| MindQuestion {
        id: context.into(),
        topics: vec![
            MindTopic::Text("Answer the question below.".into()),
            MindTopic::InContext { topic: "Answer the question below.".into(), context: context.into() },
        ],
        answers: vec![answer.into()],
        ..MindQuestion::default()
    };
    let minds = Minds::new(
        MindWorld::default(),
        vec![question("1 + 1?", "2"), question("2 + 2?\n# Not a heading\nof ours", "4")],
    );
    let right = |context: &str| {
        let found = minds.find(&format!(
            "Rules.\n\n# Question\nAnswer the question  below.\n\n# Context\n{context}\n\n# Materials\nNone.\n"
        ));
        found.map(|question| question.text(0))
    };
    assert_eq!(right("1 + 1?"), Some("2"));
    assert_eq!(right("2 + 2?\n# Not a heading\nof ours"), Some("4"));
    assert_eq!(right("3 + 3?"), None);
}

#[test]
fn wrong_numbers_lie_near_the_right_one_and_every_spelling_of_it_is_right() {
    let number = |answer: &str| {
        let question = MindQuestion {
            topics: vec![MindTopic::Text("How many?".into())],
            answers: vec![answer.into()],
            ..MindQuestion::default()
        };
        Minds::new(MindWorld::default(), vec![question])
    };
    let minds = number("1,200");
    let known = &minds.questions[0];
    assert_eq!(known.text(0), "1200");
    assert_eq!([known.index("1,200"), known.index("1200.0"), known.index("1200.")], [Some(0); 3]);
    assert_eq!(known.candidates.len(), 5);
    for wrong in &known.candidates[1..] {
        let off = (wrong.parse::<f64>().unwrap() - 1200.0).abs();
        assert!((1.0..=10.0).contains(&off), "{wrong}");
    }
    assert!(number("0.75").questions[0].candidates[1..].iter().all(|wrong| wrong.len() <= 5 && wrong != "0.75"));
}

#[test]
fn a_calibrated_speaker_states_its_chance_and_a_shifted_one_more() {
    let stated = |shift| {
        let world = MindWorld { confidence: Some(StatedConfidence { shift }), ..MindWorld::default() };
        let minds = minds(world, 1);
        PromptedDebate::new(0, 0).turn(&minds, ("Ada", "private ballot (initial)"), None).confidence.unwrap()
    };
    let minds = minds(MindWorld::default(), 1);
    let chance = (100.0 * minds.world.chance(&minds.questions[0], "m")).round() as u64;
    assert_eq!(stated(0.0), chance);
    assert_eq!(stated(10.0), (chance + 10).min(100));
}

#[test]
fn a_speech_has_the_length_of_its_model_and_keeps_its_answer() {
    let text = of_length("One two three four. Five six.\n\nMy answer: B", 9, None);
    assert_eq!(text, "One two three four. Five six. One two three\n\nMy answer: B");
    let short = of_length("One two three four. Five six.\n\nMy answer: B", 900, Some(60));
    assert!(crate::token::count(&short) <= 60 && short.ends_with("\n\nMy answer: B"), "{short}");
}
