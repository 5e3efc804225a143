//! The cells of an eval, by pages.
use crate::query::Query;
use crate::refusal::{RefusedPage, told};
use crate::shell::{NavPlace, Shell, page, piece};
use crate::site::ConsoleSite;
use crate::visitor::PageVisitor;
use crate::words;
use agon_proto::pb::v1 as pb;
use agon_report::{DigestArm, excerpt, one_line};
use agon_server::Problem;
use askama::Template;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use pb::eval_cell::Outcome;

/// Cells on one page.
const PAGE: i32 = 100;
/// Characters of an answer in a row.
const MOST_TEXT: usize = 160;
/// Debates that a row links to.
const MOST_LINKS: usize = 4;

/// Every outcome as addresses and pages name it, with its colour.
const OUTCOMES: [(Outcome, &str, &str); 7] = [
    (Outcome::Right, "right", "good"),
    (Outcome::Partly, "partly right", "mixed"),
    (Outcome::Tie, "tie", "mixed"),
    (Outcome::Wrong, "wrong", "bad"),
    (Outcome::NoAnswer, "no answer", "open"),
    (Outcome::Failed, "failed", "failed"),
    (Outcome::Ungraded, "not graded", "open"),
];

fn outcome(outcome: Outcome) -> (&'static str, &'static str) {
    let known = OUTCOMES.iter().find(|(known, ..)| *known == outcome);
    known.map_or(("unknown", "open"), |(_, word, class)| (*word, *class))
}

/// How a debate changed the answer of its first ballots.
fn flip(flip: &str) -> String {
    match flip {
        "kept_right" => "stayed right".to_owned(),
        "kept_wrong" => "stayed wrong".to_owned(),
        "wrong_to_right" => "wrong to right".to_owned(),
        "right_to_wrong" => "right to wrong".to_owned(),
        other => one_line(other),
    }
}

/// A question in an arm.
struct ListedCell {
    question: String,
    category: Option<String>,
    arm: String,
    /// Which time it was asked, from 1, where that is not the first.
    time: Option<u32>,
    outcome: (&'static str, &'static str),
    reason: Option<String>,
    answer: Option<String>,
    flip: Option<String>,
    tokens: String,
    degraded: bool,
    debates: Vec<String>,
    more_debates: usize,
}

impl ListedCell {
    fn of(cell: &pb::EvalCell, arms: &[DigestArm]) -> Self {
        let arm = arms.iter().find(|arm| arm.id == cell.arm).map(|arm| arm.name.clone());
        let debates: Vec<String> = cell.debates.iter().filter(|id| is_id(id)).take(MOST_LINKS).cloned().collect();
        let reason = cell.reason.as_deref().map(|reason| excerpt(&reason.replace('_', " "), MOST_TEXT));
        Self {
            question: excerpt(&cell.question, MOST_TEXT),
            category: cell.category.as_deref().map(one_line),
            arm: arm.unwrap_or_else(|| one_line(&cell.arm)),
            time: (cell.repetition > 0).then(|| cell.repetition.saturating_add(1)),
            outcome: outcome(cell.outcome()),
            reason: reason.filter(|reason| reason != outcome(cell.outcome()).0),
            answer: cell.answer.as_deref().map(|answer| excerpt(answer, MOST_TEXT)),
            flip: cell.flip.as_deref().map(flip),
            tokens: words::number(cell.total_tokens),
            degraded: cell.degraded,
            more_debates: cell.debates.len().saturating_sub(debates.len()),
            debates,
        }
    }
}

/// Whether a text is an id that an address can name.
fn is_id(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// A page of cells.
struct CellsTable {
    id: String,
    rows: Vec<ListedCell>,
    /// Where the next ones are.
    next: Option<String>,
    paged: bool,
    filtered: bool,
    /// What was wrong with the filter.
    wrong: Option<String>,
}

#[derive(Template)]
#[template(path = "evals/cells_page.html")]
struct CellsPage {
    shell: Shell,
    table: CellsTable,
    arms: Vec<DigestArm>,
    arm: String,
    outcome: String,
}

#[derive(Template)]
#[template(path = "evals/cells.html")]
struct CellsPiece {
    table: CellsTable,
}

impl CellsPage {
    fn outcomes(&self) -> impl Iterator<Item = &'static str> {
        OUTCOMES.into_iter().map(|(_, word, _)| word)
    }
}

