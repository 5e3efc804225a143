//! The table of debates.
mod running;

pub(crate) use running::RunningFigures;

use crate::query::Query;
use crate::refusal::{RefusedPage, told};
use crate::shell::{NavPlace, Shell, page, piece};
use crate::site::ConsoleSite;
use crate::visitor::PageVisitor;
use crate::words;
use agon_core::Outcome;
use agon_proto::pb::debate::v1 as debate_v1;
use agon_proto::pb::v1 as pb;
use agon_report::{Expense, excerpt, one_line};
use agon_server::{EVAL_LABEL, Problem};
use askama::Template;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use futures_util::{StreamExt as _, stream};

/// Debates on one page.
const PAGE: i32 = 50;
/// Characters of a text in the table.
const MOST_TEXT: usize = 140;
/// Logs that are read at once.
const AT_ONCE: usize = 8;
/// Labels of a debate that the table shows.
const MOST_LABELS: usize = 4;

/// A debate in the table.
pub(crate) struct ListedDebate {
    pub id: String,
    pub topic: String,
    pub state: &'static str,
    /// How far it is, where it runs: done and planned.
    pub progress: Option<(u64, u64)>,
    pub outcome: Option<&'static str>,
    /// Why it failed or waits.
    pub reason: Option<String>,
    pub rehearsal: bool,
    pub duration: Option<String>,
    pub admitted: String,
    pub age: String,
    pub labels: Vec<(String, String)>,
    pub open: bool,
    /// What won.
    pub winner: Option<String>,
    /// Who is against it, in words.
    pub dissent: Option<String>,
    pub models: Vec<String>,
    pub tokens: Option<String>,
    pub cost: Option<String>,
    /// Its figures are not known now.
    pub unread: bool,
    /// The debate that it judges again.
    pub rejudges: Option<String>,
    /// The newest debate that judges it again.
    pub rejudged_by: Option<String>,
}

impl ListedDebate {
    /// A row of a debate as the list has it.
    pub fn of(debate: &pb::Debate, rejudgements: &[pb::Debate], now: u64) -> Self {
        let created = debate.create_time.as_ref().map(words::millis).unwrap_or(now);
        let open = words::is_open(debate.state());
        let progress = debate.progress.as_ref().filter(|progress| open && progress.calls_planned > 0);
        Self {
            id: debate.id.clone(),
            topic: excerpt(&debate.topic, MOST_TEXT),
            state: words::state(debate.state()),
            progress: progress
                .map(|progress| (progress.calls_done.min(progress.calls_planned), progress.calls_planned)),
            outcome: words::outcome(debate),
            reason: debate
                .reason
                .as_ref()
                .and_then(|reason| reason.detail.as_deref())
                .map(|text| excerpt(text, MOST_TEXT)),
            rehearsal: debate.rehearsal,
            duration: words::taken(debate, now).map(words::duration),
            admitted: words::moment(created),
            age: words::age(now.saturating_sub(created)),
            labels: debate
                .labels
                .iter()
                .take(MOST_LABELS)
                .map(|(key, value)| (one_line(key), one_line(value)))
                .collect(),
            open,
            winner: debate.winner.as_deref().map(one_line),
            dissent: debate.dissent.as_ref().and_then(words::dissent),
            models: debate.models.iter().map(|model| one_line(&model.model)).collect(),
            tokens: debate.usage.as_ref().and_then(tokens),
            cost: debate.expenses.as_ref().and_then(cost),
            unread: running::is_running(debate) && debate.usage.is_none(),
            rejudges: debate.rejudges.clone(),
            rejudged_by: rejudgements
                .iter()
                .find(|new| new.rejudges.as_ref() == Some(&debate.id))
                .map(|new| new.id.clone()),
        }
    }
}

fn tokens(usage: &pb::debate::Usage) -> Option<String> {
    words::tokens(usage.prompt_tokens.saturating_add(usage.completion_tokens), usage.unknown_calls)
}

fn cost(expenses: &pb::debate::Expenses) -> Option<String> {
    let unit = |one: &pb::debate::Expense| Expense::unit(&one.currency, one.list_prices.as_deref());
    let amounts = expenses.amounts.iter().map(|one| (one.amount, unit(one)));
    words::cost(amounts, expenses.unknown_calls)
}

/// The debates that fit.
struct DebateTable {
    rows: Vec<ListedDebate>,
    /// Where older ones are.
    older: Option<String>,
    /// These are not the newest.
    paged: bool,
    /// The filter, as an address.
    query: String,
    /// What was wrong with the filter.
    wrong: Option<String>,
    /// The filter asks for something.
    filtered: bool,
}

impl DebateTable {
    /// Whether any price is known.
    fn costs(&self) -> bool {
        self.rows.iter().any(|row| row.cost.is_some())
    }
}

/// What the form of the filter holds.
struct FilterForm {
    text: String,
    label: String,
    /// The word of a state or an outcome.
    state: String,
    model: String,
}

#[derive(Template)]
#[template(path = "debates/page.html")]
struct DebatesPage {
    shell: Shell,
    table: DebateTable,
    filter: FilterForm,
}

#[derive(Template)]
#[template(path = "debates/table.html")]
struct DebatesPiece {
    shell: Shell,
    table: DebateTable,
}

impl DebatesPage {
    /// The words that the column of the table has. An address may ask for any state.
    fn states(&self) -> impl Iterator<Item = &str> {
        let outcomes = words::OUTCOMES.into_iter().map(Outcome::as_str);
        let states = words::STATES.into_iter().filter(|(state, _)| *state != pb::debate::State::Succeeded);
        let all: Vec<&str> = states.map(|(_, word)| word).chain(outcomes).collect();
        let asked = Some(self.filter.state.as_str()).filter(|word| !word.is_empty() && !all.contains(word));
        all.into_iter().chain(asked)
    }
}

