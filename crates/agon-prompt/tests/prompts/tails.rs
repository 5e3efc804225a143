//! What a turn costs beyond the last speech, and that nothing is lost by it.
use crate::support::*;
use agon_core::testing::{self, Asked};
use agon_core::*;
use agon_prompt::{View, prompt};

/// Four personas with a stance and a role as files have them.
fn cast(mode: Mode) -> Vec<Persona> {
    let people = [
        ("Ada", "Close the old town to private cars from next summer", "Town planner who has closed two other streets"),
        ("Ben", "Keep the old town open to all cars as it is today", "Keeps a hardware shop in Long Street since 1998"),
        (
            "Cleo",
            "Close it on weekends and during the market season",
            "Runs the Saturday market and knows its suppliers",
        ),
        (
            "Dan",
            "Charge every car a toll instead of closing the town",
            "Economist who has studied tolls in three cities",
        ),
    ];
    people
        .map(|(name, stance, role)| Persona {
            role: Some(role.into()),
            ..persona(name, Some(stance).filter(|_| mode == Mode::Adversarial))
        })
        .to_vec()
}

const SPEECH: &str = "Ben is right that drivers spend more per visit, and wrong that they come less where they may not park. \
    In the two streets that I closed, takings fell for six weeks and then rose above what they were.";
const BRIEFING: &str = "Settle who the customers of the shops are and how they come to them: figures, not impressions.";
const ANGLE: &str = "What becomes of those who deliver goods before the shops open?";
const SUMMARY: &str = "Ada and Cleo hold that most customers walk, and name the count of 2024. Ben and Dan answer that those who drive \
    spend twice as much. Nobody has said what deliveries would cost, and whether a toll would change who comes is open.";

/// One debate, told turn by turn, and what each of its prompts was.
struct ToldTurn {
    spec: DebateSpec,
    view: View,
    prompts: Vec<(&'static str, String)>,
}

impl ToldTurn {
    fn ask(&mut self, who: &str, turn: TurnId, task: Task) {
        let ask = ask(&self.view, who, turn, task);
        let title = ask.task.work.traits().title;
        self.view.apply(self.view.position().next(), &Event::TurnAsked(ask.clone()));
        self.prompts.push((title, user_of(&self.view, &ask)));
    }
    fn speak(&mut self, kind: SpeechKind, round: u32, task: Task) {
        for (seat, persona) in (0..).zip(self.spec.personas.clone()) {
            self.ask(persona.name.as_str(), turn(round, seat), task.clone());
            say(&mut self.view, &self.spec, persona.name.as_str(), kind, turn(round, seat), SPEECH);
        }
    }
    fn ballot(&mut self, stage: BallotStage, round: u32) {
        let choices = self.spec.stances().into_iter().map(str::to_owned).collect::<Vec<_>>();
        for (seat, persona) in (0..).zip(self.spec.personas.clone()) {
            self.ask(persona.name.as_str(), turn(round, 10 + seat), testing::ballot(stage, choices.clone()));
        }
    }
    fn decide(&mut self, round: u32, work: Work, decision: ModeratorDecision) {
        let at = turn(round, if work == Work::OpenRound { 20 } else { 21 });
        self.ask(MODERATOR, at, work.into());
        self.view.apply(self.view.position().next(), &Asked::at(at, MODERATOR).decision(decision));
    }
    fn round(&mut self, round: u32) {
        let guide = guided(Some(BRIEFING), Some(ANGLE), None);
        let moderated = self.spec.moderator.is_some();
        if moderated {
            let plan =
                RoundPlan { briefing: Some(BRIEFING.into()), new_angle: Some(ANGLE.into()), ..RoundPlan::default() };
            self.decide(round, Work::OpenRound, ModeratorDecision::Opens(plan));
        }
        open_round(&mut self.view, round, &if moderated { guide.clone() } else { argument() });
        self.speak(SpeechKind::Argument, round, if moderated { guide } else { argument() });
        if moderated {
            let close = RoundSummary { summary: SUMMARY.into(), ..RoundSummary::default() };
            self.decide(round, Work::CloseRound, ModeratorDecision::Closes(close));
        }
    }
}

/// A debate of four personas and six rounds.
fn told(mode: Mode, moderator: Option<Moderator>) -> ToldTurn {
    let spec = DebateSpec { personas: cast(mode), moderator, max_rounds: 6, ..spec(mode) };
    let mut told = ToldTurn { view: view(spec.clone()), spec, prompts: Vec::new() };
    told.ballot(BallotStage::Initial, 0);
    told.speak(SpeechKind::Opening, 0, Work::Opening.into());
    (1..=6).for_each(|round| told.round(round));
    told.speak(SpeechKind::Closing, 7, Work::Closing.into());
    told.ballot(BallotStage::Final, 7);
    told
}

/// What stands in a prompt beyond what later and earlier prompts share with it.
fn own(user: &str) -> &str {
    let end = user.rfind("\n>>> end of transcript ").map_or_else(|| user.find("=== YOUR TURN ==="), |at| Some(at + 1));
    &user[end.unwrap()..]
}

/// Word pieces of four letters, and every other character but the space: as the rehearsal server counts, for ASCII.
fn tokens(text: &str) -> usize {
    assert!(text.is_ascii());
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).map(|word| word.len().div_ceil(4));
    words.sum::<usize>() + text.chars().filter(|c| !c.is_ascii_alphanumeric() && *c != ' ').count()
}

