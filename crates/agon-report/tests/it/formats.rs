//! Debates of other formats, in which every event occurs.
use crate::log::{Log, ReachedVerdict, admitted, argument, persona, spec, voice};
use crate::scenes::{NOW, RENT, WAIT};
use agon_core::*;

pub fn score(clarity: u8, evidence: u8, originality: u8, on_topic: u8) -> Score {
    Score { clarity, evidence, originality, on_topic }
}
pub fn tool(turn: TurnId, who: &str, arguments: &str, result: Option<&str>, error: Option<&str>) -> Event {
    let (arguments, result, error) = (arguments.to_owned(), result.map(str::to_owned), error.map(str::to_owned));
    let tool = ToolUse { tool: "search".to_owned(), arguments, result, error, truncated: false, duration_ms: 120 };
    Event::ToolCalled { turn, participant: who.into(), tool }
}
pub fn measures(agreement: Option<f64>, stability: Option<f64>, method: Method) -> Measures {
    Measures { agreement, stability, stable: Vec::new(), known: Vec::new(), by_answers: false, method }
}
pub fn measured(round: u32, agreement: Option<f64>, stability: Option<f64>, method: Method) -> Event {
    Event::RoundCompared { round, measures: measures(agreement, stability, method) }
}
fn verdict(log: &mut Log, outcome: Outcome, winner: Option<&str>, reason: Option<Reason>, contested: bool) {
    log.verdict(ReachedVerdict {
        verdict: winner.map(|winner| format!("{winner}, once the lease is signed.")),
        winner: winner.map(str::to_owned),
        reason: reason.clone(),
        consensus: Some(Consensus {
            answer: Some(NOW.to_owned()),
            top: 2,
            eligible: 3,
            strength: Strength::Moderate,
            contested,
            source: ConsensusSource::FinalBallots,
        }),
        moved: vec!["Bruno".into()],
        ..ReachedVerdict::of(outcome)
    });
    log.succeed(outcome, reason);
}
fn trio(stances: bool) -> DebateSpec {
    let stance = |text| stances.then_some(text);
    let cast = [("Ada", NOW, "Head baker"), ("Bruno", WAIT, "Keeps the books"), ("Chioma", RENT, "Runs the van")];
    let cast = cast.into_iter().map(|(name, text, role)| persona(name, stance(text), role)).collect();
    spec("Should the bakery buy the second oven this year?", cast)
}

