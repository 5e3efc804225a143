//! What a card keeps of the way to the result.
use super::hold::{DebateLog, admission, choice, lost, plain, revises, speech, votes};
use agon_core::testing::voting;
use agon_core::*;

/// The card of a debate with these answers.
fn card(admission: Admission, mut answer: impl FnMut(&Ask) -> Option<Answer>) -> Card {
    let mut log = DebateLog::begin(admission);
    while log.debate.ended().is_none() {
        let ask = log.asked().into_iter().next().unwrap();
        let result = match answer(&ask) {
            Some(answer) => TurnResult::Answered { answer, call: Box::default() },
            None => lost(),
        };
        log.step(Input::TurnDecided { turn: ask.turn, result });
    }
    log.debate.card().unwrap()
}

fn course(admission: Admission, answer: impl FnMut(&Ask) -> Option<Answer>) -> Course {
    *card(admission, answer).course.unwrap()
}

fn revising(change: impl FnOnce(&mut DebateSpec)) -> Admission {
    admission(3, |spec| {
        revises(spec);
        votes(spec, voting(VoteRule::Plurality));
        spec.max_rounds = 2;
        change(spec);
    })
}

/// P0 accepts what P1 says and declines what P2 says, P1 answers nobody, and the revisions of P2 are lost. P0 finds nothing wrong.
/// P0 and P1 vote for P0, P2 for itself.
fn played(ask: &Ask) -> Option<Answer> {
    let who = ask.participant.as_str();
    match &ask.task.work {
        Work::Critique { of } => {
            let severity = match who {
                "P0" => 0,
                "P1" => 9,
                _ => 2,
            };
            let issues = (severity > 0).then(|| format!("{who} on {of} in round {}", ask.turn.round));
            Some(Answer::Critique(Critique { severity, issues: issues.into_iter().collect(), suggestions: Vec::new() }))
        }
        Work::Revise if who == "P2" => None,
        Work::Revise => {
            let (accepted, declined) = match who {
                "P0" => (vec!["P1".into()], vec![Declined { critic: "P2".into(), why: "no".into() }]),
                _ => (Vec::new(), Vec::new()),
            };
            let text = format!("Plan of {who}, revised in round {}.", ask.turn.round).into();
            Some(Answer::Revision(Revision { text, accepted, declined }))
        }
        Work::Vote => Some(choice(if who == "P2" { "P2" } else { "P0" })),
        _ => Some(speech("My plan.")),
    }
}

#[test]
fn objections_are_counted_with_what_the_revisions_make_of_them() {
    let course = course(revising(plain), played);
    let fates = |by: &str, of: &str| {
        let found = course.objections.iter().find(|one| one.by.as_str() == by && one.of.as_str() == of);
        found.map(|one| (one.kind, one.fates))
    };
    let all = |raised, accepted, declined| Fates { raised, accepted, declined };
    assert_eq!(fates("P1", "P0"), Some((ObjectionKind::Critical, all(2, 2, 0))));
    assert_eq!(fates("P2", "P0"), Some((ObjectionKind::Mild, all(2, 0, 2))));
    assert_eq!(fates("P2", "P1"), Some((ObjectionKind::Mild, all(2, 0, 0))), "no word is no answer");
    assert_eq!(fates("P1", "P2"), Some((ObjectionKind::Critical, all(2, 0, 0))), "a lost revision answers nothing");
    assert_eq!(fates("P0", "P1"), None, "who finds nothing wrong raises no objection");
    assert_eq!(course.strategy, ConsensusStrategy::Vote);
}

#[test]
fn conduct_is_what_each_could_do_and_did() {
    let course = course(revising(plain), played);
    let conduct = |at: usize| &course.conduct[at];
    assert_eq!(conduct(0).critiques, Chances { of: 4, did: 0 });
    assert_eq!(conduct(1).critiques, Chances { of: 4, did: 4 });
    let votes: Vec<Chances> = course.conduct.iter().map(|one| one.votes).collect();
    assert_eq!(votes, [Chances { of: 1, did: 1 }, Chances { of: 1, did: 0 }, Chances { of: 1, did: 1 }]);
    assert!(course.conduct.iter().all(|one| one.points == Chances::default()));
    let proposals: Vec<_> = course.conduct.iter().map(|one| one.proposal.as_deref().unwrap()).collect();
    assert_eq!(proposals, ["Plan of P0, revised in round 2.", "Plan of P1, revised in round 2.", "My plan."]);
}

