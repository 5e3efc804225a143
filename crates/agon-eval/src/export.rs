//! The result as files for other programs: `result.json`, `cells.csv` and pairs.
use crate::{CellFlip, CellOutcome, CellRow, EvalResult, PairBasis, PairRow, PairWinner};
use agon_core::NumberAnswer;
use std::collections::BTreeMap;

/// The columns of `cells.csv`, in order.
pub const CELL_COLUMNS: [&str; 19] = [
    "question",
    "category",
    "group",
    "arm",
    "repetition",
    "outcome",
    "reason",
    "score",
    "answer",
    "gold",
    "flip",
    "samples",
    "calls",
    "total_tokens",
    "generated_tokens",
    "cost",
    "degraded",
    "debates",
    "rehearsal",
];

/// The columns of the export of pairs, in order.
pub const PAIR_COLUMNS: [&str; 12] = [
    "question",
    "category",
    "group",
    "repetition",
    "arm",
    "rival",
    "winner",
    "basis",
    "arm_first",
    "rival_first",
    "arm_answer",
    "rival_answer",
];

/// The whole result as JSON, which ends with a line end.
pub fn result_json(result: &EvalResult) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(result).map(|text| format!("{text}\n"))
}

/// A row for each question, arm and repetition. What is unknown is empty. A text that a spreadsheet would compute begins with `'`.
pub fn cells_csv(result: &EvalResult) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(CELL_COLUMNS)?;
    for cell in &result.cells {
        writer.write_record(fields(result, cell))?;
    }
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A row for each pair of answers that graders compared, with the same rules for texts.
pub fn pairs_csv(result: &EvalResult) -> Result<String, csv::Error> {
    let answers = result.answers();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(PAIR_COLUMNS)?;
    for pair in &result.pairs {
        let question = result.questions.get(pair.question as usize);
        let text = |text: Option<&String>| text.map_or_else(String::new, |text| plain(text));
        let answer = |arm: &str| answers.of(pair, arm).map(plain).unwrap_or_default();
        let found = |winner: Option<PairWinner>| winner.map_or("", better).to_owned();
        writer.write_record([
            text(question.map(|question| &question.id)),
            text(question.and_then(|question| question.category.as_ref())),
            text(question.and_then(|question| question.group.as_ref())),
            pair.repetition.to_string(),
            pair.arm.clone(),
            pair.rival.clone(),
            found(pair.winner),
            basis(pair.basis).to_owned(),
            found(pair.arm_first),
            found(pair.rival_first),
            answer(&pair.arm),
            answer(&pair.rival),
        ])?;
    }
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The answers of a result by question, repetition and arm.
pub struct AnswersByArm<'r>(BTreeMap<(u32, u32, &'r str), &'r str>);

impl AnswersByArm<'_> {
    /// What an arm answered to the question of a pair.
    pub fn of(&self, pair: &PairRow, arm: &str) -> Option<&str> {
        self.0.get(&(pair.question, pair.repetition, arm)).copied()
    }
}

impl EvalResult {
    /// The answers of all cells.
    pub fn answers(&self) -> AnswersByArm<'_> {
        let mut answers = BTreeMap::new();
        for cell in &self.cells {
            let place = (cell.question, cell.repetition, cell.arm.as_str());
            cell.answer.as_deref().map(|answer| answers.insert(place, answer));
        }
        AnswersByArm(answers)
    }
}

fn better(winner: PairWinner) -> &'static str {
    match winner {
        PairWinner::Arm => "arm",
        PairWinner::Rival => "rival",
        PairWinner::Tie => "tie",
    }
}

fn basis(basis: PairBasis) -> &'static str {
    match basis {
        PairBasis::Graded => "graded",
        PairBasis::SameAnswer => "same_answer",
        PairBasis::NoAnswer => "no_answer",
    }
}