/// An open fight with interruptions, tools, a busy moderator, notes, summaries and measures; held without a decision.
pub fn fight() -> Log {
    let mut spec = trio(true);
    (spec.debate_format, spec.consensus_strategy) = (DebateFormat::OpenFight, ConsensusStrategy::NoConsensus);
    let mut log = admitted(spec);
    log.phase(PhaseName::Rounds);
    let asked = log.ask(1, MODERATOR, Work::Research.into());
    log.push(tool(asked.turn, MODERATOR, "{\"q\":\"deck oven price\"}", Some("21,000 installed"), None));
    log.push(asked.brief("A deck oven costs **21,000**, installed."));
    log.round(1, &["Ada", "Bruno", "Chioma"]);
    let seats = ["Ada", "Bruno", "Chioma"].map(|name| Seat {
        participant: name.into(),
        work: Work::Bid { purpose: BidPurpose::Floor, on: None, heard: None },
    });
    log.push(Event::StageOpened {
        round: 1,
        step: Step::Speaking,
        seats: seats.to_vec(),
        parallel: true,
        joins: false,
    });
    let to = |urgency, to: Option<&str>, text: Option<&str>| Bid {
        urgency,
        to: to.map(ParticipantId::from),
        text: text.map(str::to_owned),
    };
    log.bid(1, "Ada", BidPurpose::Floor, to(7, None, Some("the queue")));
    log.bid(1, "Bruno", BidPurpose::Floor, to(4, Some("Ada"), None));
    log.bid(1, "Chioma", BidPurpose::Floor, to(0, None, None));
    let turn = log.ask(1, "Ada", argument()).turn;
    log.push(Event::SpeechHeard { turn, participant: "Ada".into(), text: "Forty people leave".into() });
    log.bid(1, "Bruno", BidPurpose::Interruption, to(9, Some("Ada"), Some("forty is a guess")));
    let first = log.speak_as(1, "Ada", SpeechKind::Argument, "Forty people leave the queue every", |speech| {
        speech.cut_by = Some("Bruno".into());
    });
    log.speak_as(1, "Bruno", SpeechKind::Interjection, "Forty is a guess. Who counted?", |speech| {
        speech.to = Some("Ada".into())
    });
    let answer = log.speak_as(
        1,
        "Chioma",
        SpeechKind::Argument,
        "As Ada says in T2, the queue is there; renting serves it.",
        |_| {},
    );
    log.push(tool(answer, "Chioma", "{\"q\":\"rent\"}", None, Some("no answer within 20 s")));
    let remark = |to: &str, text: &str| Remark { to: to.into(), text: text.to_owned() };
    let interjection = Interjection {
        comment: Some("You agree on more than you say.".to_owned()),
        warnings: vec![remark("Bruno", "Stay with the oven.")],
        questions: vec![remark("Ada", "Who counted the forty?")],
        revisions: vec![remark("Chioma", "Say what it costs after a year.")],
    };
    log.interject(1, interjection);
    log.speak_as(1, "Ada", SpeechKind::Clarification, "I did, on the order sheets. Bruno has seen them.", |_| {});
    let scores = vec![
        SpeechScore { speech: first, score: score(7, 5, 6, 9), comment: Some("cut short".to_owned()) },
        SpeechScore { speech: answer, score: score(8, 6, 8, 9), comment: None },
    ];
    log.score_speeches(1, scores);
    log.push(measured(1, Some(0.42), None, Method::Words));
    let note = Note { position: Some("Buy".to_owned()), next: Some("Bring the sheets".to_owned()), ..Note::default() };
    log.answer(1, "Ada", agon_core::testing::reflecting(true, true), |asked| asked.note(note));
    log.answer(1, SUMMARIZER, agon_core::testing::summarising(1), |asked| {
        asked.summary(1, "The queue is agreed upon; its size is not.")
    });
    log.round(2, &["Ada", "Bruno"]);
    log.speak_as(2, "Bruno", SpeechKind::Argument, "Ada's sheets end in March, and Chioma knows it.", |_| {});
    log.push(measured(2, Some(0.55), Some(0.71), Method::Words));
    log.answer(2, JUDGE, Work::EnoughSaid.into(), |asked| asked.enough(true, "No figure is new."));
    log.stop(StopRule::JudgeEnough, 2);
    for conclusion in [Conclusion::Reconciliation, Conclusion::Summary] {
        log.answer(3, MODERATOR, Work::Conclude { conclusion }.into(), |asked| {
            asked.conclusion(conclusion, "All three would serve the queue.", None)
        });
    }
    verdict(&mut log, Outcome::Inconclusive, None, Some(Reason::of(ReasonCode::NoDecisionWanted)), false);
    log
}

