//! The analysis: each figure from a small log.
mod told;

use crate::formats;
use crate::hostile::hostile;
use crate::log::{Log, ReachedVerdict, admitted, argument, persona, spec};
use crate::page::Html;
use crate::scenes::{self, NOW, RENT, WAIT, citation};
use crate::shown::minutes;
use agon_core::*;
use agon_report::*;
use proptest::prelude::*;

fn analysis(log: &Log) -> Analysis {
    Analysis::of(&minutes(log)).unwrap()
}
/// Ends with a verdict that names no winner.
fn ended(mut log: Log) -> Log {
    ended_as(&mut log, MajorityShift::None, None);
    log
}
fn ended_as(log: &mut Log, majority: MajorityShift, winner: Option<&str>) {
    log.verdict(ReachedVerdict {
        verdict: Some("So be it.".to_owned()),
        winner: winner.map(str::to_owned),
        majority,
        ..ReachedVerdict::of(Outcome::Decided)
    });
    log.succeed(Outcome::Decided, None);
}
/// Ada for now, Bruno for waiting, Chioma for renting.
fn trio() -> Log {
    let cast = [("Ada", NOW), ("Bruno", WAIT), ("Chioma", RENT)];
    admitted(spec("Buy?", cast.map(|(name, stance)| persona(name, Some(stance), "Bakes")).to_vec()))
}
/// Ballots before and after: who, the first where it was cast, the last where it was.
fn balloted(mut log: Log, ballots: &[(&str, Option<&str>, Option<&str>)]) -> Log {
    for (stage, at) in [(BallotStage::Initial, 0), (BallotStage::Final, 9)] {
        for (who, first, last) in ballots {
            if let Some(choice) = if at == 0 { first } else { last } {
                log.ballot(at, stage, who, choice, "so");
            }
        }
    }
    log
}
fn say(log: &mut Log, round: u32, who: &str, text: &str) -> TurnId {
    log.speak_as(round, who, SpeechKind::Argument, text, |_| {})
}
fn relationship(analysis: &Analysis, from: &str, to: &str) -> Option<DebaterRelation> {
    analysis.relationships.iter().find(|one| one.from == from && one.to == to).cloned()
}
fn convinced(analysis: &Analysis, from: &str, to: &str) -> Option<bool> {
    relationship(analysis, from, to).unwrap().convinced
}
/// Speeches, words, attacks made, received, answered.
fn figures(analysis: &Analysis) -> Vec<[Option<u64>; 5]> {
    let one = |one: &DebaterMetrics| {
        let counts =
            [one.speeches, one.attacks_made, one.attacks_received, one.attacks_answered].map(|n| n.map(u64::from));
        [counts[0], one.words, counts[1], counts[2], counts[3]]
    };
    analysis.metrics.iter().map(one).collect()
}
fn shown_by(log: &Log) -> [String; 4] {
    let minutes = minutes(log);
    [
        full_markdown(&minutes),
        summary_only(&minutes),
        html(&minutes).unwrap(),
        serde_json::to_string(&DebateResult::of(&minutes)).unwrap(),
    ]
}

#[test]
fn only_a_debate_that_ended_with_a_result_has_an_analysis() {
    for log in [scenes::running(), scenes::failed(), scenes::cancelled()] {
        assert_eq!(Analysis::of(&minutes(&log)), None);
        assert_eq!(DebateResult::of(&minutes(&log)).analysis, None);
    }
    for log in [scenes::decided(), scenes::order_sensitive(), scenes::voted(), scenes::synthesis()] {
        assert_eq!(DebateResult::of(&minutes(&log)).analysis, Some(analysis(&log)));
    }
}

#[test]
fn a_file_that_switches_the_phase_off_gets_none_in_any_report() {
    let mut log = scenes::grand(false);
    let marks = ["\n## Analysis\n", "\n## Analysis\n", "<section id=\"analysis\">", "\"analysis\":{"];
    assert!(shown_by(&log).iter().zip(marks).all(|(report, mark)| report.contains(mark)));
    log.spec_mut().phases.analysis = false;
    assert_eq!(Analysis::of(&minutes(&log)), None);
    assert!(!shown_by(&log).iter().zip(marks).any(|(report, mark)| report.contains(mark)));
}

