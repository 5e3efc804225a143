//! How personas and models did in debates that ended.
mod rows;

use crate::query::Query;
use crate::refusal::RefusedPage;
use crate::shell::{NavPlace, Shell, page};
use crate::site::ConsoleSite;
use crate::visitor::PageVisitor;
use crate::words;
use agon_proto::pb::v1 as pb;
use agon_report::one_line;
use askama::Template;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use rows::{BallotRow, MomentRow, PositionRow, RatedFlip, RatedPair, RatingRow};

/// Rows of one table.
const MOST_ROWS: usize = 200;

/// What figures are based on.
struct BasisView {
    rehearsal: bool,
    /// Nothing counts yet.
    empty: bool,
    /// In words.
    sentence: String,
}

impl BasisView {
    fn of(basis: Option<pb::Basis>, rehearsal: bool, left_off: u64) -> Self {
        let pb::Basis { debates, truncated, .. } = basis.unwrap_or_default();
        let noun = match (rehearsal, debates) {
            (true, 1) => "rehearsal",
            (true, _) => "rehearsals",
            (false, 1) => "debate",
            (false, _) => "debates",
        };
        let newest = if truncated { "the newest " } else { "" };
        let older = if truncated { " Older ones are not counted." } else { "" };
        let left = match left_off {
            0 => String::new(),
            1 => " 1 row is not shown.".to_owned(),
            rows => format!(" {} rows are not shown.", words::number(rows)),
        };
        let debates_told = words::number(debates);
        let sentence = format!("From {newest}{debates_told} {noun} that ended with a result.{older}{left}");
        Self { rehearsal, empty: debates == 0, sentence }
    }
    /// The part of an address that keeps to rehearsals.
    fn query(&self) -> &'static str {
        if self.rehearsal { "?rehearsal=true" } else { "" }
    }
}

fn wants_rehearsal(query: &Query) -> bool {
    query.filled("rehearsal") == Some("true")
}

/// The first rows of a table, and how many have no room.
fn first<T, R>(rows: &[T], row: impl Fn(&T) -> R, left_off: &mut u64) -> Vec<R> {
    *left_off += rows.len().saturating_sub(MOST_ROWS) as u64;
    rows.iter().take(MOST_ROWS).map(row).collect()
}

/// The newest rows of a table that begins with the oldest, newest first.
fn newest<T, R>(rows: &[T], row: impl Fn(&T) -> R, left_off: &mut u64) -> Vec<R> {
    *left_off += rows.len().saturating_sub(MOST_ROWS) as u64;
    rows.iter().rev().take(MOST_ROWS).map(row).collect()
}

#[derive(Template)]
#[template(path = "ratings/page.html")]
struct RatingsPage {
    shell: Shell,
    basis: BasisView,
    personas: Vec<RatingRow>,
    models: Vec<RatingRow>,
}

/// `GET /ratings`
pub(crate) async fn list(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    query: RawQuery,
) -> Result<Response, RefusedPage> {
    let rehearsal = wants_rehearsal(&Query::read(query));
    let answer = site.api().ratings(&visitor.call, &pb::ListRatingsRequest { rehearsal }).await;
    let answer = answer.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    let shell = Shell::of(&visitor, NavPlace::Ratings);
    let mut left_off = answer.left_off;
    let personas = first(&answer.personas, RatingRow::of_persona, &mut left_off);
    let models = first(&answer.models, RatingRow::of_model, &mut left_off);
    let basis = BasisView::of(answer.basis, rehearsal, left_off);
    Ok(page(&visitor, &shell.clone(), &RatingsPage { shell, basis, personas, models }))
}

#[derive(Template)]
#[template(path = "ratings/persona.html")]
struct PersonaPage {
    shell: Shell,
    name: String,
    basis: BasisView,
    ratings: Vec<RatingRow>,
    ballots: Vec<BallotRow>,
    positions: Vec<PositionRow>,
    flips: Vec<RatedFlip>,
    moments: Vec<MomentRow>,
    pairs: Vec<RatedPair>,
}

/// `GET /ratings/{persona}`
pub(crate) async fn show(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
    query: RawQuery,
) -> Result<Response, RefusedPage> {
    let rehearsal = wants_rehearsal(&Query::read(query));
    let record = site.api().persona(&visitor.call, &pb::GetPersonaRequest { name, rehearsal }).await;
    let record = record.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    let shell = Shell::of(&visitor, NavPlace::Ratings);
    Ok(page(&visitor, &shell.clone(), &PersonaPage::of(shell, &record, rehearsal)))
}

impl PersonaPage {
    fn of(shell: Shell, record: &pb::PersonaRecord, rehearsal: bool) -> Self {
        let mut left_off = record.left_off;
        let left = &mut left_off;
        Self {
            shell,
            name: one_line(&record.name),
            ratings: first(&record.ratings, RatingRow::of_persona, left),
            ballots: record.ratings.iter().take(MOST_ROWS).map(BallotRow::of).collect(),
            positions: newest(&record.positions, PositionRow::of, left),
            flips: newest(&record.flips, RatedFlip::of, left),
            moments: newest(&record.moments, MomentRow::of, left),
            pairs: first(&record.relationships, |pair| RatedPair::of(pair, &record.name), left),
            basis: BasisView::of(record.basis, rehearsal, left_off),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_basis_is_told_in_a_sentence() {
        let told = |debates, truncated, rehearsal, left_off| {
            let basis = pb::Basis { debates, truncated, rehearsal };
            BasisView::of(Some(basis), rehearsal, left_off).sentence
        };
        assert_eq!(told(1, false, true, 0), "From 1 rehearsal that ended with a result.");
        assert_eq!(
            told(10_000, true, false, 7),
            "From the newest 10,000 debates that ended with a result. Older ones are not counted. 7 rows are not shown."
        );
        assert!(BasisView::of(None, false, 0).empty);
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let rows: Vec<usize> = (0..250).collect();
        let mut left_off = 1;
        assert_eq!(first(&rows, |n| *n, &mut left_off).last(), Some(&199));
        assert_eq!(newest(&rows, |n| *n, &mut left_off).first(), Some(&249));
        assert_eq!(left_off, 101);
    }
}
