//! What the reports say of a decision: of whom, of what, and in which unit.
use crate::log::{Log, ReachedVerdict, admitted, persona, spec};
use crate::scenes::{NOW, RENT, WAIT};
use crate::shown::{live, minutes};
use agon_core::*;
use agon_report::{DebateResult, ResultBlock, full_markdown, html, summary_only};

const CAST: [(&str, &str); 3] = [("Ada", NOW), ("Bruno", WAIT), ("Chioma", RENT)];

fn trio(change: impl FnOnce(&mut DebateSpec)) -> Log {
    let cast = CAST.map(|(name, stance)| persona(name, Some(stance), "Baker")).to_vec();
    let mut spec = spec("Should the bakery buy the second oven this year?", cast);
    change(&mut spec);
    let mut log = admitted(spec);
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bruno", "Chioma"]);
    for (who, stance) in CAST {
        log.speak(1, who, SpeechKind::Argument, &format!("{stance}, I say."));
    }
    log.stop(StopRule::MaxRounds, 1);
    log
}

/// Ends the debate with this winner, and this consensus if there is one.
fn won(log: &mut Log, winner: &str, consensus: Option<Consensus>) {
    log.verdict(ReachedVerdict { winner: Some(winner.to_owned()), consensus, ..ReachedVerdict::of(Outcome::Decided) });
    log.succeed(Outcome::Decided, None);
}

fn consensus(contested: bool, source: ConsensusSource) -> Consensus {
    let answer = Some(NOW.to_owned());
    Consensus { answer, top: 2, eligible: 3, strength: Strength::Moderate, contested, source }
}

fn voting(rule: VoteRule, voters: Voters, every_round: bool) -> Option<Voting> {
    Some(Voting { rule, self_votes: SelfVotes::Allow, voters, every_round })
}

fn rank(log: &mut Log, judge: &str, order: u32, names: [&str; 3]) {
    let reason = "Speaker A answered entry 2.".to_owned();
    let ranking = names.map(|name| Ranked { candidate: name.to_owned(), reason: reason.clone() }).to_vec();
    log.rank(2, judge, order, ranking);
}

#[test]
fn a_debater_who_wins_has_beaten_the_others_and_not_its_own_stance() {
    let mut log = trio(|spec| spec.consensus_strategy = ConsensusStrategy::RankedReasons);
    for (who, choice) in [("Ada", NOW), ("Bruno", NOW), ("Chioma", RENT)] {
        log.ballot(2, BallotStage::Final, who, choice, "in the end");
    }
    won(&mut log, "Ada", None);
    let page = full_markdown(&minutes(&log));
    for line in ["Did not win: **Bruno**. Last word, by Bruno: “Wait", "Did not win: **Chioma**.", "Chioma still holds"]
    {
        assert!(page.contains(line), "{line}: {page}");
    }
    for line in ["Did not win: **Ada**", "Did not win: **Invest now**", "Ada still holds", "Bruno still holds"] {
        assert!(!page.contains(line), "{line}: {page}");
    }
}

#[test]
fn an_answer_that_won_in_other_spelling_is_no_dissent() {
    let mut log = trio(|spec| (spec.mode, spec.consensus_strategy) = (Mode::Deliberative, ConsensusStrategy::Vote));
    for (who, choice) in [("Ada", "Buy it"), ("Bruno", "buy it."), ("Chioma", "Rent it")] {
        log.ballot(2, BallotStage::Final, who, choice, "in the end");
    }
    log.push(Event::VoteTallied {
        rule: Some(VoteRule::Majority),
        counts: vec![("Buy it".to_owned(), 2), ("Rent it".to_owned(), 1)],
        weights: Vec::new(),
        eligible: 3,
        received: 3,
        winner: Some("Buy it".to_owned()),
    });
    won(&mut log, "Buy it", None);
    let page = summary_only(&minutes(&log));
    assert!(page.contains("Did not win: **Rent it**") && page.contains("Chioma still holds"), "{page}");
    assert!(!page.contains("Bruno still holds") && !page.contains("Did not win: **Invest now**"), "{page}");
}