#[test]
fn words_are_those_of_speeches_and_have_a_letter_or_a_digit() {
    let mut log = trio();
    say(&mut log, 1, "Ada", "We – **two** of us:\n\n| 7 | --- |\n");
    say(&mut log, 1, "Bruno", "No.");
    say(&mut log, 2, "Bruno", "And no.");
    let analysis = analysis(&ended(log));
    let metrics =
        |at: usize| (analysis.metrics[at].speeches, analysis.metrics[at].words, analysis.metrics[at].word_share);
    assert_eq!(metrics(0), (Some(1), Some(5), Some(0.625)));
    assert_eq!(metrics(1), (Some(2), Some(3), Some(0.375)));
    assert_eq!(metrics(2), (Some(0), Some(0), Some(0.0)));
}

#[test]
fn where_nobody_said_a_word_no_share_is_known() {
    let mut log = trio();
    say(&mut log, 1, "Ada", "–");
    assert_eq!(analysis(&ended(log)).metrics[0].word_share, None);
}

#[test]
fn tokens_count_every_call_and_are_unknown_where_one_did_not_report() {
    let mut log = balloted(trio(), &[("Ada", Some(NOW), None), ("Bruno", Some(WAIT), None)]);
    say(&mut log, 1, "Ada", "Buy.");
    let asked = log.ask(1, "Bruno", argument());
    log.fail(asked, Failure::new(FailureCause::Timeout, "too late"), None);
    let analysis = analysis(&ended(log));
    let tokens: Vec<Option<u64>> = analysis.metrics.iter().map(|one| one.generated_tokens).collect();
    assert_eq!(tokens, [Some(420), None, Some(0)]);
}

#[test]
fn an_attack_is_answered_by_anybody_but_the_attacker_and_by_a_revision() {
    // T3 Bruno on T2 Ada is attacked by Ada, T4 Chioma on T2 Ada by Bruno, T6 Ada on T3 Bruno by Bruno.
    assert_eq!(
        figures(&analysis(&formats::fight())),
        [
            [Some(2), Some(16), Some(1), Some(3), Some(2)],
            [Some(2), Some(15), Some(3), Some(1), Some(1)],
            [Some(1), Some(12), Some(1), Some(1), Some(0)],
        ]
    );
    // Both critiques of Ada are answered by her revision.
    assert_eq!(analysis(&formats::critiques()).disagreement.standing.unwrap().total, 0);
    let mut log = trio();
    say(&mut log, 1, "Ada", "Buy.");
    say(&mut log, 1, "Bruno", "Ada is wrong.");
    log.speak_as(2, "Bruno", SpeechKind::Argument, "T2 is what I said.", |_| {});
    assert_eq!(analysis(&ended(log)).disagreement.standing.unwrap().total, 1);
    let mut log = trio();
    say(&mut log, 1, "Ada", "Buy.");
    say(&mut log, 1, "Bruno", "Ada is wrong.");
    log.speak_as(2, "Ada", SpeechKind::Revision, "Buy used.", |_| {});
    say(&mut log, 3, "Bruno", "T1 was wrong all the same.");
    let standing = analysis(&ended(log)).disagreement.standing.unwrap();
    assert_eq!((standing.total, standing.of), (1, 2));
    assert_eq!((standing.attacks[0].from, standing.attacks[0].to), (4, 1));
}

#[test]
fn a_revision_answers_what_came_before_it_even_where_it_names_no_critic() {
    let mut log = formats::critiques();
    for event in log.records.iter_mut().flat_map(|record| &mut record.events) {
        if let Event::Answered(Answered { given: Given::Speech(speech), .. }) = event {
            (speech.accepted, speech.declined) = (Vec::new(), Vec::new());
        }
    }
    let standing = analysis(&log).disagreement.standing.unwrap();
    assert_eq!((standing.total, standing.of), (0, 2));
}

