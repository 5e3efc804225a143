//! Two debates side by side.
mod difference;
mod rows;

use crate::query::Query;
use crate::refusal::RefusedPage;
use crate::shell::{NavPlace, Shell, page};
use crate::site::ConsoleSite;
use crate::visitor::PageVisitor;
use agon_report::{DebateResult, cut_short, one_line};
use agon_server::{CallContext, Problem, WholeLog};
use askama::Template;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use difference::{DiffLine, FileDifference, difference};
use rows::{ComparedRow, compared};

/// What was chosen to be compared.
#[derive(Debug, Default, PartialEq, Eq)]
struct ComparedIds {
    ids: Vec<String>,
}

impl ComparedIds {
    /// `pick` from the table of debates, `a` and `b` from the form.
    fn of(query: &Query) -> Self {
        let typed = ["a", "b"].into_iter().filter_map(|name| query.filled(name));
        let ids = query.all("pick").chain(typed).map(id_of).collect();
        Self { ids }
    }
    fn at(&self, place: usize) -> &str {
        self.ids.get(place).map_or("", String::as_str)
    }
}

/// An id, or what somebody copied from the address of a debate's page.
fn id_of(typed: &str) -> String {
    typed.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned()
}

#[derive(Template)]
#[template(path = "compare/choose.html")]
struct ChoosePage {
    shell: Shell,
    choice: ComparedIds,
    wrong: Option<String>,
}

/// One of both debates.
struct ComparedSide {
    id: String,
    topic: String,
    rehearsal: bool,
}

#[derive(Template)]
#[template(path = "compare/page.html")]
struct ComparePage {
    shell: Shell,
    sides: [ComparedSide; 2],
    rows: Vec<ComparedRow>,
    difference: FileDifference,
}

/// `GET /compare`
pub(crate) async fn show(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    query: RawQuery,
) -> Result<Response, RefusedPage> {
    let choice = ComparedIds::of(&Query::read(query));
    let wrong = match choice.ids.as_slice() {
        [] => None,
        [_] => Some("One debate is chosen; a comparison needs two.".to_owned()),
        [a, b] if a == b => Some("Both are the same debate; choose another one.".to_owned()),
        [a, b] => match both(&site, &visitor.call, a, b).await {
            Ok(logs) => {
                return drawn(&visitor, logs).await.map_err(|problem| RefusedPage::of(problem, &visitor.browser));
            }
            Err(problem @ (Problem::NoDebate(_) | Problem::Invalid(_) | Problem::Lost(_))) => {
                Some(one_line(&problem.to_string()))
            }
            Err(problem) => return Err(RefusedPage::of(problem, &visitor.browser)),
        },
        more => Some(format!("{} debates are chosen; a comparison has two.", more.len())),
    };
    let shell = Shell::of(&visitor, NavPlace::Debates);
    Ok(page(&visitor, &shell, &ChoosePage { shell: shell.clone(), choice, wrong }))
}

async fn both(site: &ConsoleSite, call: &CallContext, a: &str, b: &str) -> Result<[WholeLog; 2], Problem> {
    Ok([site.api().debate_log(call, a).await?, site.api().debate_log(call, b).await?])
}

async fn drawn(visitor: &PageVisitor, logs: [WholeLog; 2]) -> Result<Response, Problem> {
    let shell = Shell::of(visitor, NavPlace::Debates);
    let framed = shell.clone();
    let drawing = tokio::task::spawn_blocking(move || page_of(framed, &logs)).await;
    let drawing = drawing.map_err(|error| Problem::Internal(format!("the debates were not compared: {error}")))?;
    Ok(page(visitor, &shell, &drawing?))
}

fn page_of(shell: Shell, [a, b]: &[WholeLog; 2]) -> Result<ComparePage, Problem> {
    let minutes = [a.minutes()?, b.minutes()?];
    let cuts = minutes.each_ref().map(cut_short);
    let [first, second] = minutes.each_ref().map(DebateResult::of);
    let file = |log: &WholeLog| agon_spec::normalize(log.debate().spec());
    Ok(ComparePage {
        shell,
        rows: compared(&first, &second, cuts),
        difference: difference(&file(a), &file(b)),
        sides: [side(a, first), side(b, second)],
    })
}

fn side(log: &WholeLog, result: DebateResult) -> ComparedSide {
    let id = log.debate().admission().id.name().to_owned();
    ComparedSide { id, topic: one_line(&result.topic), rehearsal: result.rehearsal }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(query: &str) -> Vec<String> {
        ComparedIds::of(&Query::read(RawQuery(Some(query.to_owned())))).ids
    }

    #[test]
    fn debates_are_picked_from_the_table_or_typed() {
        assert_eq!(choice("pick=x&pick=y"), ["x", "y"]);
        assert_eq!(choice("a=+x+&b=http://h/debates/y/"), ["x", "y"]);
        assert_eq!(choice("a=&pick=x"), ["x"]);
    }
}
