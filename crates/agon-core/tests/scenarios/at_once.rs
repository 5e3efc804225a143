//! What is asked at once because nobody is shown the other's answer.
use crate::hold::{admission, choice, hold, speech, votes};
use agon_core::testing::{moderator, voting};
use agon_core::*;

#[test]
fn scores_are_asked_for_together_with_votes_and_a_summary_together_with_notes() {
    let asked = admission(2, |spec| {
        votes(spec, Voting { every_round: true, ..voting(VoteRule::Plurality) });
        spec.moderator = Some(Moderator { opens: false, closes: false, scores: true, ..moderator() });
        spec.personas.iter_mut().for_each(|persona| persona.reflection = true);
        (spec.memory, spec.summarizer, spec.windows.summarize_every) =
            (Memory::SummarizePast, Some(Summarizer::default()), 1);
        spec.max_rounds = 2;
    });

    let events = hold(asked, |ask| match &ask.task.work {
        Work::Argument { .. } | Work::Opening | Work::Statement { .. } => Some(speech("so")),
        Work::Vote => Some(choice("s0")),
        _ => None,
    });

    let stages: Vec<(u32, Step, bool, Vec<Work>)> = events
        .iter()
        .filter_map(|event| match event {
            Event::StageOpened { round, step, seats, parallel, .. } => {
                Some((*round, *step, *parallel, seats.iter().map(|seat| seat.work.clone()).collect()))
            }
            _ => None,
        })
        .collect();
    let votes = |round| (round, Step::Votes, true, vec![Work::ScoreSpeeches, Work::Vote, Work::Vote]);
    let notes = (1, Step::Notes, true, vec![Work::Reflect, Work::Reflect, Work::Summarise]);
    assert_eq!(stages, [votes(1), notes, votes(2)]);
}