/// `GET /`
pub(crate) async fn list(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    query: RawQuery,
) -> Result<Response, RefusedPage> {
    let query = Query::read(query);
    let table = match filter(&query) {
        Ok(filter) => found(&site, &visitor, &query, filter).await,
        Err(problem) => Err(problem),
    };
    let table = match table {
        Ok(table) => table,
        Err(problem @ Problem::Invalid(_)) => DebateTable {
            rows: Vec::new(),
            older: None,
            paged: false,
            query: query.with("", ""),
            wrong: Some(told(&problem)),
            filtered: true,
        },
        Err(problem) => return Err(RefusedPage::of(problem, &visitor.browser)),
    };
    let shell = Shell::of(&visitor, NavPlace::Debates);
    if visitor.browser.piece {
        return Ok(piece(&DebatesPiece { shell, table }));
    }
    let of = |name| query.filled(name).unwrap_or_default().to_owned();
    let filter = FilterForm {
        text: of("text"),
        label: of("label"),
        state: query.filled("state").or(query.filled("outcome")).unwrap_or_default().to_owned(),
        model: of("model"),
    };
    Ok(page(&visitor, &shell.clone(), &DebatesPage { shell, table, filter }))
}

async fn found(
    site: &ConsoleSite,
    visitor: &PageVisitor,
    query: &Query,
    filter: pb::DebateFilter,
) -> Result<DebateTable, Problem> {
    let page_token = query.filled("page").unwrap_or_default().to_owned();
    let filtered = pb::DebateFilter { without_label: String::new(), ..filter.clone() } != pb::DebateFilter::default();
    let paged = !page_token.is_empty();
    let request = pb::ListDebatesRequest { page_size: PAGE, page_token, filter: Some(filter) };
    let answer = site.api().list(&visitor.call, &request).await?;
    let now_known = |debate| site.running().up_to_date(site.api(), &visitor.call, debate);
    let debates = stream::iter(answer.debates).map(now_known);
    let debates: Vec<pb::Debate> = debates.buffered(AT_ONCE).collect().await;
    // a mark that is missing now is there with the next look
    let rejudgements = site.api().rejudgements(&visitor.call, &debates).await.unwrap_or_default();
    let now = words::now();
    let older = Some(&answer.next_page_token).filter(|token| !token.is_empty());
    Ok(DebateTable {
        rows: debates.iter().map(|debate| ListedDebate::of(debate, &rejudgements, now)).collect(),
        older: older.map(|token| query.with("page", token)),
        paged,
        query: query.with("", ""),
        wrong: None,
        filtered,
    })
}

/// The filter that an address asks for.
fn filter(query: &Query) -> Result<pb::DebateFilter, Problem> {
    let mut filter =
        pb::DebateFilter { text: query.filled("text").unwrap_or_default().to_owned(), ..Default::default() };
    filter.models = query.all("model").map(str::to_owned).collect();
    // as `agon list` does: the debates of evals are listed where they are asked for
    if !query.all("label").any(|label| label.split('=').next() == Some(EVAL_LABEL)) {
        filter.without_label = EVAL_LABEL.to_owned();
    }
    // what a debate that has ended came to stands in the place of its state
    for word in query.all("state").chain(query.all("outcome")) {
        let state = words::STATES.iter().find(|(_, known)| *known == word);
        let outcome = words::OUTCOMES.into_iter().find(|known| known.as_str() == word);
        match (state, outcome) {
            (Some((state, _)), _) => filter.states.push((*state).into()),
            (None, Some(outcome)) => filter.outcomes.push(debate_v1::Outcome::from(outcome).into()),
            (None, None) => return Err(Problem::invalid("state", format!("there is no state {word:?}"))),
        }
    }
    for pair in query.all("label") {
        // a key alone asks for any value
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        filter.labels.insert(key.trim().to_owned(), value.trim().to_owned());
    }
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pb::debate::State as DebateState;

    fn filtered(query: &str) -> Result<pb::DebateFilter, Problem> {
        filter(&Query::read(RawQuery(Some(query.to_owned()))))
    }

    #[test]
    fn the_filter_takes_the_words_of_the_column_of_states() {
        assert_eq!(filtered("state=running").unwrap().states, [i32::from(DebateState::Running)]);
        let tie = i32::from(debate_v1::Outcome::Tie);
        assert_eq!(filtered("state=tie").unwrap().outcomes, [tie]);
        let old = filtered("state=succeeded&outcome=tie").unwrap();
        assert_eq!((old.states, old.outcomes), (vec![i32::from(DebateState::Succeeded)], vec![tie]));
        assert!(filtered("state=won").is_err());
    }

    #[test]
    fn figures_that_cannot_be_read_are_no_zeros_and_a_new_judgement_is_marked() {
        let known = pb::debate::Usage::default();
        let debate = |usage| pb::Debate {
            id: "old-1".to_owned(),
            state: DebateState::Running.into(),
            usage,
            ..pb::Debate::default()
        };
        let away = ListedDebate::of(&debate(None), &[], 0);
        assert_eq!((away.unread, away.tokens), (true, None));
        let new = pb::Debate { id: "new-1".to_owned(), rejudges: Some("old-1".to_owned()), ..debate(Some(known)) };
        let row = ListedDebate::of(&debate(Some(known)), std::slice::from_ref(&new), 0);
        assert_eq!((row.unread, row.tokens.as_deref(), row.rejudged_by.as_deref()), (false, Some("0"), Some("new-1")));
        assert_eq!(ListedDebate::of(&new, &[], 0).rejudges.as_deref(), Some("old-1"));
    }
}
