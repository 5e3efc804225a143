//! What lists show of debates: winner, dissent, models, progress.
use crate::hold::{DebateLog, admission, choice, judged, judgement, lost, plain, speech, votes};
use agon_core::testing::{voice, voting};
use agon_core::*;

/// A call to the model that was asked, which reports these tokens.
fn call(ask: &Ask, prompt_tokens: Option<u64>) -> Box<Call> {
    let usage = Usage { prompt_tokens, cached_tokens: None, completion_tokens: Some(10) };
    Box::new(Call { model: Some(ask.model.clone()), host: Some("h".into()), usage, ..Call::default() })
}

/// The debate so held; a turn that gets no answer is lost for good.
fn held(admission: Admission, mut answer: impl FnMut(&Ask) -> Option<Answer>) -> Debate {
    let mut log = DebateLog::begin(admission);
    while log.debate.ended().is_none() {
        let ask = log.asked().remove(0);
        let result = match answer(&ask) {
            Some(answer) => TurnResult::Answered { answer, call: call(&ask, Some(100)) },
            None => lost(),
        };
        log.step(Input::TurnDecided { turn: ask.turn, result });
    }
    log.debate
}

fn dissent(against: u32, of: u32, among: DissentAmong) -> Option<Dissent> {
    Some(Dissent { against, of, among })
}

/// The stance of debater `n` where `ask` is not answered otherwise.
fn said(ask: &Ask, ballots: &[&str], votes: &[&str], judges: &[&str]) -> Option<Answer> {
    let own = |of: &[&str]| of[ask.participant.as_str()[1..].parse::<usize>().unwrap()].to_owned();
    Some(match &ask.task.work {
        Work::Judge { order } => {
            let read = judges[judge_index(&ask.participant).unwrap() as usize];
            judgement(read.split(' ').nth(*order as usize).filter(|named| *named != "-").map(str::to_owned), vec![])
        }
        Work::Ballot { .. } => choice(own(ballots)),
        Work::Vote => choice(own(votes)),
        _ => speech("so"),
    })
}

#[test]
fn of_a_panel_that_decides_the_judges_are_counted_who_name_another_winner() {
    let of = |orders, judges: &[&str]| {
        let asked = admission(2, |spec| {
            judged(spec, Judge { orders, panel: judges.len() as u32, ..testing::judge() });
            spec.ballots = Ballots::FinalOnly;
        });
        held(asked, |ask| said(ask, &["s1", "s1"], &[], judges)).summary_figures()
    };
    let one = of(1, &["s0", "s1", "s0"]);
    assert_eq!((one.winner.as_deref(), one.dissent), (Some("s0"), dissent(1, 3, DissentAmong::Judges)));
    let shaky = of(2, &["s0 s0", "s0 s1", "s0 s0"]);
    assert_eq!(shaky.dissent, dissent(1, 3, DissentAmong::Judges), "one reading against is against");
    let synthesis = of(1, &["-", "s1", "-"]);
    assert_eq!((synthesis.winner.as_deref(), synthesis.dissent), (Some("v"), dissent(1, 3, DissentAmong::Judges)));
    let split = of(1, &["s0", "s1", "-"]);
    assert_eq!((split.winner, split.dissent), (None, None), "nobody can be against what did not come out");
    let single = of(1, &["s0"]);
    assert_eq!(single.dissent, dissent(2, 2, DissentAmong::Ballots), "a judge alone does not dissent");
    let single = of(1, &["-"]);
    assert_eq!((single.winner.as_deref(), single.dissent), (Some("v"), None));
}

