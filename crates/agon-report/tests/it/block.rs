//! The result in ten seconds: the block that ends a run and heads the reports.
use crate::log::{Log, ReachedVerdict, admitted, argument};
use crate::shown::{block, minutes};
use crate::{formats, scenes};
use agon_core::*;
use agon_report::{DebateResult, ResultBlock, full_markdown, html, summary_only};

/// What stands behind a label.
fn row(log: &Log, label: &str) -> Option<String> {
    let block = block(log);
    let line = block.lines().find(|line| line.starts_with(label))?;
    Some(line[label.len()..].trim().to_owned())
}

#[test]
fn the_winning_proposal_stands_in_every_report_as_it_was_last_revised() {
    let log = formats::critiques();
    let verdict = DebateResult::of(&minutes(&log)).verdict.unwrap();
    assert_eq!(verdict.text.as_deref(), Some("Buy on signature.\n\nMy answer: Invest now"));
    assert_eq!(verdict.author.as_deref(), Some("Ada"));
    let title = "The proposal of Ada, as revised in round 1";
    assert!(block(&log).contains(&format!("{title}:\n  Buy on signature.\n")), "{}", block(&log));
    for page in [full_markdown(&minutes(&log)), summary_only(&minutes(&log))] {
        assert!(page.contains(&format!("*{title}:*\n\n> Buy on signature.\n")), "{page}");
    }
    let page = html(&minutes(&log)).unwrap();
    let (head, _) = page.split_once("</header>").unwrap();
    assert!(head.contains(title) && head.contains("<p>Buy on signature.</p>"), "{head}");
}

#[test]
fn the_page_shows_what_the_revisions_changed_in_the_first_draft() {
    let page = html(&minutes(&formats::critiques())).unwrap();
    let (_, diff) = page.split_once("<p class=\"diff\" dir=\"auto\">").unwrap();
    let (diff, _) = diff.split_once("</p>").unwrap();
    assert!(diff.contains("<del>My proposal.</del><ins>Buy on signature.</ins>"), "{diff}");
    assert!(diff.contains("My answer: Invest now"), "{diff}");
    assert!(page.contains("since the first draft: 3 words added, 2 words removed</summary>"), "{page}");
    assert!(!html(&minutes(&scenes::decided())).unwrap().contains("class=\"diff\""));
}

#[test]
fn words_that_the_file_keeps_out_are_not_the_answers_text_either() {
    let mut log = formats::critiques();
    log.spec_mut().visible.debaters.history = false;
    let verdict = DebateResult::of(&minutes(&log)).verdict.unwrap();
    assert_eq!((verdict.text, verdict.author.as_deref()), (None, Some("Ada")));
    assert!(!block(&log).contains("My answer"), "{}", block(&log));
}

#[test]
fn a_synthesis_says_what_it_is_and_whose() {
    let log = scenes::synthesis();
    assert!(
        block(&log).contains("Decided: A synthesis: no side won\n\nThe synthesis, by the judge:\n  Do both.\n"),
        "{}",
        block(&log)
    );
    let verdict = DebateResult::of(&minutes(&log)).verdict.unwrap();
    assert_eq!((verdict.text.as_deref(), verdict.author.as_deref()), (Some("Do both."), Some("judge")));
}

/// The moderator closes the last round with `decision`, and `verdict` is what it makes of it in the end.
fn mediated(status: RoundStatus, decision: Option<&str>, verdict: &str) -> Log {
    let mut log = scenes::synthesis();
    log.spec_mut().consensus_strategy = ConsensusStrategy::MediatorSummary;
    for event in log.records.iter_mut().flat_map(|record| &mut record.events) {
        match event {
            Event::Answered(Answered {
                given: Given::Decision { decision: ModeratorDecision::Closes(closing) },
                ..
            }) => {
                (closing.status, closing.decision) = (status, decision.map(str::to_owned));
            }
            Event::VerdictReached { verdict: reached, .. } => *reached = Some(verdict.to_owned()),
            _ => {}
        }
    }
    log
}