/// Proposals, critiques, revisions; a panel that ranks; a synthesis.
pub fn critiques() -> Log {
    let mut spec = trio(false);
    (spec.mode, spec.debate_format) = (Mode::Deliberative, DebateFormat::CritiqueRevision);
    spec.consensus_strategy = ConsensusStrategy::RankedReasons;
    spec.judge.as_mut().unwrap().panel = 2;
    spec.synthesizer = Some(Synthesizer {
        output_schema: Some(serde_json::json!({ "type": "object" })),
        instructions: None,
        voice: voice("synthesizer"),
    });
    let mut log = admitted(spec);
    log.stand_ins.insert("judge-2".into(), "gemma3:4b".into());
    log.phase(PhaseName::InitialBallots);
    for (who, choice) in [("Ada", "Ada"), ("Bruno", "Chioma"), ("Chioma", "Chioma")] {
        log.ballot(0, BallotStage::Initial, who, choice, "so far");
    }
    log.phase(PhaseName::Rounds);
    for (who, answer) in [("Ada", NOW), ("Bruno", WAIT), ("Chioma", RENT)] {
        log.speak_as(0, who, SpeechKind::Proposal, &format!("My proposal.\n\nMy answer: {answer}"), |speech| {
            speech.answer = Some(answer.to_owned());
        });
    }
    log.round(1, &["Ada", "Bruno", "Chioma"]);
    for (by, of, severity) in [("Bruno", "Ada", 8), ("Chioma", "Ada", 3), ("Ada", "Bruno", 0)] {
        let critique = Critique {
            severity,
            issues: if severity > 0 { vec!["The lease ends in fourteen months.".to_owned()] } else { Vec::new() },
            suggestions: vec!["Ask the landlord.".to_owned()],
        };
        log.critique(1, by, of, critique);
    }
    log.speak_as(1, "Ada", SpeechKind::Revision, "Buy on signature.\n\nMy answer: Invest now", |speech| {
        speech.accepted = vec!["Bruno".into()];
        speech.declined = vec![Declined { critic: "Chioma".into(), why: "renting is a bridge".to_owned() }];
        speech.answer = Some(NOW.to_owned());
    });
    log.speak_as(1, "Bruno", SpeechKind::Revision, "I join.\n\nMy answer: invest now.", |speech| {
        speech.answer = Some("invest now.".to_owned());
    });
    let figures = measures(Some(0.67), Some(0.5), Method::WordsInstead);
    log.answer(1, EMBEDDER, agon_core::testing::measuring(1), |asked| asked.measures(1, figures));
    log.stop(StopRule::Converged, 1);
    log.phase(PhaseName::FinalBallots);
    for (who, choice) in [("Ada", "Ada"), ("Bruno", "Ada"), ("Chioma", "Chioma")] {
        log.ballot(2, BallotStage::Final, who, choice, "in the end");
    }
    log.phase(PhaseName::Decision);
    for (judge, first, second) in [(JUDGE, "Ada", "Chioma"), ("judge-2", "Ada", "Chioma"), ("judge-2", "Chioma", "Ada")]
    {
        let ranked =
            |candidate: &str| Ranked { candidate: candidate.to_owned(), reason: "It answers the lease.".to_owned() };
        let ranking = vec![ranked(first), ranked(second)];
        let task = agon_core::testing::ranking(0, vec!["Ada".to_owned(), "Chioma".to_owned()]);
        log.answer(2, judge, task, |asked| asked.ranking(u32::from(first == "Chioma"), ranking));
    }
    log.push(Event::VoteTallied {
        rule: None,
        counts: vec![("Ada".to_owned(), 2), ("Chioma".to_owned(), 1)],
        weights: Vec::new(),
        eligible: 4,
        received: 3,
        winner: Some("Ada".to_owned()),
    });
    log.verdict(ReachedVerdict {
        verdict: Some("Buy on signature.".to_owned()),
        winner: Some("Ada".to_owned()),
        reasoning: Some("It answers the lease.".to_owned()),
        consensus: Some(Consensus {
            answer: Some("Ada".to_owned()),
            top: 2,
            eligible: 3,
            strength: Strength::Moderate,
            contested: true,
            source: ConsensusSource::FinalBallots,
        }),
        majority: MajorityShift::Overturned,
        moved: vec!["Bruno".into()],
        ..ReachedVerdict::of(Outcome::Decided)
    });
    log.phase(PhaseName::Synthesis);
    let synthesis = Synthesis {
        text: "{\"buy\": true}".into(),
        output: Some("{\"buy\":true,\"when\":\"on signature\"}".into()),
        problems: Vec::new(),
    };
    log.synthesise(3, synthesis);
    log.succeed(Outcome::Decided, None);
    log
}

