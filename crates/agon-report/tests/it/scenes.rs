//! Debates that the tests report on.
use crate::log::{Log, ReachedVerdict, admitted, admitted_as, argument, persona, spec};
use agon_core::testing::Asked;
use agon_core::*;

pub const NOW: &str = "Invest now";
pub const WAIT: &str = "Wait a year";
pub const RENT: &str = "Rent the capacity";

/// Every one of them.
pub fn all() -> Vec<Log> {
    let ended = [decided(), order_sensitive(), synthesis(), voted(), failed(), cancelled()];
    ended.into_iter().chain([resumed(), running(), grand(false)]).collect()
}

fn plan(names: &[&str], briefing: &str) -> ModeratorDecision {
    let next_speakers = names.iter().map(|name| ParticipantId::from(*name)).collect();
    ModeratorDecision::Opens(RoundPlan {
        next_speakers,
        briefing: Some(briefing.to_owned()),
        new_angle: None,
        done: false,
    })
}
fn closes(summary: &str, status: RoundStatus) -> ModeratorDecision {
    ModeratorDecision::Closes(RoundSummary { summary: summary.to_owned(), status, ..RoundSummary::default() })
}
pub fn citation(turn: TurnId, who: &str, quote: &str, verified: bool) -> Citation {
    Citation { turn: Some(turn), participant: Some(who.into()), quote: quote.to_owned(), verified, too_short: false }
}

pub fn pair() -> DebateSpec {
    spec(
        "Should the bakery buy the second oven this year?",
        vec![persona("Ada", Some(NOW), "Runs the shop floor"), persona("Bruno", Some(WAIT), "Keeps the books")],
    )
}

/// Two debaters, one round, moderator, ballots, judge; up to the judging.
pub fn before_judging(rehearsal: bool) -> (Log, TurnId) {
    let mut log = admitted_as(pair(), rehearsal);
    log.place("Ada").place("Bruno").place(MODERATOR).place(JUDGE);
    log.phase(PhaseName::InitialBallots);
    log.ballot(0, BallotStage::Initial, "Ada", NOW, "Queues every Saturday");
    log.ballot(0, BallotStage::Initial, "Bruno", WAIT, "The loan is dear");
    log.phase(PhaseName::OpeningStatements);
    log.speak(0, "Ada", SpeechKind::Opening, "We turn away **forty** people every Saturday.");
    log.speak(0, "Bruno", SpeechKind::Opening, "Forty people do not pay for a loan at nine per cent.");
    log.phase(PhaseName::Rounds);
    log.moderate(1, plan(&["Ada", "Bruno"], "Put a figure on every claim."));
    log.round(1, &["Ada", "Bruno"]);
    let cited = log.speak(1, "Ada", SpeechKind::Argument, "Forty loaves at four euros are 8,320 a year.\n\n1. The oven costs 21,000.\n2. It is paid off in **three** years.");
    log.speak(
        1,
        "Bruno",
        SpeechKind::Argument,
        "Interest and power eat 2,900 of that. Payback is *four* years, not three.",
    );
    log.moderate(1, closes("They agree on the queue and differ by a year on the payback.", RoundStatus::Settled));
    log.stop(StopRule::ModeratorSettled, 1);
    log.phase(PhaseName::FinalBallots);
    log.ballot(2, BallotStage::Final, "Ada", NOW, "Four years is still short");
    log.ballot(2, BallotStage::Final, "Bruno", NOW, "The gap is one year only");
    log.phase(PhaseName::Decision);
    (log, cited)
}

fn consensus(
    answer: &str,
    top: u32,
    eligible: u32,
    strength: Strength,
    contested: bool,
    source: ConsensusSource,
) -> Option<Consensus> {
    Some(Consensus { answer: Some(answer.to_owned()), top, eligible, strength, contested, source })
}