#[test]
fn who_is_not_on_its_own_ballot_could_not_vote_for_itself() {
    let others = Voting { self_votes: SelfVotes::Exclude, ..voting(VoteRule::Plurality) };
    let course = course(revising(|spec| votes(spec, others)), |ask| match &ask.task.work {
        Work::Vote => Some(choice(&ask.task.material.candidates()[0])),
        _ => played(ask),
    });
    assert!(course.conduct.iter().all(|one| one.votes == Chances::default()), "{course:?}");
}

#[test]
fn accepted_objections_stay_in_words_unless_the_words_of_debaters_are_kept_back() {
    let shown = course(revising(plain), played);
    let texts: Vec<&str> = shown.conceded.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["P1 on P0 in round 1", "P1 on P0 in round 2"]);
    assert!(shown.conceded.iter().all(|one| (one.by.as_str(), one.of.as_str()) == ("P1", "P0")));
    let hidden = course(revising(|spec| spec.visible.debaters.history = false), played);
    assert!(hidden.conceded.is_empty() && hidden.conduct.iter().all(|one| one.proposal.is_none()));
    assert_eq!(hidden.objections, shown.objections);
}

#[test]
fn a_card_stays_small_however_much_is_conceded() {
    let course = course(revising(|spec| spec.max_rounds = 6), |ask| match &ask.task.work {
        Work::Critique { .. } => {
            let severity = if ask.turn.round == 4 { 10 } else { 5 };
            let issues = vec![format!("{} {}", ask.turn.round, "x ".repeat(500))];
            Some(Answer::Critique(Critique { severity, issues, suggestions: Vec::new() }))
        }
        Work::Revise => {
            let text = format!("Plan {} of {}.", ask.turn.round, ask.participant).into();
            Some(Answer::Revision(Revision {
                text,
                accepted: ask.task.material.critics().to_vec(),
                declined: Vec::new(),
            }))
        }
        _ => played(ask),
    });
    assert_eq!(course.conceded.len(), MOST_CONCEDED);
    assert!(course.conceded.iter().all(|one| one.text.chars().count() == ARGUMENT_CHARS && one.text.ends_with('…')));
    let severest = course.conceded.iter().filter(|one| one.text.starts_with("4 ")).count();
    assert_eq!(severest, 6, "six objections were the most severe");
    let accepted: u32 = course.objections.iter().map(|one| one.fates.accepted).sum();
    assert_eq!(accepted, 36, "all are counted: six in each of six rounds");
}

#[test]
fn a_debate_without_critiques_has_a_course_without_objections() {
    let card = card(admission(2, plain), |_| Some(speech("so it is")));
    let course = card.course.unwrap();
    assert!(course.objections.is_empty() && course.conceded.is_empty());
    assert_eq!(course.conduct.len(), 2);
    assert!(course.conduct.iter().all(|one| one.proposal.is_none()));
}

#[test]
fn the_very_same_objection_in_another_round_is_conceded_once() {
    let conceded = |second: &'static str| {
        let course = course(revising(plain), move |ask| match &ask.task.work {
            Work::Critique { of } if (ask.participant.as_str(), of.as_str()) == ("P1", "P0") => {
                let issue = if ask.turn.round == 1 { "The cost is not counted." } else { second };
                let severity = 4 + u8::try_from(ask.turn.round).unwrap();
                Some(Answer::Critique(Critique { severity, issues: vec![issue.into()], suggestions: Vec::new() }))
            }
            Work::Critique { .. } => {
                Some(Answer::Critique(Critique { severity: 0, issues: Vec::new(), suggestions: Vec::new() }))
            }
            Work::Revise => {
                let text = format!("Revised in round {}.", ask.turn.round).into();
                let accepted = if ask.participant.as_str() == "P0" { vec!["P1".into()] } else { Vec::new() };
                Some(Answer::Revision(Revision { text, accepted, declined: Vec::new() }))
            }
            Work::Vote => Some(choice("P0")),
            _ => Some(speech("My plan.")),
        });
        course.conceded.len()
    };
    assert_eq!(conceded("the cost  is NOT counted!"), 1);
    assert_eq!(conceded("Nobody counts the noise."), 2);
}