/// British Parliamentary: benches, points of information, a weighted vote after every round, scores of everybody.
pub fn parliament() -> Log {
    let mut spec = trio(true);
    spec.personas.push(persona("Dmitri", Some("Never"), "Owns the building"));
    let teams = Bench::TEAMS.map(str::to_owned);
    spec.personas.iter_mut().zip(teams).for_each(|(persona, team)| persona.stance = Some(team));
    (spec.debate_format, spec.consensus_strategy) = (DebateFormat::BpStyle, ConsensusStrategy::Vote);
    spec.voting = Some(Voting {
        rule: VoteRule::Weighted,
        self_votes: SelfVotes::Exclude,
        voters: Voters::Debaters,
        every_round: true,
    });
    let mut log = admitted(spec);
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bruno", "Chioma", "Dmitri"]);
    for (who, bench) in [
        ("Ada", Bench::PrimeMinister),
        ("Bruno", Bench::LeaderOfOpposition),
        ("Chioma", Bench::MemberOfGovernment),
        ("Dmitri", Bench::MemberOfOpposition),
    ] {
        let text = if who == "Chioma" { "Ada is right, and Bruno forgets the basket." } else { "The figures say so." };
        log.speak_as(1, who, SpeechKind::Argument, text, |speech| speech.bench = Some(bench));
        if who == "Ada" {
            let point = Bid { urgency: 6, to: None, text: Some("Who signs the lease?".to_owned()) };
            log.bid(1, "Bruno", BidPurpose::Point, point);
            log.bid(1, "Dmitri", BidPurpose::Point, Bid::default());
            let points = vec![Point { by: "Bruno".into(), text: "Who signs the lease?".to_owned() }];
            let reply = PointReply { accepts: Some("Bruno".into()), reply: Some("The owner, in May.".to_owned()) };
            log.answer(1, "Ada", agon_core::testing::answering(points.clone()), |asked| asked.points(points, reply));
        }
    }
    let teams = Bench::TEAMS;
    for round in [1, 2] {
        for (who, team) in [("Ada", teams[1]), ("Bruno", teams[0]), ("Chioma", teams[0])] {
            log.vote(round, who, team, "It answered the point");
        }
    }
    let candidates = vec![teams[0].to_owned(), teams[1].to_owned()];
    log.answer(2, "Dmitri", agon_core::testing::vote_by(candidates, BallotForm::Ranking), |asked| {
        asked.vote(&teams[..2], "In this order", None)
    });
    let scores = vec![DebaterScore { debater: "Bruno".into(), score: score(8, 7, 5, 9) }];
    let debaters = vec![("Bruno".into(), "Speaker A".to_owned())];
    log.answer(2, "Ada", agon_core::testing::scoring(debaters), |asked| asked.debaters_scored(scores));
    log.stop(StopRule::MathematicallyDecided, 2).phase(PhaseName::Decision);
    log.push(Event::VoteTallied {
        rule: Some(VoteRule::Weighted),
        counts: vec![(teams[0].to_owned(), 3_440), (teams[1].to_owned(), 2_000)],
        weights: vec![
            VoterWeight {
                voter: "Ada".into(),
                elo: Some(1_600.0),
                calibration: Some(0.7),
                confidence: None,
                thousandths: 1_440,
            },
            VoterWeight { voter: "Bruno".into(), elo: None, calibration: None, confidence: None, thousandths: 2_000 },
        ],
        eligible: 8,
        received: 7,
        winner: Some(teams[0].to_owned()),
    });
    verdict(&mut log, Outcome::Decided, Some(teams[0]), None, false);
    log
}

/// All of them.
pub fn all() -> Vec<Log> {
    vec![fight(), critiques(), parliament()]
}
