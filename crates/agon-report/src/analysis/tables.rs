//! The analysis as tables that every report shows in its own way. No text is escaped here.
use super::grounds::MOST_UNCITED;
use super::{Agreement, Analysis, Disagreement, VerdictGrounds};
use crate::text::{excerpt, one_line, sentence};
use crate::verdict::checked;
use crate::words::{claims, count, known, method, number};

/// What has to be said wherever strengths are shown.
pub(crate) const STRENGTH: &str = "A strength is what follows from who attacks and supports whom in the argument tree, \
    by DF-QuAD. It is a property of that graph and says nothing about truth: who speaks last is attacked least.";
/// Characters of an answer that stand in a cell.
const MOST_ANSWER: usize = 160;
/// Characters of a quotation that stand in a cell.
const MOST_QUOTE: usize = 120;

/// A part of the analysis.
pub(crate) struct Table {
    pub(crate) title: &'static str,
    /// Sentences above the rows.
    pub(crate) lines: Vec<String>,
    pub(crate) head: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// What stands under the rows.
    pub(crate) note: Option<String>,
}

/// A cell of a table.
pub(crate) struct Cell {
    pub(crate) text: String,
    /// The number of the speech that it names.
    pub(crate) speech: Option<u32>,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, speech: None }
    }
}
impl Cell {
    fn speech(number: u32) -> Self {
        Self { text: format!("T{number}"), speech: Some(number) }
    }
    fn count(n: Option<u32>) -> Self {
        known(n.map(u64::from), number).into()
    }
    fn yes(holds: Option<bool>) -> Self {
        match holds {
            Some(true) => "yes".to_owned().into(),
            Some(false) => "no".to_owned().into(),
            None => unknown(),
        }
    }
    fn name(name: &str) -> Self {
        one_line(name).into()
    }
    fn strength(strength: Option<f64>) -> Self {
        strength.map_or_else(unknown, |strength| format!("{strength:.3}").into())
    }
}
fn unknown() -> Cell {
    known(None, number).into()
}

/// The parts of an analysis that have anything to show, with `most` rows each.
pub(crate) fn tables(analysis: &Analysis, most: usize) -> Vec<Table> {
    let all = [
        Some(debaters(analysis)),
        relationships(analysis),
        Some(disagreement(&analysis.disagreement)),
        analysis.verdict_grounds.as_ref().map(grounds),
        strongest(analysis),
    ];
    let mut tables: Vec<Table> = all.into_iter().flatten().collect();
    for table in &mut tables {
        let more = table.rows.len().saturating_sub(most);
        if more > 0 {
            table.rows.truncate(most);
            let more = format!("{} in the result as JSON.", count(more as u64, "more row"));
            table.note = Some(table.note.take().map_or(more.clone(), |note| format!("{more} {note}")));
        }
    }
    tables
}

fn debaters(analysis: &Analysis) -> Table {
    let rows = analysis.metrics.iter().map(|one| {
        vec![
            Cell::name(&one.debater),
            Cell::count(one.speeches),
            known(one.words, number).into(),
            one.word_share.map_or_else(unknown, |share| format!("{:.1} %", share * 100.0).into()),
            known(one.generated_tokens, number).into(),
            Cell::count(one.attacks_made),
            Cell::count(one.attacks_received),
            Cell::count(one.attacks_answered),
        ]
    });
    Table {
        title: "Debaters",
        lines: Vec::new(),
        head: vec![
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
        note: None,
    }
}

fn relationships(analysis: &Analysis) -> Option<Table> {
    let rows = analysis.relationships.iter().map(|one| {
        vec![
            Cell::name(&one.from),
            Cell::name(&one.to),
            Cell::count(one.attacks),
            Cell::count(one.supports),
            Cell::count(one.questions),
            Cell::count(one.answers),
            Cell::yes(one.convinced),
            Cell::yes(one.agreed),
        ]
    });
    (!analysis.relationships.is_empty()).then(|| {
        Table {
        title: "Who to whom",
        lines: Vec::new(),
        head: vec!["From", "To", "Attacks", "Supports", "Questions", "Answers", "Convinced", "Agreed in the end"],
        rows: rows.collect(),
        note: Some(
            "Convinced: the last ballot differs from the first and is what the other stood for from the start. Whether \
             it was the other's words that did it is not known."
                .to_owned(),
        ),
    }
    })
}

fn disagreement(disagreement: &Disagreement) -> Table {
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
            Cell::speech(attack.from),
            Cell::name(&attack.by),
            Cell::speech(attack.to),
            Cell::name(&attack.on),
            known(attack.severity.map(u64::from), number).into(),
        ]
    });
    let listed = standing.map_or(0, |standing| standing.attacks.len() as u32);
    let unlisted = standing.map_or(0, |standing| standing.total.saturating_sub(listed));
    Table {
        title: "What is still open",
        lines,
        head: vec!["Attack", "By", "On", "Of", "Severity"],
        rows: rows.collect(),
        note: (unlisted > 0).then(|| format!("{} not listed.", count(unlisted.into(), "more attack"))),
    }
}

fn agreement((first, last): (&Agreement, &Agreement)) -> String {
    let how = |one: &Agreement| if one.by_answers { "of the named answers" } else { method(one.method) };
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

fn grounds(grounds: &VerdictGrounds) -> Table {
    let rows = grounds.citations.iter().map(|ground| {
        let quote = ground.quote.as_deref().map_or_else(|| "not shown".to_owned(), |quote| excerpt(quote, MOST_QUOTE));
        vec![
            ground.number.map_or_else(|| "no such speech".to_owned().into(), Cell::speech),
            ground.speaker.as_deref().map_or_else(unknown, Cell::name),
            checked(ground.verified, ground.too_short).to_owned().into(),
            Cell::strength(ground.strength),
            quote.into(),
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
    Table {
        title: "What the judges quote",
        lines,
        head: vec!["Speech", "Of", "Quotation", "Strength", "Words"],
        rows: rows.collect(),
        note: None,
    }
}

fn strongest(analysis: &Analysis) -> Option<Table> {
    let beliefs = analysis.beliefs.as_ref().filter(|beliefs| !beliefs.strongest.is_empty())?;
    let rows = beliefs.strongest.iter().map(|one| {
        vec![
            excerpt(&one.position, MOST_ANSWER).into(),
            Cell::speech(one.number),
            Cell::name(&one.speaker),
            Cell::strength(Some(one.strength)),
            Cell::count(Some(one.equals)),
        ]
    });
    Some(Table {
        title: "The strongest speech for each position",
        lines: Vec::new(),
        head: vec!["Position", "Speech", "By", "Strength", "Others as strong"],
        rows: rows.collect(),
        note: None,
    })
}