/// Both orders name the same winner.
pub fn decided() -> Log {
    decided_as(false)
}
pub fn decided_as(rehearsal: bool) -> Log {
    let (mut log, cited) = before_judging(rehearsal);
    let found = citation(cited, "Ada", "Forty loaves at four euros are 8,320 a year.", true);
    let lost = citation(TurnId { seat: 2, ..cited }, "Bruno", "Payback is five years", false);
    log.judge(
        2,
        0,
        Some(NOW),
        "Both accept the queue; even four years is inside the oven's life, as entry 3 shows.",
        vec![found.clone(), lost],
    );
    log.judge(2, 1, Some(NOW), "The later payback still favours buying.", vec![found]);
    log.verdict(ReachedVerdict {
        verdict: Some("Invest now, and say so by spring.".to_owned()),
        winner: Some(NOW.to_owned()),
        reasoning: Some(
            "Both accept the queue; even four years is inside the oven's life, as entry 3 shows.".to_owned(),
        ),
        consensus: consensus(NOW, 2, 2, Strength::Unanimous, false, ConsensusSource::FinalBallots),
        moved: vec!["Bruno".into()],
        ..ReachedVerdict::of(Outcome::Decided)
    });
    log.succeed(Outcome::Decided, None);
    log
}

/// The reverse order names another winner.
pub fn order_sensitive() -> Log {
    let (mut log, cited) = before_judging(false);
    log.judge(
        2,
        0,
        Some(NOW),
        "The queue is real (entry 3).",
        vec![citation(cited, "Ada", "It is paid off in three years.", true)],
    );
    log.judge(2, 1, None, "Each side is right about half: entries 2 and 3.", Vec::new());
    log.verdict(ReachedVerdict {
        consensus: consensus(NOW, 1, 2, Strength::Split, true, ConsensusSource::FinalBallots),
        ..ReachedVerdict::of(Outcome::Inconclusive)
    });
    log.succeed(Outcome::Inconclusive, Some(Reason::of(ReasonCode::OrderSensitive)));
    log
}

/// The judge finds for neither side.
pub fn synthesis() -> Log {
    let (mut log, _) = before_judging(false);
    log.judge(2, 0, None, "Buy used.", Vec::new());
    log.judge(2, 1, None, "Buy used.", Vec::new());
    log.verdict(ReachedVerdict {
        verdict: Some("Do both.".to_owned()),
        reasoning: Some("Buy used.".to_owned()),
        ..ReachedVerdict::of(Outcome::Decided)
    });
    log.succeed(Outcome::Decided, None);
    log
}

/// Votes decide; one voter is lost.
pub fn voted() -> Log {
    let mut spec = pair();
    spec.personas.push(persona("Chioma", Some(RENT), "Runs the van"));
    (spec.consensus_strategy, spec.judge, spec.moderator) = (ConsensusStrategy::Vote, None, None);
    spec.voting = Some(Voting {
        rule: VoteRule::Majority,
        self_votes: SelfVotes::Allow,
        voters: Voters::Debaters,
        every_round: false,
    });
    (spec.ballots, spec.phases) = (
        Ballots::None,
        Phases { opening_statements: false, final_statements: false, rebuttals: false, analysis: true, feedback: true },
    );
    let mut log = admitted(spec);
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bruno", "Chioma"]);
    for (who, stance) in [("Ada", NOW), ("Bruno", WAIT), ("Chioma", RENT)] {
        log.speak(1, who, SpeechKind::Argument, &format!("{stance}: the figures say so."));
    }
    log.stop(StopRule::MaxRounds, 1).phase(PhaseName::Decision);
    log.vote(2, "Ada", NOW, "It pays");
    log.vote(2, "Bruno", NOW, "It pays after all");
    let asked = log.ask(2, "Chioma", agon_core::testing::vote(Vec::new()));
    log.fail(asked, Failure::new(FailureCause::BadRequest, "unknown option `mirostat`"), None);
    let counts = vec![(NOW.to_owned(), 2), (WAIT.to_owned(), 0), (RENT.to_owned(), 0)];
    log.push(Event::VoteTallied {
        rule: Some(VoteRule::Majority),
        weights: Vec::new(),
        counts,
        eligible: 3,
        received: 2,
        winner: Some(NOW.to_owned()),
    });
    log.verdict(ReachedVerdict {
        winner: Some(NOW.to_owned()),
        consensus: consensus(NOW, 2, 3, Strength::Moderate, false, ConsensusSource::Votes),
        ..ReachedVerdict::of(Outcome::Degraded)
    });
    let missing = MissingSeat { round: 2, seat: 2, participant: "Chioma".into(), cause: FailureCause::BadRequest };
    log.end(DebateState::Succeeded, Some(Outcome::Degraded), None, vec![missing]);
    log
}