#[test]
fn relationships_count_the_edges_of_each_ordered_pair() {
    let mut log = trio();
    say(&mut log, 1, "Bruno", "We wait.");
    log.speak_as(1, "Ada", SpeechKind::Question, "Why?", |speech| speech.to = Some("Bruno".into()));
    log.speak_as(1, "Bruno", SpeechKind::Answer, "The loan.", |speech| speech.to = Some("Ada".into()));
    say(&mut log, 2, "Ada", "Bruno forgets the queue. T1 does too.");
    let analysis = analysis(&ended(log));
    let counts = |from, to| {
        let one = relationship(&analysis, from, to)?;
        Some([one.attacks, one.supports, one.questions, one.answers].map(|n| n.unwrap()))
    };
    assert_eq!(counts("Ada", "Bruno"), Some([2, 0, 1, 0]));
    assert_eq!(counts("Bruno", "Ada"), Some([0, 0, 0, 1]));
    assert_eq!((counts("Ada", "Chioma"), counts("Chioma", "Ada")), (None, None));
    assert_eq!(relationship(&analysis, "Ada", "Bruno").unwrap().agreed, None);
}

#[test]
fn whoever_ends_where_another_stood_from_the_start_was_convinced() {
    let ballots =
        [("Ada", Some(NOW), Some(NOW)), ("Bruno", Some(WAIT), Some("invest now.")), ("Chioma", Some(RENT), Some(NOW))];
    let analysis = analysis(&ended(balloted(trio(), &ballots)));
    assert_eq!((convinced(&analysis, "Ada", "Bruno"), convinced(&analysis, "Ada", "Chioma")), (Some(true), Some(true)));
    assert_eq!(
        (convinced(&analysis, "Bruno", "Ada"), convinced(&analysis, "Bruno", "Chioma")),
        (Some(false), Some(false))
    );
    assert!(analysis.relationships.iter().all(|one| one.agreed == Some(true)));
}

#[test]
fn nobody_is_convinced_of_what_it_stood_for_itself_and_without_both_ballots_it_is_unknown() {
    let mut spec = spec("Buy?", ["Ada", "Bruno", "Chioma"].map(|name| persona(name, Some(NOW), "Bakes")).to_vec());
    spec.personas[2].stance = None;
    let ballots = [("Ada", Some(NOW), Some(NOW)), ("Bruno", Some(WAIT), Some(NOW)), ("Chioma", None, Some(NOW))];
    let analysis = analysis(&ended(balloted(admitted(spec), &ballots)));
    assert_eq!(convinced(&analysis, "Ada", "Bruno"), Some(false));
    assert_eq!(convinced(&analysis, "Ada", "Chioma"), None);
    // What Chioma stood for is unknown too.
    assert_eq!(convinced(&analysis, "Chioma", "Bruno"), None);
}

#[test]
fn without_a_stance_the_first_ballot_is_what_somebody_stood_for() {
    let spec = spec("Buy?", ["Ada", "Bruno"].map(|name| persona(name, None, "Bakes")).to_vec());
    let ballots = [("Ada", Some(NOW), Some(WAIT)), ("Bruno", Some(WAIT), Some(NOW))];
    let analysis = analysis(&ended(balloted(admitted(spec), &ballots)));
    assert_eq!(analysis.relationships.len(), 2);
    assert!(analysis.relationships.iter().all(|one| one.convinced == Some(true) && one.agreed == Some(false)));
}

#[test]
fn where_ballots_name_authors_each_stands_for_its_own_proposal() {
    let spec = spec("Buy?", ["Ada", "Bruno", "Chioma"].map(|name| persona(name, None, "Bakes")).to_vec());
    let spec = DebateSpec { debate_format: DebateFormat::CritiqueRevision, ..spec };
    let ballots = [
        ("Ada", Some("Chioma"), Some("Ada")),
        ("Bruno", Some("Chioma"), Some("Ada")),
        ("Chioma", Some("Ada"), Some("Chioma")),
    ];
    let analysis = analysis(&ended(balloted(admitted(spec), &ballots)));
    // Whoever comes back to its own was convinced by nobody; Chioma held Ada's first, and convinced nobody of it.
    let found: Vec<(&str, &str)> = analysis
        .relationships
        .iter()
        .filter(|one| one.convinced == Some(true))
        .map(|one| (one.from.as_str(), one.to.as_str()))
        .collect();
    assert_eq!(found, [("Ada", "Bruno")]);
}