#[test]
fn a_turn_costs_at_most_120_tokens_beyond_the_last_speech_on_average() {
    for mode in [Mode::Adversarial, Mode::Deliberative] {
        for moderator in [None, Some(moderator())] {
            let told = told(mode, moderator);
            let all: Vec<usize> = told.prompts.iter().map(|(_, user)| tokens(own(user))).collect();
            let mean = all.iter().sum::<usize>() / all.len();
            println!("{mode:?}, moderated {}: {mean} tokens on average", told.spec.moderator.is_some());
            assert!(mean <= 120, "{mode:?}: {mean}, {all:?}");
        }
    }
}

#[test]
fn every_prompt_with_a_transcript_begins_with_the_transcript_of_all_before_it() {
    for moderator in [None, Some(moderator())] {
        let told = told(Mode::Adversarial, moderator);
        let shared =
            told.prompts.iter().filter_map(|(_, user)| Some(&user[..=user.rfind("\n>>> end of transcript ")?]));
        let shared: Vec<&str> = shared.collect();
        assert!(shared.len() > 30 && shared.windows(2).all(|pair| pair[1].starts_with(pair[0])));
        let opened = shared.last().unwrap().matches(", opened by the moderator\n").count();
        assert_eq!(opened, if told.spec.moderator.is_some() { 6 } else { 0 });
    }
}

#[test]
fn the_moderator_reads_its_words_once_and_what_the_transcript_leaves_out_beside_it() {
    let mut told = told(Mode::Adversarial, Some(moderator()));
    let close = RoundSummary {
        summary: "Nothing new.".into(),
        status: RoundStatus::Settled,
        decision: Some("Close it".into()),
        ..RoundSummary::default()
    };
    told.view.apply(
        told.view.position().next(),
        &Asked::at(turn(7, 30), MODERATOR).decision(ModeratorDecision::Closes(close)),
    );
    let text = user_of(&told.view, &ask(&told.view, MODERATOR, turn(8, 20), Work::OpenRound.into()));
    assert_eq!(text.matches(BRIEFING).count(), 6);
    let decided: Vec<&str> = text.lines().filter(|line| line.starts_with("You decided: ")).collect();
    let sixth = format!("You decided: closed round 6 as continue: {SUMMARY}");
    assert_eq!(decided, [&sixth, "You decided: closed round 7 as settled: Nothing new.; decision: Close it"]);
    open_round(&mut told.view, 8, &argument());
    let text = user_of(&told.view, &ask(&told.view, MODERATOR, turn(8, 21), Work::CloseRound.into()));
    assert!(text.contains("\nYou decided: closed round 7 as settled; decision: Close it\n"), "{text}");
}

#[test]
fn a_window_drops_what_the_moderator_said_to_rounds_that_it_drops() {
    let mut told = told(Mode::Adversarial, Some(moderator()));
    told.spec.memory = Memory::RollingWindow;
    let mut windowed = view(DebateSpec { memory: Memory::RollingWindow, ..told.spec.clone() });
    windowed.apply(
        Position(2),
        &Event::RoundOpened { round: 1, speakers: Vec::new(), briefing: Some("first".into()), new_angle: None },
    );
    for at in 0..13 {
        say(&mut windowed, &told.spec, "Ada", SpeechKind::Argument, turn(1 + at / 7, at % 7), SPEECH);
        if at == 6 {
            open_round(&mut windowed, 2, &guided(Some("second"), None, None));
        }
    }
    let shown = |view: &View| user_of(view, &ask(view, "Ada", turn(2, 9), argument()));
    // 13 speeches in a window of 12: one is dropped, and of its round others are shown
    assert!(shown(&windowed).contains("first") && shown(&windowed).contains("second"));
    (0..6).for_each(|at| say(&mut windowed, &told.spec, "Ada", SpeechKind::Argument, turn(2, 20 + at), SPEECH));
    assert!(!shown(&windowed).contains("Briefing: first") && shown(&windowed).contains("Briefing: second"));
}

