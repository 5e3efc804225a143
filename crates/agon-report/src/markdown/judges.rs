//! What the judges found, one by one, the synthesis, and what voters scored.
use super::decision::key_to;
use super::escape::inline;
use super::page::Page;
use crate::minutes::Minutes;
use crate::words;

/// Rankings with their reasons.
pub(super) fn rankings(page: &mut Page, minutes: &Minutes<'_>) {
    for (entry, order, ranking) in minutes.rankings() {
        let who = inline(words::who(entry.participant));
        page.block(&format!("**{who}, order {}: ranking**", order.saturating_add(1)));
        let rows: Vec<Vec<String>> = (1..)
            .zip(ranking)
            .map(|(place, one): (u32, _)| vec![place.to_string(), inline(&one.candidate), inline(&one.reason)])
            .collect();
        page.table(&["Place", "Candidate", "Why"], &rows);
        if let Some(key) = key_to(minutes, entry, order, ranking.iter().map(|one| one.reason.as_str())) {
            page.block(&key);
        }
    }
}

/// Critical objections that nobody answered, as the judges see it.
pub(super) fn objections(page: &mut Page, minutes: &Minutes<'_>, level: usize) {
    let items: Vec<String> =
        minutes.open_objections().map(|(who, text)| format!("{}: {}", inline(words::who(who)), inline(text))).collect();
    if !items.is_empty() {
        page.heading(level, "Critical objections that stand unanswered");
        page.list(&items);
    }
}

/// What every voter scored every other debater with.
pub(super) fn scores(page: &mut Page, minutes: &Minutes<'_>) {
    let rows: Vec<Vec<String>> = minutes
        .debater_scores()
        .flat_map(|(entry, scores)| {
            scores.iter().map(move |score| {
                let scales = score.score.scales().map(|(_, value)| value.to_string());
                let names = [inline(words::who(entry.participant)), inline(score.debater.as_str())];
                names.into_iter().chain(scales).chain([score.score.total().to_string()]).collect()
            })
        })
        .collect();
    page.table(&["By", "Of", "Clarity", "Evidence", "Originality", "On topic", "Total"], &rows);
}
