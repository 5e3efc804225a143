//! What debating changed, and how: flips, drift, conformity, lost truth, order, diversity.
use super::one_drawing;
use crate::eval::document::{EvalBlock, EvalDrawing, EvalFigure, EvalTable};
use crate::eval::draw::{BandsFigure, FlipBar, FlipBars};
use crate::eval::words;
use crate::text::one_line;
use crate::words::number;
use agon_eval::*;

/// Debates that are drawn as bands at most; bars and tables have all.
const MOST_BANDS: usize = 6;

/// Flips of results and ballots.
pub(in crate::eval) fn changed(result: &EvalResult) -> Vec<EvalBlock> {
    [results(result), ballots(result), divided(result)].into_iter().flatten().collect()
}

fn results(result: &EvalResult) -> Option<EvalBlock> {
    let known: Vec<(&InsideDebates, ResultFlips)> =
        result.inside.iter().filter_map(|inside| Some((inside, inside.results?))).collect();
    if known.is_empty() {
        return None;
    }
    let bar = |(inside, flips): &(&InsideDebates, ResultFlips)| FlipBar {
        name: one_line(&inside.debate.0),
        harmed: flips.right_to_wrong.into(),
        mended: flips.wrong_to_right.into(),
    };
    let bars = FlipBars {
        title: "Results that changed from the vote of the first ballots to the verdict".to_owned(),
        description: "To the left, results that went from right to wrong; to the right, from wrong to right. The numbers are in the table.".to_owned(),
        rows: known.iter().map(bar).collect(),
    };
    let row = |(inside, flips): &(&InsideDebates, ResultFlips)| {
        let counts = [flips.wrong_to_right, flips.right_to_wrong, flips.kept_right, flips.kept_wrong];
        let mut row = vec![one_line(&inside.debate.0)];
        row.extend(counts.map(|n| number(n.into())));
        row.push(words::known(flips.mended, |share| words::rate(&share)));
        row.push(words::known(flips.broken, |share| words::rate(&share)));
        row.push(words::known(flips.p, words::p));
        row
    };
    let head = [
        "Debate",
        "#Wrong to right",
        "#Right to wrong",
        "#Kept right",
        "#Kept wrong",
        "#Votes not right, turned right [95 %]",
        "#Right votes turned wrong [95 %]",
        "#p",
    ];
    Some(EvalBlock::Figure(EvalFigure {
        title: "Results: from the first vote to the verdict".to_owned(),
        note:
            "How many questions the debate turned right and how many it turned wrong, compared with a vote of the ballots cast before it. A vote that ties is not right."
                .to_owned(),
        drawings: one_drawing(bars.svg()),
        keys: Vec::new(),
        table: EvalTable::of("Flips of results", &head, known.iter().map(row).collect()).known_columns(),
    }))
}

fn ballots(result: &EvalResult) -> Option<EvalBlock> {
    let known: Vec<(&InsideDebates, FlipCounts)> =
        result.inside.iter().filter_map(|inside| Some((inside, inside.ballots?))).collect();
    if known.is_empty() {
        return None;
    }
    let drawing = |(inside, flips): &(&InsideDebates, FlipCounts)| {
        let bands = BandsFigure {
            title: format!("Ballots of {} from first to last", one_line(&inside.debate.0)),
            description:
                "Bands from right and wrong first ballots to right and wrong last ballots. The numbers are in the table."
                    .to_owned(),
            kept_right: flips.kept_right.into(),
            harmed: flips.right_to_wrong.into(),
            mended: flips.wrong_to_right.into(),
            kept_wrong: flips.kept_wrong.into(),
            other_wrong: flips.wrong_to_other.into(),
        };
        Some(EvalDrawing { title: (known.len() > 1).then(|| one_line(&inside.debate.0)), svg: bands.svg()? })
    };
    let rows = known.iter().map(|(inside, flips)| flip_row(one_line(&inside.debate.0), flips)).collect();
    Some(EvalBlock::Figure(EvalFigure {
        title: "Ballots: from first to last".to_owned(),
        note: "Private ballots before the debate and after it, right or wrong. Bands that cross are ballots that changed sides.".to_owned(),
        drawings: known.iter().take(MOST_BANDS).filter_map(drawing).collect(),
        keys: Vec::new(),
        table: EvalTable::of("Flips of ballots", &flip_head("Debate"), rows).known_columns(),
    }))
}

fn divided(result: &EvalResult) -> Option<EvalBlock> {
    let several = result.inside.len() > 1;
    let row = |(inside, row): (&InsideDebates, &FlipRow)| {
        let by = match row.by {
            FlipDivision::Persona => "persona",
            FlipDivision::Model => "model",
            FlipDivision::Format => "format",
            FlipDivision::Round => "round",
        };
        let debate = if several { format!("{}: ", one_line(&inside.debate.0)) } else { String::new() };
        flip_row(format!("{debate}{by} {}", one_line(&row.value)), &row.flips)
    };
    let all = result.inside.iter().flat_map(|inside| inside.ballots_by.iter().map(move |row| (inside, row)));
    let rows: Vec<Vec<String>> = all.map(row).collect();
    (!rows.is_empty()).then(|| {
        EvalBlock::Table(
            EvalTable::of("Flips by persona, model, format and round", &flip_head("Whose"), rows).known_columns(),
        )
    })
}