#[test]
fn a_question_that_the_moderator_settled_is_headed_by_its_decision() {
    let settled = "The decision of the moderator, which settled the question";
    let cases = [
        // the decision in front of the synthesis, and the synthesis alone where it says it in its own words
        ("Rent it first.\n\nBuy when the lease is signed.", Some("Buy when the lease is signed.")),
        ("So: rent it first. Then buy.", Some("So: rent it first. Then buy.")),
        ("Rent it first.", None),
    ];
    for (verdict, synthesis) in cases {
        let log = mediated(RoundStatus::Settled, Some("Rent it first."), verdict);
        let told = block(&log);
        let head = format!("Decided: Rent it first.\n\n{settled}:\n  Rent it first.\n");
        assert!(told.contains(&head), "{told}");
        let apart = synthesis.map(|text| format!("\n\nThe synthesis, by the moderator:\n  {text}\n"));
        assert!(apart.as_ref().is_none_or(|apart| told.contains(apart)), "{told}");
        assert_eq!(told.contains("The synthesis, by"), apart.is_some(), "{told}");
        for page in [full_markdown(&minutes(&log)), summary_only(&minutes(&log))] {
            assert!(page.contains("**Decided:** Rent it first."), "{page}");
            assert!(page.contains(&format!("*{settled}:*\n\n> Rent it first.\n")), "{page}");
        }
        let page = html(&minutes(&log)).unwrap();
        let (head, _) = page.split_once("</header>").unwrap();
        assert!(head.contains(settled) && !head.contains("no side won"), "{head}");
        let result = DebateResult::of(&minutes(&log)).verdict.unwrap();
        assert_eq!((result.decision.as_deref(), result.verdict.as_deref()), (Some("Rent it first."), Some(verdict)));
    }
}

#[test]
fn a_decision_that_settled_nothing_heads_the_result_only_where_it_is_the_verdict() {
    let told = block(&mediated(RoundStatus::Continue, Some("Rent it first."), "Rent it first."));
    let head = "Decided: Rent it first.\n\nThe last decision of the moderator:\n  Rent it first.\n";
    assert!(told.contains(head), "{told}");
    for decision in [Some("Rent it first."), None] {
        let told = block(&mediated(RoundStatus::Continue, decision, "Do both."));
        let head = "Decided: A synthesis: no side won\n\nThe synthesis, by the moderator:\n  Do both.\n";
        assert!(told.contains(head), "{told}");
    }
}

#[test]
fn where_votes_decide_the_last_word_for_the_winner_is_its_text() {
    let verdict = DebateResult::of(&minutes(&scenes::voted())).verdict.unwrap();
    assert_eq!(verdict.text.as_deref(), Some("Invest now: the figures say so."));
    assert_eq!(verdict.author.as_deref(), Some("Ada"));
}

#[test]
fn the_block_says_how_it_was_decided_by_whom_and_on_what() {
    assert_eq!(
        row(&scenes::decided(), "How").unwrap(),
        "by the judge (qwen3:8b), the same in both orders; 1 of 2 quotations verified"
    );
    assert_eq!(
        row(&scenes::voted(), "How").unwrap(),
        "by majority vote of the debaters: Invest now: 2 votes, Wait a year: 0 votes, Rent the capacity: 0 votes; 2 of 3 eligible votes came"
    );
    let how = row(&scenes::order_sensitive(), "How").unwrap();
    assert!(how.starts_with("not decided: the judge named another winner"), "{how}");
    assert!(how.contains("order 1: “Invest now”, order 2: a synthesis"), "{how}");
    let how = row(&formats::critiques(), "How").unwrap();
    assert!(how.starts_with("by 0 of 2 judges; Judge was heard in 1 of 2 orders, Judge 2 changed"), "{how}");
}

#[test]
fn the_block_names_who_is_for_and_against_and_who_changed() {
    let decided = scenes::decided();
    assert_eq!(row(&decided, "For").unwrap(), "Ada, Bruno (changed from “Wait a year”)");
    assert_eq!(row(&decided, "Against").unwrap(), "nobody");
    let critiques = formats::critiques();
    assert_eq!(row(&critiques, "For").unwrap(), "Ada, Bruno (changed from “Chioma”)");
    assert_eq!(row(&critiques, "Against").unwrap(), "Chioma for its own");
    assert_eq!(
        row(&scenes::order_sensitive(), "For").unwrap(),
        "“Invest now”: Ada, Bruno (changed from “Wait a year”)"
    );
}