#[test]
fn of_a_vote_those_are_counted_who_could_have_voted_for_the_winner() {
    let of = |self_votes, chosen: &[&str]| {
        let asked = admission(3, |spec| votes(spec, Voting { self_votes, ..voting(VoteRule::Plurality) }));
        held(asked, |ask| said(ask, &[], chosen, &[])).summary_figures()
    };
    let open = of(SelfVotes::Allow, &["s0", "s1", "s0"]);
    assert_eq!((open.winner.as_deref(), open.dissent), (Some("s0"), dissent(1, 3, DissentAmong::Votes)));
    let closed = of(SelfVotes::Exclude, &["s1", "s0", "s0"]);
    assert_eq!(closed.dissent, dissent(0, 2, DissentAmong::Votes), "the winner could not vote for itself");
    let tie = of(SelfVotes::Allow, &["s0", "s1", "s2"]);
    assert_eq!((tie.winner, tie.dissent), (None, None));
}

#[test]
fn approvals_and_rankings_are_against_a_winner_whom_they_leave_out_or_put_second() {
    let of = |rule, chosen: [&[&str]; 3]| {
        let asked = admission(3, |spec| votes(spec, voting(rule)));
        let choices = |ask: &Ask| {
            let own = chosen[ask.participant.as_str()[1..].parse::<usize>().unwrap()];
            Answer::Choices {
                choices: own.iter().map(|one| (*one).to_owned()).collect(),
                reasons: vec![],
                confidence: None,
            }
        };
        held(asked, |ask| Some(if ask.task.work == Work::Vote { choices(ask) } else { speech("so") })).summary_figures()
    };
    let approved = of(VoteRule::Approval, [&["s0"], &["s1", "s0"], &["s2"]]);
    assert_eq!((approved.winner.as_deref(), approved.dissent), (Some("s0"), dissent(1, 3, DissentAmong::Votes)));
    let ranked = of(VoteRule::Borda, [&["s0", "s1", "s2"], &["s1", "s0", "s2"], &["s0", "s1", "s2"]]);
    assert_eq!((ranked.winner.as_deref(), ranked.dissent), (Some("s0"), dissent(1, 3, DissentAmong::Votes)));
}

#[test]
fn the_models_of_the_plan_are_listed_from_the_admission_on_and_counted_as_they_are_called() {
    let mut asked = admission(2, plain);
    asked.spec.personas[1].voice = voice("n", 9);
    let names = |figures: &SummaryFigures| figures.models.iter().map(|one| one.model.to_string()).collect::<Vec<_>>();
    let planned = SummaryFigures::of_admission(&asked);
    assert_eq!((names(&planned), planned.usage()), (vec!["m".into(), "n".into()], UsageTotals::default()));
    assert_eq!((planned.calls, planned.max_rounds), (CallCounts { done: 0, planned: 2 }, 1));

    let mut log = DebateLog::begin(asked);
    assert_eq!(log.debate.summary_figures(), planned, "a debate that was only claimed is where it was");
    let first = log.asked().remove(0);
    let failure = Failure::new(FailureCause::Timeout, "late");
    let late = TurnResult::Failed { failure, call: call(&first, None) };
    log.step(Input::TurnDecided { turn: first.turn, result: late });
    log.now = log.now.plus(60_000);
    log.step(Input::RetryDue { turn: first.turn.next_attempt() });
    let again = log.asked().remove(0);
    let spoken = TurnResult::Answered { answer: speech("so"), call: call(&again, Some(100)) };
    log.step(Input::TurnDecided { turn: again.turn, result: spoken });

    let figures = log.debate.summary_figures();
    assert_eq!(names(&figures), ["m", "n"]);
    let UsageTotals { calls, unknown_calls, prompt_tokens, completion_tokens, .. } = figures.models[0].usage;
    assert_eq!((calls, unknown_calls, prompt_tokens, completion_tokens), (2, 1, 100, 20));
    assert_eq!(figures.models[1].usage, UsageTotals::default());
    assert_eq!((figures.turns, figures.failed_tries, figures.calls), (1, 1, CallCounts { done: 1, planned: 2 }));
    assert_eq!((figures.usage(), figures.winner, figures.dissent), (log.debate.usage(), None, None));
}

#[test]
fn a_failed_debate_has_figures_and_no_winner() {
    let asked = admission(2, |spec| judged(spec, testing::judge()));
    let figures = held(asked, |ask| (ask.participant.as_str() == "P0").then(|| speech("so"))).summary_figures();
    assert_eq!((figures.winner, figures.dissent), (None, None));
    assert_eq!((figures.turns, figures.calls.planned), (1, figures.calls.done));
}