/// The round falls below its quorum.
pub fn failed() -> Log {
    let mut log = admitted(pair());
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bruno"]);
    let asked = log.ask(1, "Ada", argument());
    let again = log.fail(asked, Failure::new(FailureCause::Timeout, "no answer within 90 s"), Some(500));
    let asked = log.ask_again(again, "Ada", argument());
    log.fail(asked, Failure::new(FailureCause::Transport, "connection reset by peer"), None);
    log.push(Event::SeatSkipped { round: 1, seat: 1, participant: "Bruno".into(), reason: SkipReason::Budget });
    let missing = MissingSeat { round: 1, seat: 0, participant: "Ada".into(), cause: FailureCause::Transport };
    log.end(DebateState::Failed, None, Some(Reason::with(ReasonCode::Quorum, "0 of 2 seats, 2 needed")), vec![missing]);
    log
}

/// Ended on request after an opening statement, with usage that nobody reported.
pub fn cancelled() -> Log {
    let mut log = admitted(pair());
    log.usage = Usage::default();
    log.phase(PhaseName::OpeningStatements);
    log.speak(0, "Ada", SpeechKind::Opening, "We turn people away.");
    log.ask(0, "Bruno", Work::Opening.into());
    log.push(Event::CancelRequested { reason: "ctrl-c".to_owned() });
    log.end(DebateState::Cancelled, None, Some(Reason::of(ReasonCode::Cancelled)), Vec::new());
    log
}

/// Given up by the servers for an hour, then resumed by somebody.
pub fn resumed() -> Log {
    let mut log = running();
    log.push(Event::DebateInterrupted {
        reason: Reason::with(ReasonCode::Poison, "5 claims in a row brought nothing"),
    });
    log.now += 3_600_000;
    log.push(Event::DebateResumed { by: Some("ada".to_owned()) });
    log
}

/// Still in its first round.
pub fn running() -> Log {
    let mut log = admitted(pair());
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bruno"]);
    log.speak(1, "Ada", SpeechKind::Argument, "We turn people away.");
    log
}

/// Three debaters, two rounds, a retry, a fallback of the moderator, a resume a night later, dissent: everything a page can show.
pub fn grand(rehearsal: bool) -> Log {
    let mut spec = spec(
        "Should a bakery of nine people buy a second deck oven this year, or wait until the lease is renewed?",
        vec![
            persona(
                "Ada",
                Some(NOW),
                "Head baker; has run the floor for eleven years and counts the people who leave the queue",
            ),
            persona("Bruno", Some(WAIT), "Keeps the books, and remembers the year the flour price doubled"),
            persona("Chioma", Some(RENT), "Runs the delivery van and knows every commercial kitchen within ten miles"),
        ],
    );
    spec.context = Some("The bakery turns over 640,000 a year. Its one oven is full from five to eleven on Saturdays. A second one costs 21,000, installed; the bank offers 9.1 % over five years. The lease ends in fourteen months.".to_owned());
    let mut log = admitted_as(spec, rehearsal);
    for who in ["Ada", "Bruno", "Chioma", MODERATOR, JUDGE] {
        log.place(who);
    }
    grand_openings(&mut log);
    let cited = grand_rounds(&mut log);
    grand_decision(&mut log, cited);
    log
}