#[test]
fn where_votes_decide_a_voter_is_for_what_it_ranks_first_or_approves_of() {
    let sides = |rule| {
        let mut log = scenes::voted();
        for record in &mut log.records {
            for event in &mut record.events {
                match event {
                    Event::VoteTallied { rule: tallied, .. } => *tallied = Some(rule),
                    Event::Answered(Answered { participant, given: Given::Vote { choice, choices, .. }, .. })
                        if participant.as_str() == "Bruno" =>
                    {
                        *choice = scenes::WAIT.to_owned();
                        *choices = vec![scenes::WAIT.to_owned(), scenes::NOW.to_owned()];
                    }
                    _ => {}
                }
            }
        }
        (row(&log, "For").unwrap(), row(&log, "Against").unwrap())
    };
    assert_eq!(sides(VoteRule::Borda), ("Ada".to_owned(), "Bruno for “Wait a year”".to_owned()));
    assert_eq!(sides(VoteRule::Approval), ("Ada, Bruno".to_owned(), "nobody".to_owned()));
}

#[test]
fn the_strongest_objection_that_nobody_answered_is_named() {
    let mut log = formats::critiques();
    assert_eq!(row(&log, "Left open").unwrap(), "nothing: every attack was answered");
    let revises = |event: &Event| matches!(event, Event::Answered(said @ Answered { given: Given::Speech(speech), .. }) if speech.kind == SpeechKind::Revision && said.participant.as_str() == "Ada");
    log.records.retain(|record| !record.events.iter().any(revises));
    assert_eq!(
        row(&log, "Left open").unwrap(),
        "critique by Bruno of Ada in round 1, severity 8 of 10, neither accepted nor declined: “The lease ends in fourteen months.”"
    );
    assert!(block(&log).contains("The proposal of Ada, never revised:"), "{}", block(&log));
}

#[test]
fn the_report_comes_last() {
    let log = scenes::decided();
    let block = ResultBlock::of(&minutes(&log)).with("Report", "agon-reports/x/report.html");
    let last = block.lines().last().unwrap().to_string();
    assert_eq!(last, "Report     agon-reports/x/report.html");
}

#[test]
fn the_block_of_every_kind_of_debate() {
    let others = [scenes::decided(), scenes::order_sensitive(), scenes::synthesis(), scenes::voted(), scenes::failed()];
    let more = [scenes::cancelled(), scenes::running(), scenes::grand(false)];
    let blocks: Vec<String> = formats::all().iter().chain(&others).chain(&more).map(block).collect();
    insta::assert_snapshot!(blocks.join("\n"));
}

#[test]
fn a_debate_that_goes_on_says_who_was_asked_and_has_not_answered() {
    let mut log = admitted(scenes::pair());
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bruno"]);
    let asked = log.ask(1, "Ada", argument());
    let open = row(&log, "Open").unwrap();
    assert!(open.starts_with("Ada, argument, asked of ") && open.ends_with(" UTC"), "{open}");
    assert!(row(&log, "Cost").unwrap().contains(" up to the last event"), "{}", block(&log));
    log.fail(asked, Failure::new(FailureCause::Timeout, "late"), None);
    assert_eq!(row(&log, "Open"), None);
}

#[test]
fn everybody_who_shares_the_judge_s_model_is_named_once_a_judge_was_asked() {
    let mut spec = scenes::pair();
    let judge = spec.judge.as_ref().unwrap().voice.model.clone();
    spec.personas.iter_mut().for_each(|persona| persona.voice.model = judge.clone());
    let mut log = admitted(spec);
    let told = |log: &Log| {
        let warnings = DebateResult::of(&minutes(log)).warnings;
        warnings.into_iter().find(|warning| warning.contains("the same model"))
    };
    assert_eq!(told(&log), None, "no judge was asked");
    log.judge(2, 0, None, "Both are right.", Vec::new());
    let named = format!("The judge, Ada and Bruno are the same model ({judge}); a judge may favour its own kind.");
    assert_eq!(told(&log), Some(named));
}