#[test]
fn what_was_revised_and_critiques_are_not_drawn_as_strengths() {
    let [_, _, page, _] = shown_by(&formats::critiques());
    let (_, bars) = page.split_once("<h3>Strength of each speech</h3>").unwrap();
    let (bars, _) = bars.split_once("</section>").unwrap();
    let drawn: Vec<&str> = bars.split(">T").skip(1).map(|rest| rest.split_once(' ').unwrap().0).collect();
    assert_eq!(drawn, ["3", "7", "8"]);
}

#[test]
fn disagreement_remains_ends_or_is_unknown() {
    let remains = |last: [Option<&str>; 3]| {
        let ballots: Vec<_> =
            ["Ada", "Bruno", "Chioma"].into_iter().zip(last).map(|(who, last)| (who, None, last)).collect();
        analysis(&ended(balloted(trio(), &ballots))).disagreement
    };
    let split = remains([Some(WAIT), Some(NOW), Some("invest now.")]);
    assert_eq!(split.remains, Some(true));
    let side = |position: &str, held_by: &[&str]| Side {
        position: position.to_owned(),
        held_by: held_by.iter().map(|name| (*name).to_owned()).collect(),
    };
    assert_eq!(split.sides, [side(NOW, &["Bruno", "Chioma"]), side(WAIT, &["Ada"])]);
    assert_eq!(remains([Some(NOW); 3]).remains, Some(false));
    let short = remains([Some(NOW), None, Some(NOW)]);
    assert_eq!((short.remains, short.without_ballot), (None, vec!["Bruno".to_owned()]));
    assert_eq!(remains([Some(NOW), None, Some(WAIT)]).remains, Some(true));
    assert_eq!(remains([None; 3]).remains, None);
}

#[test]
fn agreement_goes_from_the_first_to_the_last_round_in_which_it_was_measured() {
    let measured = |log: &mut Log, round, agreement, method| {
        let measures = Measures {
            agreement,
            stability: Some(0.5),
            stable: Vec::new(),
            known: Vec::new(),
            by_answers: false,
            method,
        };
        log.push(Event::RoundCompared { round, measures });
    };
    let mut log = trio();
    for (round, agreement) in [(1, None), (2, Some(0.25)), (3, Some(0.5)), (4, Some(0.75)), (5, None)] {
        measured(&mut log, round, agreement, Method::Words);
    }
    let same = ended(log);
    let found = analysis(&same).disagreement;
    let (first, last) = (found.first_agreement.unwrap(), found.last_agreement.unwrap());
    assert_eq!((first.round, first.value, last.round, last.value), (2, 0.25, 4, 0.75));
    assert!(full_markdown(&minutes(&same)).contains("Agreement from round 2 to round 4: 0.25 to 0.75, by words."));
    let mut log = trio();
    measured(&mut log, 1, Some(0.25), Method::Embeddings);
    measured(&mut log, 2, Some(0.75), Method::WordsInstead);
    assert!(full_markdown(&minutes(&ended(log))).contains("they cannot be compared"));
    assert_eq!(analysis(&ended(trio())).disagreement.first_agreement, None);
}

#[test]
fn standing_attacks_are_listed_by_severity_up_to_twenty_and_counted_whole() {
    let mut log = trio();
    log.speak_as(0, "Ada", SpeechKind::Proposal, "Buy.", |_| {});
    for round in 1..=25 {
        let critique = Critique { severity: round % 10 + 1, issues: Vec::new(), suggestions: Vec::new() };
        log.critique(round.into(), "Bruno", "Ada", critique);
    }
    say(&mut log, 30, "Chioma", "Ada is wrong.");
    let analysis = analysis(&ended(log));
    let standing = analysis.disagreement.standing.unwrap();
    assert_eq!((standing.total, standing.of, standing.attacks.len()), (26, 26, 20));
    let found: Vec<(u32, Option<u8>)> = standing.attacks.iter().map(|one| (one.from, one.severity)).collect();
    assert_eq!(found[..5], [(10, Some(10)), (20, Some(10)), (9, Some(9)), (19, Some(9)), (8, Some(8))]);
    assert!(analysis.insights.contains(
        &"The most severe critique that nobody answered is Bruno's of Ada (T10 on T1, 10 of 10).".to_owned()
    ));
}