#[test]
fn a_rehearsal_is_counted_like_any_debate() {
    let rehearsed = |rehearsal| {
        let asked = Admission { rehearsal, ..admission(2, |spec| votes(spec, voting(VoteRule::Plurality))) };
        held(asked, |ask| said(ask, &[], &["s0", "s0"], &[])).summary_figures()
    };
    let figures = rehearsed(true);
    assert_eq!((figures.winner.as_deref(), figures.dissent), (Some("s0"), dissent(0, 2, DissentAmong::Votes)));
    assert_eq!(figures, rehearsed(false));
}

#[test]
fn what_is_kept_is_bounded_and_on_one_line() {
    let asked = admission(40, |spec| {
        judged(spec, testing::judge());
        for (n, persona) in spec.personas.iter_mut().enumerate() {
            persona.voice = voice(&format!("m{n:02}"), 9);
        }
    });
    let long = "word\n".repeat(100);
    let answer = |ask: &Ask| match &ask.task.work {
        Work::Judge { .. } => {
            let (verdict, reasoning) = (long.clone(), "r".into());
            Answer::Judgement(Judgement {
                verdict,
                winner: None,
                reasoning,
                citations: vec![],
                open_objections: vec![],
            })
        }
        _ => speech("so"),
    };
    let debate = held(asked, |ask| Some(answer(ask)));
    let figures = debate.summary_figures();
    let winner = figures.winner.clone().unwrap();
    assert!(winner.chars().count() == WINNER_CHARS && winner.starts_with("word word") && winner.ends_with('…'));
    assert_eq!(figures.models.len(), MOST_LISTED_MODELS);
    assert_eq!(figures.other_calls.unwrap().calls, 41 - MOST_LISTED_MODELS as u32);
    assert_eq!(figures.usage(), debate.usage());
}

#[test]
fn what_was_taken_over_from_another_debate_was_paid_for_there() {
    let asked = admission(2, |spec| {
        judged(spec, Judge { panel: 3, ..testing::judge() });
        spec.ballots = Ballots::FinalOnly;
    });
    let mut log = DebateLog::begin(asked.clone());
    while log.debate.ended().is_none() {
        let ask = log.asked().remove(0);
        let answer = said(&ask, &["s0", "s1"], &[], &["s0", "s0", "s0"]).unwrap();
        let result = TurnResult::Answered { answer, call: call(&ask, Some(100)) };
        log.step(Input::TurnDecided { turn: ask.turn, result });
    }
    let old = Record { first: Position(1), at: Timestamp(1), epoch: 1, nonce: 0, events: log.events };
    let id = DebateId::parse("debate-2").unwrap();
    let again = Admission { id, rejudges: Some(asked.id.clone()), ..asked };
    let events = rejudge(again, &[std::sync::Arc::new(old)]).unwrap();
    let first = Record { first: Position(1), at: Timestamp(9), epoch: 0, nonce: 0, events: events.clone() };
    let mut log = DebateLog { debate: Debate::fold([&first]).unwrap(), events, now: Timestamp(10) };
    assert_eq!(log.debate.summary_figures().usage(), UsageTotals::default());
    log.step(Input::Claim { writer: "w".into() });
    while log.debate.ended().is_none() {
        let ask = log.asked().remove(0);
        let answer = said(&ask, &[], &[], &["s1", "s1", "s0"]).unwrap();
        let result = TurnResult::Answered { answer, call: call(&ask, Some(7)) };
        log.step(Input::TurnDecided { turn: ask.turn, result });
    }
    let figures = log.debate.summary_figures();
    assert_eq!((figures.winner.as_deref(), figures.dissent), (Some("s1"), dissent(1, 3, DissentAmong::Judges)));
    assert_eq!((figures.usage().calls, figures.usage().prompt_tokens), (3, 21));
    assert_eq!(figures.usage(), log.debate.usage());
}