fn fields(result: &EvalResult, cell: &CellRow) -> [String; CELL_COLUMNS.len()] {
    let question = result.questions.get(cell.question as usize);
    let text = |text: Option<&String>| text.map_or_else(String::new, |text| plain(text));
    [
        text(question.map(|question| &question.id)),
        text(question.and_then(|question| question.category.as_ref())),
        text(question.and_then(|question| question.group.as_ref())),
        cell.arm.clone(),
        cell.repetition.to_string(),
        outcome(cell.outcome).to_owned(),
        text(cell.reason.as_ref()),
        figure(cell.score),
        text(cell.answer.as_ref()),
        plain(&question.map(|question| question.gold.join(" | ")).unwrap_or_default()),
        cell.flip.map_or("", flip).to_owned(),
        cell.samples.map(|samples| samples.to_string()).unwrap_or_default(),
        cell.calls.to_string(),
        cell.total_tokens.to_string(),
        cell.generated_tokens.to_string(),
        figure(cell.cost),
        cell.degraded.to_string(),
        cell.debates.join(" "),
        result.rehearsal.to_string(),
    ]
}

fn figure(of: Option<f64>) -> String {
    of.map(|figure| figure.to_string()).unwrap_or_default()
}

/// Control characters but line ends and tabs, and those that turn the direction of text.
fn is_unsafe(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && c != '\n' && c != '\t')
}

/// A text in which no spreadsheet finds a formula and no terminal an order.
pub(crate) fn plain(text: &str) -> String {
    let text: String = text.chars().filter(|c| !is_unsafe(*c)).collect();
    let lead = text.trim_start().chars().next();
    let formula = match lead {
        Some('=' | '@' | '＝' | '＠') => true,
        Some('+' | '-' | '＋' | '－') => NumberAnswer::read(&text).is_none(),
        Some(_) | None => false,
    };
    if formula { format!("'{text}") } else { text.to_owned() }
}

fn outcome(outcome: CellOutcome) -> &'static str {
    match outcome {
        CellOutcome::Right => "right",
        CellOutcome::Partly => "partly",
        CellOutcome::Tie => "tie",
        CellOutcome::Wrong => "wrong",
        CellOutcome::NoAnswer => "no_answer",
        CellOutcome::Failed => "failed",
        CellOutcome::Ungraded => "ungraded",
    }
}

fn flip(flip: CellFlip) -> &'static str {
    match flip {
        CellFlip::KeptRight => "kept_right",
        CellFlip::KeptWrong => "kept_wrong",
        CellFlip::WrongToRight => "wrong_to_right",
        CellFlip::RightToWrong => "right_to_wrong",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PlantedEval, sample_result};

    #[test]
    fn every_cell_is_a_row_that_reads_back() {
        let result = sample_result(20, 2);
        let text = cells_csv(&result).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        assert_eq!(reader.headers().unwrap(), CELL_COLUMNS.as_slice());
        let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
        assert_eq!(rows.len(), result.cells.len());
        for (row, cell) in rows.iter().zip(&result.cells) {
            assert_eq!((&row[3], &row[5]), (cell.arm.as_str(), outcome(cell.outcome)));
            assert_eq!(row[13].parse(), Ok(cell.total_tokens));
        }
    }

    #[test]
    fn formulas_in_answers_are_texts_and_negative_numbers_stay_numbers() {
        let mut eval = PlantedEval::new(2);
        eval.answered(0, "=HYPERLINK(\"http://x\")", 10).answered(1, "-5", 10);
        eval.samples(0, 0, &[Some("4"); 4], 10).samples(1, 0, &[Some("4"); 4], 10);
        let text = cells_csv(&eval.result()).unwrap();
        assert!(text.contains("'=HYPERLINK") && !text.contains(",=HYPERLINK"));
        assert!(text.contains(",-5,"));
        // an answer that nobody gave is empty
        assert!(!text.contains("None") && !text.contains("null"));
    }

    #[test]
    fn the_json_reads_as_the_result_and_an_unknown_figure_is_not_in_it() {
        let result = PlantedEval::new(1).result();
        let text = result_json(&result).unwrap();
        assert_eq!(serde_json::from_str::<EvalResult>(&text).unwrap(), result);
        assert!(text.ends_with("}\n") && !text.contains("null"));
    }
}
