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
    prompts: Vec<String>,
}

impl ToldTurn {
    fn ask(&mut self, who: &str, turn: TurnId, task: Task) {
        let ask = ask(&self.view, who, turn, task);
        self.view.apply(self.view.position().next(), &Event::TurnAsked(ask.clone()));
        self.prompts.push(user_of(&self.view, &ask));
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

/// About how many tokens an English text has, at four characters each.
fn tokens(text: &str) -> usize {
    text.chars().count() / 4
}

#[test]
fn a_turn_costs_at_most_200_tokens_beyond_the_last_speech_on_average() {
    for mode in [Mode::Adversarial, Mode::Deliberative] {
        for moderator in [None, Some(moderator())] {
            let told = told(mode, moderator);
            let all: Vec<usize> = told.prompts.iter().map(|user| tokens(own(user))).collect();
            let mean = all.iter().sum::<usize>() / all.len();
            println!("{mode:?}, moderated {}: {mean} tokens on average", told.spec.moderator.is_some());
            assert!(mean <= 200, "{mode:?}: {mean}, {all:?}");
        }
    }
}

#[test]
fn whoever_reads_the_turn_alone_knows_what_to_write_and_it_has_at_most_250_tokens() {
    for mode in [Mode::Adversarial, Mode::Deliberative] {
        let mut spec = everything(mode);
        spec.personas = cast(mode).into_iter().take(3).collect();
        let view = after_one_round(&spec);
        for (name, who, task) in every_task() {
            let user = user_of(&view, &ask(&view, who, turn(2, 0), task));
            let (_, turn) = format!("\n{user}")
                .rsplit_once("\n=== YOUR TURN ===\n")
                .map(|(before, turn)| (before.to_owned(), turn.to_owned()))
                .unwrap();
            let speaker = match who {
                "moderator" | "judge" | "summarizer" | "synthesizer" => format!("the {who}"),
                name => name.to_owned(),
            };
            assert!(turn.starts_with(&format!("You are {speaker}")), "{name}: {turn}");
            assert!(turn.contains("\nThe question is: Should the old town be closed to cars?\n"), "{name}: {turn}");
            let form = turn.trim_end().rsplit("\n\n").next().unwrap();
            assert!(["Write ", "Answer ", "End "].iter().any(|start| form.starts_with(start)), "{name}: {form}");
            assert!(tokens(&turn) <= 250, "{name}: {} tokens\n{turn}", tokens(&turn));
        }
    }
}

#[test]
fn every_prompt_with_a_transcript_begins_with_the_transcript_of_all_before_it() {
    for moderator in [None, Some(moderator())] {
        let told = told(Mode::Adversarial, moderator);
        let shared = told.prompts.iter().filter_map(|user| Some(&user[..=user.rfind("\n>>> end of transcript ")?]));
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

#[test]
fn what_only_one_persona_is_told_stands_in_its_tail_at_every_turn_and_nowhere_else() {
    let mut spec = everything(Mode::Adversarial);
    spec.personas[0].instructions = Some("Secret of {{name}}.".into());
    spec.personas[0].system_prompt = Some("You bluff.".into());
    spec.instructions = Some("Round {{round}}.".into());
    let view = after_one_round(&spec);
    for (_, who, task) in every_task() {
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
