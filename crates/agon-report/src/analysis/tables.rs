//! The analysis as tables.
use super::citations::MOST_UNCITED;
use super::{Agreement, Analysis, Disagreement, VerdictGrounds};
use crate::document::{ReportBlock, ReportTable, TableCell};
use crate::text::{excerpt, one_line, sentence};
use crate::verdict::checked;
use crate::words::{claims, count, known, number};

/// What has to be said wherever strengths are shown.
pub(crate) const STRENGTH: &str = "A strength is what follows from who attacks and supports whom in the argument tree, \
    by DF-QuAD. It is a property of that graph and says nothing about truth: who speaks last is attacked least.";
/// Characters of an answer that stand in a cell.
const MOST_ANSWER: usize = 160;
/// Characters of a quotation that stand in a cell.
const MOST_QUOTE: usize = 120;

/// A part of the analysis.
#[derive(Default)]
struct TablePart {
    title: &'static str,
    /// Sentences above the rows.
    lines: Vec<String>,
    head: &'static [&'static str],
    rows: Vec<Vec<TableCell>>,
    /// What stands under the rows.
    note: Option<String>,
    /// What the rows are called where a page folds them.
    folded: Option<&'static str>,
}

impl TablePart {
    fn blocks<'m>(self) -> [ReportBlock<'m>; 3] {
        let table = ReportTable::of(self.title, self.head, self.rows);
        let table = ReportTable { note: self.note, open_ended: true, folded: self.folded, ..table };
        [ReportBlock::Heading(self.title), ReportBlock::Lines(self.lines), ReportBlock::Table(table)]
    }
}

fn speech(number: u32) -> TableCell {
    TableCell { speech: Some(number), ..TableCell::foreign(format!("T{number}")) }
}
fn count_cell(n: Option<u32>) -> TableCell {
    number_cell(n.map(u64::from))
}
fn number_cell(n: Option<u64>) -> TableCell {
    TableCell::foreign(known(n, number))
}
fn yes(holds: Option<bool>) -> TableCell {
    holds.map_or_else(unknown, |holds| TableCell::foreign(if holds { "yes" } else { "no" }))
}
fn name(name: &str) -> TableCell {
    TableCell::foreign(name)
}
fn strength(strength: Option<f64>) -> TableCell {
    strength.map_or_else(unknown, |strength| TableCell::foreign(format!("{strength:.3}")))
}
fn unknown() -> TableCell {
    number_cell(None)
}

impl Analysis {
    /// The parts of an analysis that have anything to show.
    pub(crate) fn tables<'m>(&self) -> Vec<ReportBlock<'m>> {
        let all = [
            Some(debaters(self)),
            relationships(self),
            Some(disagreement(&self.disagreement)),
            self.verdict_grounds.as_ref().map(grounds),
            strongest(self),
        ];
        all.into_iter().flatten().flat_map(TablePart::blocks).collect()
    }
}

fn debaters(analysis: &Analysis) -> TablePart {
    let rows = analysis.metrics.iter().map(|one| {
        vec![
            name(&one.debater),
            count_cell(one.speeches),
            number_cell(one.words),
            one.word_share.map_or_else(unknown, |share| TableCell::foreign(format!("{:.1} %", share * 100.0))),
            number_cell(one.generated_tokens),
            count_cell(one.attacks_made),
            count_cell(one.attacks_received),
            count_cell(one.attacks_answered),
        ]
    });
    TablePart {
        title: "Debaters",
        head: &[
            "Debater",
            "Speeches",
            "Words",
            "Share of words",
            "Generated tokens",
            "Attacks made",
            "Attacks received",
            "Of these answered",
        ],
        rows: rows.collect(),
        ..TablePart::default()
    }
}

fn relationships(analysis: &Analysis) -> Option<TablePart> {
    let rows = analysis.relationships.iter().map(|one| {
        vec![
            name(&one.from),
            name(&one.to),
            count_cell(one.attacks),
            count_cell(one.supports),
            count_cell(one.questions),
            count_cell(one.answers),
            yes(one.convinced),
            yes(one.agreed),
        ]
    });
    (!analysis.relationships.is_empty()).then(|| {
        TablePart {
        title: "Who to whom",
        head: &["From", "To", "Attacks", "Supports", "Questions", "Answers", "Convinced", "Agreed in the end"],
        rows: rows.collect(),
        note: Some(
            "Convinced: the last ballot differs from the first and is what the other stood for from the start. Whether \
             it was the other's words that did it is not known."
                .to_owned(),
        ),
        // The grid under the tree shows the attacks.
        folded: Some("Every pair"),
        ..TablePart::default()
    }
    })
}