fn grand_openings(log: &mut Log) {
    log.phase(PhaseName::InitialBallots);
    log.ballot(0, BallotStage::Initial, "Ada", NOW, "Saturday customers walk to the supermarket and stay there");
    log.ballot(0, BallotStage::Initial, "Bruno", WAIT, "Nobody should fix an oven into a wall they may lose");
    log.ballot(0, BallotStage::Initial, "Chioma", RENT, "The school kitchen is empty on Saturdays");
    log.phase(PhaseName::OpeningStatements);
    log.speak(0, "Ada", SpeechKind::Opening, "We turn away about **forty** people every Saturday. I have counted them since March, on the back of the order sheets. They do not come back on Sunday; they buy somewhere else, and after a few weeks they stop looking in at all.\n\nA second oven is not a dream of growth. It is the cost of keeping the customers we already have.");
    log.speak(0, "Bruno", SpeechKind::Opening, "Forty people at four euros are 160 a week: real money, but not 21,000 of it. The lease ends in fourteen months. If the landlord does not renew, we will have paid to improve *his* building.\n\n- The loan costs 9.1 %.\n- Moving a deck oven costs 3,500.\n- Nobody has asked the landlord yet.");
    log.speak(0, "Chioma", SpeechKind::Opening, "There is a third way, and it starts next week. The school's kitchen has two convection ovens and stands empty on Saturdays. They ask 90 a day. We bake the tins there and keep the deck oven for the loaves that need stone.");
}

fn grand_rounds(log: &mut Log) -> (TurnId, TurnId) {
    log.phase(PhaseName::Rounds);
    log.moderate(
        1,
        plan(
            &["Ada", "Bruno", "Chioma"],
            "Put a figure on every claim, and say where it comes from. What would have to be true for you to be wrong?",
        ),
    );
    log.round(1, &["Ada", "Bruno", "Chioma"]);
    let cited = log.speak(1, "Ada", SpeechKind::Argument, "Bruno's 160 a week leaves out what they buy *with* the loaf. The till says the average Saturday basket is **7.40**. Forty baskets are 296 a week, so 15,392 a year.\n\n| | per year |\n| --- | ---: |\n| lost baskets | 15,392 |\n| flour, power, wages | 8,900 |\n| left over | **6,492** |\n\nThe oven is paid off in three years and three months. I would be wrong if the queue were a fashion, but it has been there for two winters.");
    let asked = log.ask(1, "Bruno", argument());
    let again = log.fail(
        asked,
        Failure::new(FailureCause::Truncated, "generation stopped at the limit of 1,024 tokens"),
        Some(0),
    );
    let asked = log.ask_again(again, "Bruno", argument());
    log.spoke(asked, SpeechKind::Argument, "I accept the basket. I do not accept that we keep all of it: interest alone takes 1,060 in the first year. That makes it nearly **four** years, and the lease ends in fourteen months.\n\n> The oven is paid off in three years and three months.\n\nOnly if we are still here. Ask the landlord first. It costs a stamp.", |_| {});
    log.speak(1, "Chioma", SpeechKind::Argument, "Renting costs 90 a Saturday, which is 4,680 a year, and can be ended with a week's notice. Against Ada's 6,492 it leaves **1,800** a year *from the first month*, with no loan. It also tells us whether the queue is real before we borrow for it.");
    log.moderate(1, closes("All three now accept the basket of 7.40. They differ on the lease: Ada would build now, Bruno would ask the landlord first, Chioma would rent until he has answered.", RoundStatus::Continue));
    log.now += 9 * 3_600_000;
    log.push(Event::Claimed { writer: NodeId::new("node-1"), epoch: 2 });
    let asked = log.ask(2, MODERATOR, Work::OpenRound.into());
    let turn = log.fail(
        asked,
        Failure::new(FailureCause::Malformed, "next_speakers names \"Claire\"; the roster is Ada, Bruno, Chioma"),
        None,
    );
    let everybody = ["Ada", "Bruno", "Chioma"].map(ParticipantId::from).to_vec();
    let decision = ModeratorDecision::Opens(RoundPlan { next_speakers: everybody, ..RoundPlan::default() });
    log.push(Asked::at(turn, MODERATOR).fallback(decision));
    log.round(2, &["Ada", "Bruno", "Chioma"]);
    log.speak(2, "Ada", SpeechKind::Argument, "The school is a good bridge for tins, but forty per cent of what we sell out of is stone-baked. Chioma's 1,800 assumes that we can sell tins to people who came for sourdough. Write to the landlord **this week**, and order the oven when he signs.");
    let second = log.speak(2, "Bruno", SpeechKind::Argument, "Then we agree on more than it seems: ask first, rent meanwhile, buy after the signature. What is left of my position is the order of the steps.");
    log.usage = Usage::default();
    log.speak(
        2,
        "Chioma",
        SpeechKind::Argument,
        "I can have the school's keys by Friday. If the landlord signs, I will help carry the oven in.",
    );
    log.usage = Usage { prompt_tokens: Some(1840), cached_tokens: Some(1612), completion_tokens: Some(188) };
    log.moderate(
        2,
        closes(
            "One order of steps: ask the landlord, rent the school's kitchen meanwhile, buy when he signs.",
            RoundStatus::Settled,
        ),
    );
    log.stop(StopRule::ModeratorSettled, 2);
    (cited, second)
}

