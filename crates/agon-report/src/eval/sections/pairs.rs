//! Pairs of answers: which one is better, question by question.
use crate::eval::document::{EvalBlock, EvalTable};
use crate::eval::words;
use crate::text::{excerpt, one_line};
use agon_eval::*;

/// Characters of an answer in a row.
const MOST_CHARS: usize = 80;

/// What graders found of each pair, in both orders.
pub(in crate::eval) fn pairs(result: &EvalResult) -> Vec<EvalBlock> {
    if result.pairs.is_empty() {
        return Vec::new();
    }
    let answers = result.answers();
    let row = |pair: &PairRow| {
        let question = result.questions.get(pair.question as usize);
        let again =
            if result.setup.repetitions > 1 { format!(" ({})", u64::from(pair.repetition) + 1) } else { String::new() };
        vec![
            format!("{}{again}", question.map_or_else(|| pair.question.to_string(), |question| one_line(&question.id))),
            words::arm_of(result, &pair.arm),
            words::arm_of(result, &pair.rival),
            better(result, pair, pair.winner, "neither"),
            match pair.basis {
                PairBasis::Graded => better(result, pair, pair.arm_first, "equal"),
                PairBasis::SameAnswer => "the same answer".to_owned(),
                PairBasis::NoAnswer => "no answer".to_owned(),
            },
            better(result, pair, pair.rival_first, "equal"),
            words::known(answers.of(pair, &pair.arm), |answer| excerpt(&one_line(answer), MOST_CHARS)),
            words::known(answers.of(pair, &pair.rival), |answer| excerpt(&one_line(answer), MOST_CHARS)),
        ]
    };
    let head =
        ["Question", "Arm", "Rival", "Better", "Arm shown first", "Rival shown first", "Answer", "Rival's answer"];
    let rows = result.pairs.iter().map(row).collect();
    vec![
        EvalBlock::Lead(
            "Graders see each pair twice, in both orders. An answer wins if it wins both times; else neither does. An arm without an answer loses.".to_owned(),
        ),
        EvalBlock::Table(EvalTable::of("Pairs of answers", &head, rows)),
    ]
}

fn better(result: &EvalResult, pair: &PairRow, winner: Option<PairWinner>, tie: &str) -> String {
    words::known(winner, |winner| match winner {
        PairWinner::Arm => words::arm_of(result, &pair.arm),
        PairWinner::Rival => words::arm_of(result, &pair.rival),
        PairWinner::Tie => tie.to_owned(),
    })
}