fn disagreement(disagreement: &Disagreement) -> TablePart {
    let mut lines = vec![
        match disagreement.remains {
            Some(true) => "By the final ballots they still differ.",
            Some(false) => "By the final ballots they agree.",
            None => "Whether they still differ is unknown: there are not enough final ballots.",
        }
        .to_owned(),
    ];
    lines.extend(disagreement.sides.iter().map(|side| {
        let names: Vec<String> = side.held_by.iter().map(|name| one_line(name)).collect();
        sentence(&format!("“{}”: {}", excerpt(&side.position, MOST_ANSWER), names.join(", ")))
    }));
    if !disagreement.sides.is_empty() && !disagreement.without_ballot.is_empty() {
        let names: Vec<String> = disagreement.without_ballot.iter().map(|name| one_line(name)).collect();
        lines.push(sentence(&format!("No final ballot: {}", names.join(", "))));
    }
    lines.extend(disagreement.first_agreement.as_ref().zip(disagreement.last_agreement.as_ref()).map(agreement));
    let standing = disagreement.standing.as_ref();
    lines.extend(standing.map(|standing| match (standing.total, standing.of) {
        (_, 0) => "No speech attacked another.".to_owned(),
        (0, of) => format!("None of {} stands: each was answered.", count(of.into(), "attack")),
        (1, of) => format!("1 of {} stands: nobody answered it.", count(of.into(), "attack")),
        (total, of) => format!("{total} of {} stand: nobody answered them.", count(of.into(), "attack")),
    }));
    let rows = standing.iter().flat_map(|standing| &standing.attacks).map(|attack| {
        vec![
            speech(attack.from),
            name(&attack.by),
            speech(attack.to),
            name(&attack.on),
            number_cell(attack.severity.map(u64::from)),
        ]
    });
    let listed = standing.map_or(0, |standing| standing.attacks.len() as u32);
    let unlisted = standing.map_or(0, |standing| standing.total.saturating_sub(listed));
    TablePart {
        title: "What is still open",
        lines,
        head: &["Attack", "By", "On", "Of", "Severity"],
        rows: rows.collect(),
        note: (unlisted > 0).then(|| format!("{} not listed.", count(unlisted.into(), "more attack"))),
        ..TablePart::default()
    }
}

fn agreement((first, last): (&Agreement, &Agreement)) -> String {
    let how = |one: &Agreement| if one.by_answers { "of the named answers" } else { one.method.label() };
    if first.round == last.round {
        return format!("Agreement was measured in round {} alone: {:.2}, {}.", first.round, first.value, how(first));
    }
    let told = format!(
        "Agreement from round {} to round {}: {:.2} to {:.2}",
        first.round, last.round, first.value, last.value
    );
    if (first.by_answers, first.method) == (last.by_answers, last.method) {
        return format!("{told}, {}.", how(first));
    }
    format!("{told}; they cannot be compared: the first is {}, the last {}.", how(first), how(last))
}

fn grounds(grounds: &VerdictGrounds) -> TablePart {
    let rows = grounds.citations.iter().map(|ground| {
        let quote = ground.quote.as_deref().map_or_else(|| "not shown".to_owned(), |quote| excerpt(quote, MOST_QUOTE));
        vec![
            ground.number.map_or_else(|| TableCell::foreign("no such speech"), speech),
            ground.speaker.as_deref().map_or_else(unknown, name),
            TableCell::foreign(checked(ground.verified, ground.too_short)),
            strength(ground.strength),
            TableCell::foreign(quote),
        ]
    });
    let found = match (grounds.verified.verified, grounds.verified.total) {
        (_, 0) => "The judges quote nothing.".to_owned(),
        (found, total) => {
            format!("{found} of {} found where they are said to stand.", count(total as u64, "quotation"))
        }
    };
    let mut lines =
        vec![format!("{found} That the words were said is checked; whether they bear the judge's opinion out is not.")];
    lines.extend(claims(grounds.claims).map(|claims| format!("Of the judges' reasoning: {claims}.")));
    lines.extend(grounds.uncited.iter().map(|claim| format!("Without: “{}”", excerpt(claim, MOST_ANSWER))));
    if grounds.uncited.len() == MOST_UNCITED && grounds.claims.uncited > MOST_UNCITED {
        lines.push(format!("These are the first {MOST_UNCITED} without a citation."));
    }
    TablePart {
        title: "What the judges quote",
        lines,
        head: &["Speech", "Of", "Quotation", "Strength", "Words"],
        rows: rows.collect(),
        ..TablePart::default()
    }
}

fn strongest(analysis: &Analysis) -> Option<TablePart> {
    let beliefs = analysis.beliefs.as_ref().filter(|beliefs| !beliefs.strongest.is_empty())?;
    let rows = beliefs.strongest.iter().map(|one| {
        vec![
            TableCell::foreign(excerpt(&one.position, MOST_ANSWER)),
            speech(one.number),
            name(&one.speaker),
            strength(Some(one.strength)),
            count_cell(Some(one.equals)),
        ]
    });
    Some(TablePart {
        title: "The strongest speech for each position",
        head: &["Position", "Speech", "By", "Strength", "Others as strong"],
        rows: rows.collect(),
        ..TablePart::default()
    })
}
