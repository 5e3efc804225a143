//! Flips: of ballots from first to last, and from the vote of the first ballots to the verdict.
use super::{Estimator, HeldDebate};
use crate::result::free::ballots;
use crate::result::plurality::vote_of;
use crate::{CellEnding, CellFlip, Facts, FlipCounts, FlipDivision, FlipRow, Question, ResultFlips};
use std::collections::BTreeMap;

/// One answer that stayed or changed.
#[derive(Clone, Copy)]
struct AnswerFlip {
    cluster: u32,
    was_right: bool,
    is_right: bool,
    same: bool,
}

impl AnswerFlip {
    fn of(debate: &HeldDebate<'_, '_>, before: &str, after: &str) -> Self {
        let same = debate.question.answer_key(before) == debate.question.answer_key(after);
        Self { cluster: debate.cluster, was_right: debate.is_right(before), is_right: debate.is_right(after), same }
    }
}

fn count(flips: &[AnswerFlip], estimator: &Estimator) -> FlipCounts {
    let of = |was: bool, is: bool, same: Option<bool>| {
        let fits = |flip: &&AnswerFlip| {
            flip.was_right == was && flip.is_right == is && same.is_none_or(|same| flip.same == same)
        };
        u32::try_from(flips.iter().filter(fits).count()).unwrap_or(u32::MAX)
    };
    let changed = |was: bool| {
        let from = flips.iter().filter(|flip| flip.was_right == was);
        let values: Vec<(u32, f64, f64)> =
            from.map(|flip| (flip.cluster, f64::from(u8::from(flip.is_right != was)), 1.0)).collect();
        estimator.share(&values)
    };
    FlipCounts {
        kept_right: of(true, true, None),
        kept_wrong: of(false, false, Some(true)),
        wrong_to_right: of(false, true, None),
        right_to_wrong: of(true, false, None),
        wrong_to_other: of(false, false, Some(false)),
        mended: changed(false),
        broken: changed(true),
    }
}

/// Of all ballots that were cast twice.
pub(super) fn of_ballots(held: &[HeldDebate<'_, '_>], estimator: &Estimator) -> Option<FlipCounts> {
    let flips: Vec<AnswerFlip> = held
        .iter()
        .flat_map(|debate| {
            debate.both_ballots().into_iter().map(|(first, last)| AnswerFlip::of(debate, &first.answer, &last.answer))
        })
        .collect();
    (!flips.is_empty()).then(|| count(&flips, estimator))
}

/// The same by persona, model and format, and named answers by round.
pub(super) fn by_parts(held: &[HeldDebate<'_, '_>], estimator: &Estimator) -> Vec<FlipRow> {
    let mut parts: BTreeMap<(FlipDivision, String), Vec<AnswerFlip>> = BTreeMap::new();
    for debate in held {
        for (first, last) in debate.both_ballots() {
            let flip = AnswerFlip::of(debate, &first.answer, &last.answer);
            let model = first.model.as_ref().map(|model| (FlipDivision::Model, model.to_string()));
            let own = (FlipDivision::Persona, first.participant.to_string());
            let format = (FlipDivision::Format, debate.facts.format.clone());
            for part in [Some(own), model, Some(format)].into_iter().flatten() {
                parts.entry(part).or_default().push(flip);
            }
        }
        let mut named: BTreeMap<u32, &str> = BTreeMap::new();
        for speech in &debate.facts.named {
            if let Some(before) = named.insert(speech.seat, &speech.answer) {
                // four digits, so that rounds stand in their order
                let part = (FlipDivision::Round, format!("{:04}", speech.round));
                parts.entry(part).or_default().push(AnswerFlip::of(debate, before, &speech.answer));
            }
        }
    }
    let row = |((by, value), flips): ((FlipDivision, String), Vec<AnswerFlip>)| {
        let value = if by == FlipDivision::Round { value.trim_start_matches('0').to_owned() } else { value };
        FlipRow { by, value, flips: count(&flips, estimator) }
    };
    parts.into_iter().map(row).collect()
}

/// What a debate made of the vote of its first ballots. A vote or a verdict that shares a tie is not right.
pub(in crate::result) fn flip_of(question: &Question, facts: &Facts, is_right: bool) -> Option<CellFlip> {
    // a server that fails turns no answer
    if matches!(facts.ending, CellEnding::Failed { .. }) {
        return None;
    }
    let vote = vote_of(question, ballots(facts, false));
    let was_right = vote.score? > 1.0 - 1e-9;
    Some(match (was_right, is_right) {
        (true, true) => CellFlip::KeptRight,
        (false, false) => CellFlip::KeptWrong,
        (false, true) => CellFlip::WrongToRight,
        (true, false) => CellFlip::RightToWrong,
    })
}

/// From the vote of the first ballots to the verdict.
pub(super) fn of_results(held: &[HeldDebate<'_, '_>], estimator: &Estimator) -> Option<ResultFlips> {
    let flips: Vec<(u32, CellFlip)> = held
        .iter()
        .filter_map(|debate| Some((debate.cluster, flip_of(debate.question, debate.facts, debate.cell.is_right())?)))
        .collect();
    if flips.is_empty() {
        return None;
    }
    let number =
        |kind: CellFlip| u32::try_from(flips.iter().filter(|(_, flip)| *flip == kind).count()).unwrap_or(u32::MAX);
    let share = |changed: CellFlip, kept: CellFlip| {
        let from = flips.iter().filter(|(_, flip)| *flip == changed || *flip == kept);
        let values: Vec<(u32, f64, f64)> =
            from.map(|(cluster, flip)| (*cluster, f64::from(u8::from(*flip == changed)), 1.0)).collect();
        estimator.share(&values)
    };
    let (wrong_to_right, right_to_wrong) = (number(CellFlip::WrongToRight), number(CellFlip::RightToWrong));
    Some(ResultFlips {
        kept_right: number(CellFlip::KeptRight),
        kept_wrong: number(CellFlip::KeptWrong),
        wrong_to_right,
        right_to_wrong,
        mended: share(CellFlip::WrongToRight, CellFlip::KeptWrong),
        broken: share(CellFlip::RightToWrong, CellFlip::KeptRight),
        p: Some(crate::stats::mcnemar_exact(u64::from(wrong_to_right), u64::from(right_to_wrong))),
    })
}