#[test]
fn judges_who_rank_differently_disagree() {
    let mut log = trio(|spec| {
        spec.consensus_strategy = ConsensusStrategy::RankedReasons;
        spec.judge.as_mut().unwrap().orders = 1;
    });
    rank(&mut log, JUDGE, 0, ["Ada", "Bruno", "Chioma"]);
    rank(&mut log, "judge-2", 0, ["Bruno", "Ada", "Chioma"]);
    won(&mut log, "Ada", Some(consensus(true, ConsensusSource::FinalBallots)));
    let result = DebateResult::of(&minutes(&log));
    assert_eq!(result.consensus.unwrap().contested_by, ["the judges disagreed"]);
    assert_eq!(result.rankings[0].entries.len(), 3);
    assert_eq!(result.rankings[0].labels.len(), 3);
    let page = full_markdown(&minutes(&log));
    assert!(page.contains("Key to the judge's view: Speaker A = ") && page.contains("entry 2: "), "{page}");
}

#[test]
fn a_severe_critique_that_nobody_took_up_is_named_as_the_reason() {
    let critique = |log: &mut Log, by: &str, of: &str| {
        let critique = Critique { severity: 8, issues: vec!["the lease".to_owned()], suggestions: Vec::new() };
        log.critique(1, by, of, critique);
    };
    for (answered, expected) in [(true, &[][..]), (false, &["a severe critique stands unanswered"][..])] {
        let mut log = trio(|_| {});
        critique(&mut log, "Bruno", "Ada");
        if answered {
            log.speak_as(1, "Ada", SpeechKind::Revision, "On signature.", |speech| {
                speech.accepted = vec!["Bruno".into()];
            });
        }
        won(&mut log, NOW, Some(consensus(true, ConsensusSource::FinalBallots)));
        assert_eq!(DebateResult::of(&minutes(&log)).consensus.unwrap().contested_by, expected);
    }
}