#[test]
fn whose_final_ballot_is_missing_is_named_whatever_decided() {
    assert_eq!(row(&scenes::decided(), "No ballot"), None);
    let cast = |event: &Event, who: Option<&str>| {
        let Event::Answered(Answered { participant, given: Given::Ballot { stage: BallotStage::Final, .. }, .. }) =
            event
        else {
            return false;
        };
        who.is_none_or(|who| participant.as_str() == who)
    };
    let mut one = scenes::decided();
    one.records.retain(|record| !record.events.iter().any(|event| cast(event, Some("Bruno"))));
    assert_eq!(row(&one, "No ballot").as_deref(), Some("Bruno at the end"));
    assert_eq!(row(&one, "For").as_deref(), Some("Ada"), "who is silent is for nobody");
    let mut none = scenes::decided();
    none.records.retain(|record| !record.events.iter().any(|event| cast(event, None)));
    for event in none.records.iter_mut().flat_map(|record| &mut record.events) {
        if let Event::VerdictReached { moved, .. } = event {
            moved.clear();
        }
    }
    assert_eq!(row(&none, "No ballot").as_deref(), Some("Ada, Bruno at the end"));
    let mut voted = scenes::voted();
    assert_eq!(row(&voted, "No ballot"), None, "none was wanted");
    voted.spec_mut().ballots = Ballots::Both;
    assert_eq!(row(&voted, "No ballot").as_deref(), Some("Ada, Bruno, Chioma at the end"));
    for page in [html(&minutes(&none)).unwrap(), full_markdown(&minutes(&none))] {
        assert!(page.contains("No ballot") && !page.contains("Nobody changed their ballot"), "{page}");
    }
    assert!(full_markdown(&minutes(&none)).contains("Nobody cast both ballots, so it is unknown who changed."));
}

#[test]
fn what_the_budget_cut_off_is_said_in_the_head() {
    assert_eq!(row(&scenes::decided(), "Cut short"), None);
    let mut log = scenes::decided();
    for event in log.records.iter_mut().flat_map(|record| &mut record.events) {
        if let Event::LoopEnded { rule, .. } = event {
            *rule = StopRule::TokenBudget;
        }
    }
    assert_eq!(row(&log, "Cut short").as_deref(), Some("the token budget left no room for more (round 1)"));
    let mut log = scenes::before_judging(false).0;
    log.push(Event::SeatSkipped { round: 2, seat: 7, participant: "Ada".into(), reason: SkipReason::Budget });
    log.verdict(ReachedVerdict::of(Outcome::Inconclusive));
    log.succeed(Outcome::Inconclusive, None);
    assert_eq!(row(&log, "Cut short").as_deref(), Some("the budget left no room for 1 turn"));
    let page = html(&minutes(&log)).unwrap();
    let (head, _) = page.split_once("</header>").unwrap();
    assert!(head.contains("<dt>Cut short</dt><dd dir=\"auto\">the budget left no room for 1 turn</dd>"), "{head}");
}

#[test]
fn a_new_judgement_names_the_debate_whose_speeches_it_is_about() {
    assert_eq!(row(&scenes::decided(), "Rejudged"), None);
    let mut log = scenes::decided();
    if let Event::DebateAdmitted(admission) = &mut log.records[0].events[0] {
        admission.rejudges = Some(DebateId::parse("old-1").unwrap());
    }
    let told = block(&log);
    assert!(told.contains("\nRejudged   a new judgement, of ") && told.contains("debate old-1"), "{told}");
    let page = html(&minutes(&log)).unwrap();
    assert!(page.contains("<span>· winner</span> <span>· new judgement</span>"), "{page}");
    assert_eq!(DebateResult::of(&minutes(&log)).rejudges.as_deref(), Some("old-1"));
}

#[test]
fn scores_beside_the_decision_are_shown_and_said_to_decide_nothing() {
    let mut log = scenes::decided();
    assert_eq!(row(&log, "Scores"), None);
    let names: Vec<String> = log.spec_mut().personas.iter().map(|persona| persona.name.to_string()).collect();
    log.spec_mut().scoring = Scoring::Anonymous;
    let scored = |by: usize, of: usize, n: u8| {
        let score = Score { clarity: n, evidence: n, originality: n, on_topic: n };
        let scores = vec![DebaterScore { debater: names[of].as_str().into(), score }];
        let turn = TurnId { round: 3, seat: 40 + u32::try_from(by).unwrap(), attempt: 1 };
        agon_core::testing::Asked::at(turn, &names[by]).debaters_scored(scores)
    };
    // 4 scales of 7 and of 5
    for event in [scored(0, 1, 7), scored(1, 0, 5)] {
        log.push(event);
    }
    let wanted =
        format!("{}: mean 28 of 40, {}: mean 20 of 40; by the debaters, and they decide nothing", names[1], names[0]);
    assert_eq!(row(&log, "Scores"), Some(wanted));
    let result = DebateResult::of(&minutes(&log));
    let means = vec![(names[1].clone(), 28_000), (names[0].clone(), 20_000)];
    assert_eq!(result.scoring.map(|scoring| (scoring.means, scoring.scores.len())), Some((means, 2)));
}