/// All of a prompt in one text, its line breaks as spaces.
fn whole(view: &View, who: &str, task: Task) -> String {
    let prompt = prompt(view, &ask(view, who, turn(2, 0), task)).unwrap();
    prompt.messages.iter().map(|message| message.text.as_ref()).collect::<Vec<_>>().join("\n").replace('\n', " ")
}

const HOLD: &str = "Your stance was assigned to you. Hold it to the end.";
const MOVE: &str = "Change your answer only if you can name the flaw in an earlier step of your own";
const STRONGEST: &str = "as its speaker made it and not in a weaker form.";
const SIDES: &str = "You moderate; you take no side.";

/// What each kind of task was told in its tail when all of it stood there.
fn must_be_told(mode: Mode) -> Vec<(&'static str, Task, Vec<&'static str>)> {
    let rules = match mode {
        Mode::Adversarial => vec![
            HOLD,
            STRONGEST,
            "mechanisms, cases, figures that you can account for",
            "That many agree is no argument.",
        ],
        Mode::Deliberative => {
            vec![MOVE, "Test the strongest point against your answer first.", "add what is missing", "My answer: <"]
        }
    };
    let first = match mode {
        Mode::Adversarial => {
            vec!["Your stance was assigned to you. Hold it.", "the reasons that are hardest to answer, not the most"]
        }
        Mode::Deliberative => {
            vec!["Say what would change your mind.", "so that each step can be tested", "My answer: <"]
        }
    };
    let with = |rules: &[&'static str], own: &[&'static str]| [rules, own].concat();
    let statement = |speech| Task::from(Work::Statement { speech, to: None, about: None });
    let ballot = |stage| testing::ballot(stage, vec!["close it".into(), "keep it open".into()]);
    let candidates = || vec!["close it".to_owned(), "keep it open".to_owned()];
    let (honest, weigh) = ("your own honest", "Weigh the arguments and not the speakers");
    vec![
        (
            "Ada",
            Work::Opening.into(),
            with(
                &first,
                &[
                    "your position on the topic and the reasons that carry it",
                    "at most 200 words",
                    "speak to the topic alone",
                ],
            ),
        ),
        (
            "Ada",
            statement(SpeechKind::Proposal),
            with(&first, &["concrete enough to be criticised point by point", "at most 200 words"]),
        ),
        (
            "Ada",
            argument(),
            with(&rules, &["Give your speech for this round. Name whom you answer.", "at most 200 words"]),
        ),
        (
            "Ada",
            Work::Argument { to: Some("Ben".into()), bench: None }.into(),
            with(&rules, &["You asked for the floor to answer Ben. Answer that first."]),
        ),
        (
            "Ada",
            Work::Closing.into(),
            with(
                &rules,
                &["still stand after what was said against them. Bring no new argument.", "at most 200 words"],
            ),
        ),
        ("Ada", statement(SpeechKind::Question), vec!["a premise, a term, a consequence", "at most 80 words"]),
        ("Ada", statement(SpeechKind::FollowUp), vec!["Ask one further question", "at most 80 words"]),
        (
            "Ada",
            statement(SpeechKind::Answer),
            with(&rules, &["first the answer itself, then what it rests on", "Do not ask back."]),
        ),
        (
            "Ada",
            statement(SpeechKind::Rebuttal),
            with(&rules, &["the one point that most needs an answer", "at most 120 words"]),
        ),
        ("Ada", statement(SpeechKind::Clarification), vec!["nothing else, in plain words", "at most 120 words"]),
        ("Ada", statement(SpeechKind::Interjection), vec!["You do not have the floor.", "at most 40 words"]),
        (
            "Ada",
            testing::revising(vec!["Ben".into()]),
            with(
                &rules,
                &[
                    "Your critics: Ben.",
                    "at most 200 words",
                    "Every critic stands in one of the two lists.",
                    "\"declined\": [{\"critic\": name, \"why\": text}]",
                ],
            ),
        ),
        (
            "Ada",
            Work::Critique { of: "Ben".into() }.into(),
            vec![
                "Target: Ben",
                "You want it to become better, not to win.",
                "the gravest first",
                "\"suggestions\": [texts]",
            ],
        ),
        (
            "Ada",
            testing::bidding(BidPurpose::Floor),
            vec!["Most of the time a middling figure is right.", "\"urgency\": number"],
        ),
        (
            "Ada",
            testing::reflecting(true, true),
            vec!["Nobody else will see them", "\"next\": text}", "what you will try next"],
        ),
        (
            "Ada",
            ballot(BallotStage::Initial),
            vec![honest, "before the debate", "exactly \"close it\" or \"keep it open\"", "1 to 5 short texts"],
        ),
        (
            "Ada",
            ballot(BallotStage::Final),
            vec![
                honest,
                "Let arguments move you, and only arguments",
                "exactly \"close it\" or \"keep it open\"",
                "1 to 5 short texts",
            ],
        ),
        (
            "Ada",
            testing::vote(candidates()),
            vec![weigh, "exactly \"close it\" or \"keep it open\"", "\"choice\": text"],
        ),
        (
            "Ada",
            testing::vote_by(candidates(), BallotForm::Ranking),
            vec![weigh, "every one of \"close it\", \"keep it open\", once", "\"ranking\": [texts]"],
        ),
        (
            "Ada",
            testing::vote_by(candidates(), BallotForm::Approval),
            vec!["one at least", "one or more of \"close it\"", "\"approved\": [texts]"],
        ),
        (
            "moderator",
            Work::OpenRound.into(),
            vec![
                SIDES,
                "what the speakers are to settle in this round",
                "that nobody has covered yet",
                "\"done\": true or false",
            ],
        ),
        (
            "moderator",
            Work::CloseRound.into(),
            vec![
                SIDES,
                "each side at its strongest",
                "only if no further round could change the answer",
                "\"status\": \"settled\" or \"continue\"",
            ],
        ),
        (
            "moderator",
            Work::Interject.into(),
            vec![SIDES, "whom to call back to the topic", "\"warnings\": [{\"name\": name, \"text\": text}]"],
        ),
        ("moderator", Work::Research.into(), vec![SIDES, "Say where each thing comes from.", "at most 200 words"]),
        (
            "moderator",
            Work::Conclude { conclusion: Conclusion::Reconciliation }.into(),
            vec!["name who could not, and why", "at most 200 words"],
        ),
        (
            "moderator",
            Work::Conclude { conclusion: Conclusion::Decision }.into(),
            vec!["your synthesis is the debate's verdict", "{\"verdict\": text, \"reasoning\": text}"],
        ),
        (
            "judge",
            testing::judging(0, candidates()),
            vec![
                "in one to three sentences",
                "exactly \"close it\" or \"keep it open\", or null if the best answer is a synthesis",
                "copied from that speech word for word",
                "Do not say how sure you are.",
            ],
        ),
        (
            "judge",
            testing::ranking(0, candidates()),
            vec!["every one of \"close it\", \"keep it open\", once", "best first", "what decided its place"],
        ),
        (
            "judge",
            Work::EnoughSaid.into(),
            vec!["only if no further round is likely", "{\"enough\": true or false, \"reasoning\": text}"],
        ),
        (
            "summarizer",
            testing::summarising(1),
            vec!["by name, and the reasons and figures", "must hold what it held", "at most 150 words"],
        ),
    ]
}