#[test]
fn citations_name_the_speech_its_strength_and_whether_the_words_were_found() {
    let mut log = trio();
    let first = say(&mut log, 1, "Ada", "Buy.");
    let comment = Interjection { comment: Some("Go on.".to_owned()), ..Interjection::default() };
    let word = log.interject(1, comment);
    let second = say(&mut log, 2, "Bruno", "Ada is wrong.");
    let nowhere =
        Citation { turn: None, participant: None, quote: "Sell.".to_owned(), verified: false, too_short: false };
    let cited = vec![
        citation(first, "Ada", "Buy.", true),
        citation(word, MODERATOR, "Go on.", true),
        citation(second, "Bruno", "Ada is right.", false),
        nowhere,
    ];
    log.judge(3, 0, Some(NOW), "It is so.", cited.clone());
    log.judge(3, 1, Some(NOW), "It is so.", cited);
    let mut log = ended(log);
    let grounds = analysis(&log).verdict_grounds.unwrap();
    let found: Vec<_> = grounds.citations.iter().map(|one| (one.number, one.verified, one.strength)).collect();
    let wanted = [(Some(1), true, Some(0.25)), (Some(2), true, None), (Some(3), false, Some(0.5)), (None, false, None)];
    assert_eq!(found, wanted);
    assert_eq!((grounds.verified.verified, grounds.verified.total, grounds.share), (2, 4, Some(0.5)));
    assert_eq!(grounds.citations[1].quote.as_deref(), Some("Go on."));
    log.spec_mut().visible.moderator.history = false;
    assert_eq!(analysis(&log).verdict_grounds.unwrap().citations[1].quote, None);
    log.spec_mut().visible.judge.history = false;
    assert_eq!(analysis(&log).verdict_grounds, None);
}

#[test]
fn a_claim_has_a_citation_where_it_names_or_repeats_a_verified_quotation() {
    let mut log = trio();
    let first = say(&mut log, 1, "Ada", "Forty loaves at four euros pay for it.");
    let second = say(&mut log, 1, "Bruno", "The loan is dear.");
    let cited = vec![
        citation(first, "Ada", "Forty loaves at four euros pay for it.", true),
        citation(second, "Bruno", "The loan is cheap.", false),
    ];
    log.judge(
        2,
        0,
        Some(NOW),
        "Ada counts “forty loaves at four euros”. Entry 2 fails. Who pays? It is late.",
        cited.clone(),
    );
    log.judge(2, 1, Some(NOW), "It is late. Entry 1 and entry 2 are all there is.", cited);
    let mut log = ended(log);
    let result = DebateResult::of(&minutes(&log));
    let claims: Vec<Option<Claims>> = result.judgements.iter().map(|judged| judged.claims).collect();
    // In one of the two orders, entry 1 is Ada's; in the other it is entry 2. Both orders name both.
    assert_eq!(claims[1], Some(Claims { total: 2, uncited: 1 }));
    assert_eq!(claims[0].map(|claims| claims.total), Some(3));
    let grounds = analysis(&log).verdict_grounds.unwrap();
    assert_eq!(grounds.claims.total, 5);
    assert_eq!(grounds.uncited.iter().filter(|claim| *claim == "It is late.").count(), 1);
    assert!(!grounds.uncited.iter().any(|claim| claim.contains("loaves")), "{:?}", grounds.uncited);
    log.spec_mut().visible.debaters.history = false;
    assert_eq!(DebateResult::of(&minutes(&log)).judgements[0].claims, None);
}