#[test]
fn votes_of_every_round_are_votes_and_not_voters() {
    let mut log = trio(|spec| {
        spec.consensus_strategy = ConsensusStrategy::Vote;
        spec.voting = voting(VoteRule::Weighted, Voters::Debaters, true);
    });
    log.push(Event::VoteTallied {
        rule: Some(VoteRule::Weighted),
        counts: vec![(NOW.to_owned(), 4_000), (WAIT.to_owned(), 2_000)],
        weights: CAST
            .map(|(name, _)| VoterWeight {
                voter: name.into(),
                elo: None,
                calibration: None,
                confidence: None,
                thousandths: 1_000,
            })
            .to_vec(),
        eligible: 9,
        received: 6,
        winner: None,
    });
    let share =
        Consensus { top: 4, eligible: 9, strength: Strength::Split, ..consensus(false, ConsensusSource::Votes) };
    won(&mut log, NOW, Some(share));
    let page = full_markdown(&minutes(&log));
    assert!(page.contains("6 of 9 eligible votes came."), "{page}");
    assert!(page.contains("4 of 9 eligible votes for “Invest now”"), "{page}");
    // Four of nine thousand: the bar is not full because one round's weight is reached.
    let page = html(&minutes(&log)).unwrap();
    assert!(page.contains(r#"<rect class="fill" width="44" height="6"/>"#), "no bar of 44 in a hundred");
}

#[test]
fn where_judges_vote_the_consensus_is_theirs() {
    let mut log = trio(|spec| {
        spec.consensus_strategy = ConsensusStrategy::Vote;
        spec.voting = voting(VoteRule::Majority, Voters::Judges, false);
    });
    won(&mut log, NOW, Some(consensus(false, ConsensusSource::Votes)));
    let page = summary_only(&minutes(&log));
    assert!(page.contains("moderate among the judges: 2 of 3 eligible votes for"), "{page}");
}

#[test]
fn a_debate_that_lacks_only_its_synthesis_misses_no_seats() {
    let mut log = trio(|_| {});
    won(&mut log, NOW, None);
    log.records.pop();
    let reason = Some(Reason::of(ReasonCode::SynthesisFailed));
    log.succeed(Outcome::Degraded, reason);
    let page = summary_only(&minutes(&log));
    assert!(page.contains("**Decided without the synthesis that was wanted:** Invest now"), "{page}");
}

#[test]
fn without_first_ballots_nothing_is_said_of_who_moved() {
    for (ballots, said) in [(Ballots::Both, true), (Ballots::FinalOnly, false)] {
        let mut log = trio(|spec| spec.ballots = ballots);
        if ballots == Ballots::Both {
            log.ballot(0, BallotStage::Initial, "Ada", WAIT, "so far");
        }
        log.ballot(2, BallotStage::Final, "Ada", NOW, "in the end");
        won(&mut log, NOW, None);
        let block: Vec<String> = ResultBlock::of(&minutes(&log)).lines().iter().map(ToString::to_string).collect();
        assert_eq!(block.iter().any(|line| line.contains("changed from")), said, "{ballots:?}: {block:?}");
    }
}

#[test]
fn a_reading_tells_how_many_of_its_quotations_were_found() {
    let mut log = trio(|_| {});
    let turn = TurnId { round: 1, seat: 0, attempt: 1 };
    let citation = |verified| Citation {
        turn: Some(turn),
        participant: Some("Ada".into()),
        quote: format!("said {verified}"),
        verified,
        too_short: false,
    };
    log.judge(2, 0, Some(NOW), "The queue.", vec![citation(true), citation(false)]);
    log.judge(2, 1, Some(WAIT), "The lease.", vec![citation(true)]);
    let reason = Some(Reason::of(ReasonCode::OrderSensitive));
    log.succeed(Outcome::Inconclusive, reason);
    let result = DebateResult::of(&minutes(&log));
    let shares = result.judgements.iter().map(|one| (one.citations_verified.verified, one.citations_verified.total));
    assert_eq!(shares.collect::<Vec<_>>(), [(1, 2), (1, 1)]);
    let page = summary_only(&minutes(&log));
    assert!(page.contains("**Invest now** (1 of 2 citations verified, 1 of 1 claim without a citation)"), "{page}");
    assert!(html(&minutes(&log)).unwrap().contains("1 of 2 citations verified"));
}

#[test]
fn how_sure_a_voter_is_stands_beside_its_choice() {
    let mut log = trio(|spec| spec.answers.confidence = true);
    log.ballot(2, BallotStage::Final, "Ada", NOW, "so");
    won(&mut log, NOW, None);
    let none = shown(&log);
    assert!(none.iter().all(|report| !report.contains("sure)")), "{none:?}");
    let cast = log.records.iter_mut().flat_map(|record| &mut record.events).find_map(|event| match event {
        Event::Answered(Answered { given: Given::Ballot { confidence, .. }, .. }) => Some(confidence),
        _ => None,
    });
    *cast.unwrap() = Some(80);
    assert!(shown(&log).iter().all(|report| report.contains("(80 % sure)")));
    assert_eq!(DebateResult::of(&minutes(&log)).ballots[0].confidence, Some(80));
}

/// Markdown, page and the lines of a terminal.
fn shown(log: &Log) -> [String; 3] {
    [full_markdown(&minutes(log)), html(&minutes(log)).unwrap(), live(log)]
}

#[test]
fn an_answer_that_was_coerced_is_a_warning() {
    let mut log = trio(|_| {});
    log.judge(2, 0, Some(NOW), "The queue.", Vec::new());
    won(&mut log, NOW, None);
    let judged = log.records.iter_mut().flat_map(|record| &mut record.events).find_map(|event| match event {
        Event::Answered(Answered { given: Given::Judgement { .. }, call, .. }) => Some(call),
        _ => None,
    });
    let (field, from, to) = ("winner".to_owned(), "\"NOW!\"".to_owned(), format!("\"{NOW}\""));
    judged.unwrap().coerced.push(Coercion { field, from, to });
    let warnings = DebateResult::of(&minutes(&log)).warnings;
    let told = r#"Judge answered "NOW!" as winner (r2-s0-a1); it was read as "Invest now"."#;
    assert!(warnings.iter().any(|warning| warning == told), "{warnings:?}");
}

#[test]
fn answers_that_were_to_be_shorter_for_a_slow_model_are_a_warning() {
    let mut log = trio(|_| {});
    won(&mut log, NOW, None);
    let mut speeds = [2.5, 2.0].into_iter();
    for event in log.records.iter_mut().flat_map(|record| &mut record.events) {
        if let Event::Answered(said @ Answered { given: Given::Speech(_), .. }) = event
            && let Some(speed) = speeds.next()
        {
            said.call.model = Some("slow:7b".into());
            said.call.options.tokens_per_second = Some(speed);
            said.call.options.max_tokens = Some(150);
        }
    }
    let warnings = DebateResult::of(&minutes(&log)).warnings;
    let told =
        "`max_tokens` was lowered for 2 answers of slow:7b, to 150 at the least: it generated 2.0 tokens a second.";
    assert!(warnings.iter().any(|warning| warning == told), "{warnings:?}");
}

#[test]
fn a_quotation_that_is_too_short_is_said_to_be_so_and_not_to_be_missing() {
    let mut log = trio(|_| {});
    let (turn, participant) = (Some(TurnId { round: 1, seat: 0, attempt: 1 }), Some("Ada".into()));
    let short = Citation { turn, participant, quote: "now".to_owned(), verified: false, too_short: true };
    log.judge(2, 0, Some(NOW), "The queue.", vec![short.clone()]);
    log.judge(2, 1, Some(NOW), "The queue.", vec![short]);
    won(&mut log, NOW, None);
    let minutes = minutes(&log);
    let result = serde_json::to_value(DebateResult::of(&minutes)).unwrap();
    assert_eq!(result["verdict"]["citations"][0]["too_short"], true);
    for page in [full_markdown(&minutes), html(&minutes).unwrap()] {
        assert!(page.contains("too short to verify") && !page.contains("not found"), "{page}");
    }
    assert!(full_markdown(&minutes).contains("Too short to verify: 1 of the judge's 1 citation."));
}

#[test]
fn the_key_to_a_judge_who_was_shown_less_has_the_numbers_of_what_it_was_shown() {
    let mut log = trio(|spec| {
        spec.memory = Memory::RollingWindow;
        spec.windows.memory_window = 2;
        spec.judge.as_mut().unwrap().shuffle_for_judge = false;
    });
    log.judge(2, 0, Some(NOW), "Entry 1 decides.", Vec::new());
    let asked = log.records.iter_mut().rev().find_map(|record| match record.events.first_mut() {
        Some(Event::TurnAsked(ask)) => Some(ask),
        _ => None,
    });
    asked.unwrap().kept = true;
    won(&mut log, NOW, None);
    let entries = DebateResult::of(&minutes(&log)).judgements.remove(0).entries;
    let shown: Vec<(u32, &str)> = entries.iter().map(|one| (one.entry, one.participant.as_str())).collect();
    assert_eq!(shown, [(1, "Bruno"), (2, "Chioma")]);
}

#[test]
fn what_each_judge_of_a_split_panel_found_is_told_once() {
    let mut log = trio(|spec| spec.judge.as_mut().unwrap().panel = 3);
    for (judge, winner) in [("judge", NOW), ("judge-2", WAIT), ("judge-3", RENT)] {
        let task = agon_core::testing::judging(0, Vec::new());
        log.answer(2, judge, task, |asked| {
            asked.judgement(0, &format!("{winner}."), Some(winner), "Entry 2 stands.", Vec::new())
        });
    }
    let detail = format!("no winner has more than half of the judges: judge: {NOW}; judge-2: {WAIT}; judge-3: {RENT}");
    let reason = Reason::with(ReasonCode::PanelSplit, detail);
    log.verdict(ReachedVerdict { reason: Some(reason.clone()), ..ReachedVerdict::of(Outcome::Inconclusive) });
    log.succeed(Outcome::Inconclusive, Some(reason));
    let block = ResultBlock::of(&minutes(&log));
    let how = block.lines().iter().map(ToString::to_string).find(|line| line.starts_with("How")).unwrap();
    assert!(how.contains("not decided: ") && how.contains("by a panel of 3 judges"), "{how}");
    assert_eq!((how.matches(WAIT).count(), how.matches("by 0 of").count()), (1, 0), "{how}");
}