#[test]
fn what_every_task_is_told_stands_in_its_head_or_in_its_tail() {
    for mode in [Mode::Adversarial, Mode::Deliberative] {
        let mut spec = everything(mode);
        // deliberative debaters may begin with an answer; what may be chosen is then no word of a voter
        for (persona, stance) in spec.personas.iter_mut().zip(["close it", "keep it open"]) {
            persona.stance = Some(stance.into());
        }
        (spec.agreement_intensity, spec.instructions) = (Some(7), Some("Name your sources on {{topic}}.".into()));
        let view = after_one_round(&spec);
        for (who, task, told) in must_be_told(mode) {
            let (text, title) = (whole(&view, who, task.clone()), task.work.traits().title);
            for part in told.iter().chain(&["Name your sources on Should the old town"]) {
                assert!(text.contains(part), "{mode:?}, {title}: {part}\n{text}");
            }
        }
        for task in [argument(), Work::Closing.into(), testing::revising(vec!["Ben".into()])] {
            assert!(whole(&view, "Ada", task).contains("Agreement sought: 7 of 10."));
        }
    }
}

#[test]
fn what_only_one_persona_is_told_stands_in_its_tail_at_every_turn_and_nowhere_else() {
    let mut spec = everything(Mode::Adversarial);
    spec.personas[0].instructions = Some("Secret of {{name}}.".into());
    spec.personas[0].system_prompt = Some("You bluff.".into());
    spec.instructions = Some("Round {{round}}.".into());
    let view = after_one_round(&spec);
    for (who, task, _) in must_be_told(Mode::Adversarial) {
        let text = whole(&view, who, task);
        let tail = text.split_once(" === YOUR TURN === ").unwrap().1.to_owned();
        for secret in ["Secret of Ada.", "You bluff."] {
            assert_eq!(text.contains(secret), who == "Ada");
            assert_eq!(tail.contains(secret), who == "Ada");
        }
        assert!(tail.contains("Round 2."), "instructions that change with the turn stand where it stands");
    }
    assert!(!whole(&view, "Ben", argument()).contains("bluff"));
}