fn grand_decision(log: &mut Log, (first, second): (TurnId, TurnId)) {
    log.phase(PhaseName::FinalStatements);
    log.speak(3, "Ada", SpeechKind::Closing, "Keep the customers we have: letter this week, order on signature.");
    log.speak(3, "Bruno", SpeechKind::Closing, "I move towards Ada, with the landlord's signature in between.");
    log.speak(3, "Chioma", SpeechKind::Closing, "Renting first is cheaper than being wrong. The first Saturday in a rented kitchen will teach us more about that queue than any table, and it commits us to nothing but one Saturday and ninety euros.");
    log.phase(PhaseName::FinalBallots);
    log.ballot(3, BallotStage::Final, "Ada", NOW, "The basket settles it");
    log.ballot(3, BallotStage::Final, "Bruno", NOW, "With a signed lease the payback is short enough");
    log.ballot(3, BallotStage::Final, "Chioma", RENT, "The queue should be tested before it is borrowed against");
    log.phase(PhaseName::Decision);
    let basket = citation(first, "Ada", "Forty baskets are 296 a week, so 15,392 a year.", true);
    let steps = citation(second, "Bruno", "ask first, rent meanwhile, buy after the signature", true);
    let invented = citation(
        TurnId { round: 1, seat: 3, attempt: 1 },
        "Chioma",
        "The school would let us have the kitchen for free",
        false,
    );
    let reasoning = "All three accept Speaker B's basket of 7.40 after round 1, and with it a payback of three to four years.\n\nThe strongest objection is the lease. It is answered by making the order depend on the signature, which Speaker A himself proposes in entry 8. Renting is a bridge to that day and not a rival of it.";
    log.judge(3, 0, Some(NOW), reasoning, vec![basket.clone(), steps.clone()]);
    log.judge(
        3,
        1,
        Some(NOW),
        "The same follows in reverse: renting is a bridge to buying, not a rival of it.",
        vec![basket, invented],
    );
    log.verdict(ReachedVerdict {
        verdict: Some("Buy the oven this year, on the day the landlord signs the new lease; until then bake tins in the school's kitchen.".to_owned()),
        winner: Some(NOW.to_owned()),
        reasoning: Some(reasoning.to_owned()),
        consensus: consensus(NOW, 2, 3, Strength::Moderate, false, ConsensusSource::FinalBallots),
        moved: vec!["Bruno".into()],
        ..ReachedVerdict::of(Outcome::Decided)
    });
    log.succeed(Outcome::Decided, None);
}
