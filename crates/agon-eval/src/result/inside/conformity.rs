//! Conformity: moves to the first majority of those who stood outside it.
use super::{Estimator, HeldDebate};
use crate::ConformityResult;
use crate::result::free::ballots;
use crate::result::plurality::vote_of;

/// How many of those outside a strict majority of the first ballots moved to it.
pub(super) fn conformity(held: &[HeldDebate<'_, '_>], estimator: &Estimator) -> Option<ConformityResult> {
    let (mut all, mut to_right, mut to_wrong, mut unchallenged) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for debate in held {
        let vote = vote_of(debate.question, ballots(debate.facts, false));
        let [majority] = vote.top.as_slice() else { continue };
        if 2 * vote.votes <= vote.cast {
            continue;
        }
        let key = debate.question.answer_key(majority);
        let is_right = debate.is_right(majority);
        for (first, last) in debate.both_ballots() {
            if debate.question.answer_key(&first.answer) == key {
                continue;
            }
            let moved = debate.question.answer_key(&last.answer) == key;
            let value = (debate.cluster, f64::from(u8::from(moved)), 1.0);
            all.push(value);
            if is_right { &mut to_right } else { &mut to_wrong }.push(value);
            if moved {
                unchallenged.push((debate.cluster, f64::from(u8::from(!last.challenged)), 1.0));
            }
        }
    }
    Some(ConformityResult {
        all: estimator.share(&all)?,
        to_right: estimator.share(&to_right),
        to_wrong: estimator.share(&to_wrong),
        unchallenged: estimator.share(&unchallenged),
    })
}