/// `GET /evals/{id}/cells`
pub(crate) async fn cells(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
    query: RawQuery,
) -> Result<Response, RefusedPage> {
    let refused = |problem| RefusedPage::of(problem, &visitor.browser);
    let query = Query::read(query);
    let arms = site.api().eval_digest(&visitor.call, &name).await.map_err(refused)?.arms;
    let table = match found(&site, &visitor, &name, &query, &arms).await {
        Err(problem @ Problem::Invalid(_)) => CellsTable {
            id: name,
            rows: Vec::new(),
            next: None,
            paged: false,
            filtered: true,
            wrong: Some(told(&problem)),
        },
        table => table.map_err(refused)?,
    };
    if visitor.browser.piece {
        return Ok(piece(&CellsPiece { table }));
    }
    let shell = Shell::of(&visitor, NavPlace::Evals);
    let of = |name| query.filled(name).unwrap_or_default().to_owned();
    let shown = CellsPage { shell: shell.clone(), table, arms, arm: of("arm"), outcome: of("outcome") };
    Ok(page(&visitor, &shell, &shown))
}

async fn found(
    site: &ConsoleSite,
    visitor: &PageVisitor,
    name: &str,
    query: &Query,
    arms: &[DigestArm],
) -> Result<CellsTable, Problem> {
    let wanted = query.filled("outcome").map(named).transpose()?;
    let page_token = query.filled("page").unwrap_or_default().to_owned();
    let paged = !page_token.is_empty();
    let request = pb::ListCellsRequest {
        name: name.to_owned(),
        page_size: PAGE,
        page_token,
        arm: query.filled("arm").map(str::to_owned),
        outcome: wanted.unwrap_or(Outcome::Unspecified).into(),
    };
    let answer = site.api().list_cells(&visitor.call, &request).await?;
    let next = Some(&answer.next_page_token).filter(|token| !token.is_empty());
    Ok(CellsTable {
        id: name.to_owned(),
        rows: answer.cells.iter().map(|cell| ListedCell::of(cell, arms)).collect(),
        next: next.map(|token| query.with("page", token)),
        paged,
        filtered: request.arm.is_some() || wanted.is_some(),
        wrong: None,
    })
}

fn named(word: &str) -> Result<Outcome, Problem> {
    let known = OUTCOMES.iter().find(|(_, known, _)| *known == word);
    known
        .map(|(outcome, ..)| *outcome)
        .ok_or_else(|| Problem::invalid("outcome", format!("there is no outcome {word:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_has_a_word_that_leads_back_to_it() {
        for number in 1..=7 {
            let known = Outcome::try_from(number).unwrap();
            assert_eq!(named(outcome(known).0).unwrap(), known);
        }
        assert!(named("righteous").is_err() && Outcome::try_from(8).is_err());
    }

    #[test]
    fn a_row_links_to_debates_alone_and_names_its_arm() {
        let cell = pb::EvalCell {
            question: "q1".to_owned(),
            arm: "self_consistency@panel".to_owned(),
            repetition: 1,
            outcome: Outcome::Failed.into(),
            reason: Some("model_unavailable".to_owned()),
            debates: ["a-1", "../x", "b", "c", "d", "e"].map(str::to_owned).to_vec(),
            ..pb::EvalCell::default()
        };
        let row = ListedCell::of(&cell, &[]);
        assert_eq!((row.debates.len(), row.more_debates, row.time), (4, 2, Some(2)));
        assert_eq!(row.debates[1], "b");
        assert_eq!((row.reason.as_deref(), row.arm.as_str()), (Some("model unavailable"), "self_consistency@panel"));
    }
}