#[test]
fn the_claims_of_the_verdict_are_counted_in_every_report() {
    // Its entry 3 is a speech that it does not quote.
    let log = scenes::decided();
    assert_eq!(DebateResult::of(&minutes(&log)).verdict.unwrap().claims, Some(Claims { total: 1, uncited: 1 }));
    let reports = shown_by(&log);
    assert!(reports[..3].iter().all(|report| report.contains("1 of 1 claim without a citation")));
    assert!(reports[3].contains(r#""claims":{"total":1,"uncited":1}"#));
}

#[test]
fn judges_that_quote_nothing_have_no_share_and_votes_have_no_grounds() {
    let grounds = analysis(&scenes::synthesis()).verdict_grounds.unwrap();
    assert_eq!((grounds.verified.total, grounds.share), (0, None));
    assert_eq!(analysis(&scenes::voted()).verdict_grounds, None);
}

#[test]
fn the_moderators_mean_score_is_the_base_of_a_speech_and_one_half_of_any_other() {
    let beliefs = analysis(&formats::fight()).beliefs.unwrap();
    let bases: Vec<(u32, f64, bool)> = beliefs.speeches.iter().map(|one| (one.number, one.base, one.scored)).collect();
    // T1 and T5 are the moderator's.
    let wanted = [(2, 0.675, true), (3, 0.5, false), (4, 0.775, true), (6, 0.5, false), (7, 0.5, false)];
    assert_eq!(bases, wanted);
    let mut log = trio();
    let speech = say(&mut log, 1, "Ada", "Buy.");
    for all in [10, 5] {
        let scores = vec![SpeechScore { speech, score: formats::score(all, all, all, all), comment: None }];
        log.score_speeches(1, scores);
    }
    let mut log = ended(log);
    assert_eq!(analysis(&log).beliefs.unwrap().speeches[0].strength, 0.75);
    log.spec_mut().visible.moderator.history = false;
    let hidden = analysis(&log).beliefs.unwrap();
    assert_eq!((hidden.speeches[0].base, hidden.speeches[0].scored), (0.5, false));
}

#[test]
fn the_strongest_speech_for_each_position_is_none_that_was_revised_and_no_critique() {
    let strongest = analysis(&formats::critiques()).beliefs.unwrap().strongest;
    let found: Vec<(&str, u32, &str, f64, u32)> = strongest
        .iter()
        .map(|one| (one.position.as_str(), one.number, one.speaker.as_str(), one.strength, one.equals))
        .collect();
    // Bruno's revision names the answer of Ada's.
    assert_eq!(found, [(RENT, 3, "Chioma", 0.5, 0), (NOW, 7, "Ada", 0.5, 1)]);
}

#[test]
fn where_nothing_sets_one_speech_apart_none_is_the_strongest() {
    let log = scenes::voted();
    let beliefs = analysis(&log).beliefs.unwrap();
    assert!(beliefs.strongest.is_empty() && beliefs.speeches.iter().all(|one| one.strength == 0.5));
    let [full, _, page, _] = shown_by(&log);
    assert!(!full.contains("strongest speech") && !page.contains("Strength of each speech"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_figure_adds_up_whatever_is_said(
        turns in prop::collection::vec((0_usize..3, prop::collection::vec(0_usize..8, 0..4)), 0..24)
    ) {
        let names = ["Ada", "Bruno", "Chioma"];
        let pieces = ["Ada", "Bruno", "Chioma", "T1", "T2", "T5", "Against step 2 of Bruno:", "so"];
        let mut log = trio();
        for (round, (who, said)) in (1..).zip(&turns) {
            let text: Vec<&str> = said.iter().map(|piece| pieces[*piece]).collect();
            say(&mut log, round, names[*who], &text.join(" "));
        }
        let log = ended(log);
        let analysis = analysis(&log);
        let sum = |of: fn(&DebaterMetrics) -> Option<u32>| analysis.metrics.iter().map(|one| of(one).unwrap()).sum::<u32>();
        let standing = analysis.disagreement.standing.clone().unwrap();
        prop_assert_eq!(sum(|one| one.speeches) as usize, turns.len());
        prop_assert_eq!(sum(|one| one.attacks_made), standing.of);
        prop_assert_eq!(sum(|one| one.attacks_received), standing.of);
        prop_assert_eq!(sum(|one| one.attacks_answered) + standing.total, standing.of);
        let between: u32 = analysis.relationships.iter().map(|one| one.attacks.unwrap()).sum();
        prop_assert_eq!(between, standing.of);
        let strengths = analysis.beliefs.iter().flat_map(|beliefs| &beliefs.speeches).map(|one| one.strength);
        prop_assert!(strengths.into_iter().all(|strength| (0.0..=1.0).contains(&strength)));
        prop_assert_eq!(Analysis::of(&minutes(&log)), Some(analysis));
    }
}