fn flip_head(first: &str) -> [&str; 8] {
    [
        first,
        "#Wrong to right",
        "#Right to wrong",
        "#Wrong to other wrong",
        "#Kept right",
        "#Kept wrong",
        "#Of wrong ones, turned right [95 %]",
        "#Of right ones, turned wrong [95 %]",
    ]
}

fn flip_row(name: String, flips: &FlipCounts) -> Vec<String> {
    let counts = [flips.wrong_to_right, flips.right_to_wrong, flips.wrong_to_other, flips.kept_right, flips.kept_wrong];
    let mut row = vec![name];
    row.extend(counts.map(|n| number(n.into())));
    row.push(words::known(flips.mended, |share| words::rate(&share)));
    row.push(words::known(flips.broken, |share| words::rate(&share)));
    row
}

/// What happened inside the debates: one table, a row for each figure.
pub(in crate::eval) fn group(result: &EvalResult) -> Vec<EvalBlock> {
    let several = result.inside.len() > 1;
    let mut blocks = Vec::new();
    for inside in &result.inside {
        let rows = inside_rows(inside);
        if rows.is_empty() {
            continue;
        }
        if several {
            blocks.push(EvalBlock::Heading(one_line(&inside.debate.0)));
        }
        let head = ["Figure", "#Value [95 %]", "#Of", "What it means"];
        let label = format!("Inside the debates of {}", one_line(&inside.debate.0));
        blocks.push(EvalBlock::Table(EvalTable::of(label, &head, rows)));
    }
    blocks
}

fn inside_rows(inside: &InsideDebates) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    let mut share = |name: &str, estimate: Option<Estimate>, meaning: &str| {
        let Some(estimate) = estimate else { return };
        out.push(vec![name.to_owned(), words::rate(&estimate), number(estimate.n.into()), meaning.to_owned()]);
    };
    let drift = inside.drift.as_ref();
    share("Right ballots, first", drift.map(|drift| drift.first), "Of the ballots before the debate.");
    share("Right ballots, last", drift.map(|drift| drift.last), "Of the ballots after it.");
    let conformity = inside.conformity.as_ref();
    share("Moved to the majority", conformity.map(|of| of.all), "Of the ballots outside the first majority.");
    share("Moved to a right majority", conformity.and_then(|of| of.to_right), "Of those outside a right majority.");
    share(
        "Moved to a wrong majority",
        conformity.and_then(|of| of.to_wrong),
        "Of those outside a wrong majority: conformity against the truth.",
    );
    share(
        "Moved without a new argument",
        conformity.and_then(|of| of.unchallenged),
        "Of the moves: no attack and no answer had reached the debater.",
    );
    let lost = inside.lost_truth.as_ref();
    share("Lost truth", lost.map(|of| of.lost), "A first ballot was right, and the verdict is wrong.");
    share("Collapse", lost.and_then(|of| of.collapsed), "First ballots contested, last ballots unanimous and wrong.");
    if let Some(order) = &inside.order {
        for row in &order.rows {
            let value = one_line(&row.value);
            let name = match row.by {
                OrderPlace::RightSeat => format!("Right verdicts, only seat {value} right first"),
                OrderPlace::LastSpeaker => format!("Right verdicts, last speaker {value} first"),
                OrderPlace::JudgeOrder => format!("Right verdicts, judge's order {value}"),
            };
            share(&name, Some(row.right), "If order matters, rows of this kind differ.");
        }
        share("Judges that changed with the order", order.judges_changed, "The same debate, read in two orders.");
    }
    if let Some(diversity) = &inside.diversity {
        for model in &diversity.models {
            share(
                &format!("{} alone", one_line(&model.model)),
                Some(model.right),
                "Right first answers of this model.",
            );
        }
        for pair in &diversity.pairs {
            out.push(vec![
                format!("{} and {} err alike", one_line(&pair.first), one_line(&pair.second)),
                words::plain_estimate(&pair.agreement, 2),
                number(pair.agreement.n.into()),
                "Agreement beyond chance: 1 always the same, 0 by chance alone.".to_owned(),
            ]);
        }
    }
    if let Some(drift) = &inside.drift {
        let meaning = "Last minus first. If debating does not pull toward the truth, this is 0 on average.".to_owned();
        out.insert(
            2.min(out.len()),
            vec!["Drift".to_owned(), words::difference(&drift.change), number(drift.change.n.into()), meaning],
        );
    }
    out
}
