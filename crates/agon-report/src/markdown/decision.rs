//! What came out: outcome, verdict, dissent, ballots and votes.
use super::escape::{blocks, inline, quoted};
use super::judges;
use super::page::Page;
use crate::block::ResultBlock;
use crate::key;
use crate::minutes::{Choice, Entry, Judged, Minutes};
use crate::text::{excerpt, plain, sentence};
use crate::verdict::{checked, verified};
use crate::words::{self, count};
use agon_core::{BallotStage, Citation, Ranked};

/// The result in ten seconds.
pub(super) fn outcome(page: &mut Page, minutes: &Minutes<'_>) {
    let block = ResultBlock::of(minutes);
    page.block(&format!("**{}:** {}", block.badge, inline(&block.headline)));
    for text in &block.texts {
        page.block(&format!("*{}:*", inline(&text.title)));
        match text.is_json {
            true => page.code("json", &plain(&text.text)),
            false => page.quote(&blocks(&text.text)),
        }
    }
    let row = |(label, value): &(&str, String)| format!("**{label}:** {}", inline(value));
    page.list(&block.reported().map(row).collect::<Vec<_>>());
}

/// The whole reasoning with its citations, and the verdict in words where the winner's words are others.
pub(super) fn reasoning(page: &mut Page, minutes: &Minutes<'_>, level: usize) {
    let Some(verdict) = minutes.verdict else { return };
    let answer = verdict.verdict.filter(|verdict| minutes.answer().and_then(|answer| answer.text) != Some(*verdict));
    if answer.is_none() && verdict.reasoning.is_none() {
        return;
    }
    page.heading(level, if answer.is_some() { "Verdict" } else { "Reasoning" });
    if let Some(answer) = answer {
        page.speech(answer);
    }
    if let Some(reasoning) = verdict.reasoning {
        if answer.is_some() {
            page.block("**Reasoning**");
        }
        page.speech(reasoning);
    }
    if let Some(key) = minutes.deciding().and_then(|(entry, judged)| view_key(minutes, entry, judged)) {
        page.block(&key);
    }
    let citations = minutes.citations();
    if !citations.is_empty() {
        let all = count(citations.len() as u64, "quotation");
        page.block(&format!("**Quotations** ({} of {all} verified)", verified(&citations)));
        page.list(&citations.into_iter().map(citation).collect::<Vec<_>>());
    }
    if let Some(claims) = minutes.verdict_claims().and_then(words::claims) {
        page.block(&format!("**Claims of the reasoning:** {claims}"));
    }
}

fn view_key(minutes: &Minutes<'_>, entry: &Entry<'_>, judged: Judged<'_>) -> Option<String> {
    key_to(minutes, entry, judged.order, [judged.verdict, judged.reasoning])
}

/// What the labels stand for, and the entries that a judge's words name: `Speaker A = Ada · entry 2: Bruno, round 1`.
pub(super) fn key_to<'t>(
    minutes: &Minutes<'_>,
    entry: &Entry<'_>,
    order: u32,
    words: impl IntoIterator<Item = &'t str>,
) -> Option<String> {
    let labels = key::labels(minutes.admission);
    let labels = labels.iter().map(|(label, name)| format!("{} = {}", inline(label), inline(name.as_str())));
    let entries = minutes.named_entries(entry, order, words);
    let entries = entries.iter().map(|named| {
        let (name, place) = (inline(named.participant.as_str()), inline(&minutes.place(named.turn.round)));
        format!("entry {}: {name}, {place}", named.number)
    });
    let parts: Vec<String> = labels.chain(entries).collect();
    (!parts.is_empty()).then(|| format!("*Key to the judge's view: {}*", parts.join(" · ")))
}

fn citation(citation: &Citation) -> String {
    let place = match (&citation.participant, citation.turn) {
        (Some(speaker), Some(turn)) => format!("{}, {turn}", inline(speaker.as_str())),
        (None, Some(turn)) => turn.to_string(),
        (_, None) => "no such speech".to_owned(),
    };
    let check = checked(citation.verified, citation.too_short);
    let check = if citation.verified { check.to_owned() } else { format!("**{check}**") };
    format!("“{}” ({place}; {check})", inline(&citation.quote))
}

pub(super) fn dissent(page: &mut Page, minutes: &Minutes<'_>, level: usize) {
    let (lost, ballots) = (minutes.lost(), minutes.dissenting());
    let split = minutes.order_sensitive();
    if lost.is_empty() && ballots.is_empty() && !split {
        return;
    }
    page.heading(level, "Dissent");
    if split {
        page.block("A judge did not name the same winner for both orders of presentation:");
        page.list(&minutes.judgements().map(|(entry, judged)| reading(minutes, entry, judged)).collect::<Vec<_>>());
        page.list(
            &minutes.rankings().map(|(entry, order, ranking)| first_of(entry, order, ranking)).collect::<Vec<_>>(),
        );
    }
    page.list(&lost.iter().map(|position| lost_position(minutes, position)).collect::<Vec<_>>());
    page.list(&ballots.into_iter().map(|(entry, ballot)| against(entry, ballot)).collect::<Vec<_>>());
}

fn first_of(entry: &Entry<'_>, order: u32, ranking: &[Ranked]) -> String {
    let first = ranking.first().map_or_else(|| "nobody".to_owned(), |first| inline(&first.candidate));
    format!("{}, order {}: **{first}** first.", words::office(entry.participant), order.saturating_add(1))
}

fn reading<'a>(minutes: &Minutes<'a>, entry: &Entry<'a>, judged: Judged<'a>) -> String {
    let winner = judged.winner.map_or_else(|| "a synthesis".to_owned(), inline);
    let key = view_key(minutes, entry, judged).map(|key| format!(" ({key})")).unwrap_or_default();
    let reasoning = inline(&excerpt(judged.reasoning, 400));
    let who = words::office(entry.participant);
    let checked = minutes.checked(entry, judged);
    format!("{who}, order {}: **{winner}** ({checked}). {reasoning}{key}", judged.order.saturating_add(1))
}

fn lost_position(minutes: &Minutes<'_>, position: &str) -> String {
    let last = minutes.last_word(position).map(|(entry, speech)| {
        format!(" Last word, by {}: “{}”", inline(words::who(entry.participant)), inline(&excerpt(&speech.text, 280)))
    });
    format!("{}{}", sentence(&format!("Did not win: **{}**", inline(position))), last.unwrap_or_default())
}

fn against(entry: &Entry<'_>, ballot: Choice<'_>) -> String {
    let reasons = inline(&words::reasons(ballot.reasons));
    let colon = if reasons.is_empty() { "" } else { ": " };
    format!(
        "{} still holds **{}** in the final ballot{colon}{reasons}",
        inline(words::who(entry.participant)),
        inline(ballot.choice)
    )
}

/// What the debate did to the first majority, and who moved.
pub(super) fn shift(page: &mut Page, minutes: &Minutes<'_>) {
    let Some(verdict) = minutes.verdict else { return };
    if minutes.ballots(BallotStage::Initial).next().is_none() {
        return;
    }
    let moved = verdict.moved.iter().map(|name| inline(name.as_str())).collect::<Vec<_>>().join(", ");
    let moved = if moved.is_empty() {
        "Nobody changed their ballot.".to_owned()
    } else {
        sentence(&format!("Changed their ballot: {moved}"))
    };
    page.block(&format!("{} {moved}", words::majority(verdict.majority, verdict.winner.is_some())));
}

pub(super) fn ballots(page: &mut Page, minutes: &Minutes<'_>) {
    let rows: Vec<Vec<String>> = [BallotStage::Initial, BallotStage::Final]
        .into_iter()
        .flat_map(|stage| minutes.ballots(stage).map(move |(entry, ballot)| (stage, entry, ballot)))
        .map(|(stage, entry, ballot)| ballot_row(words::stage(stage), entry, ballot))
        .collect();
    if !rows.is_empty() {
        page.heading(2, "Ballots");
        page.table(&["When", "Who", "Choice", "Reasons"], &rows);
        shift(page, minutes);
    }
}

fn ballot_row(when: &str, entry: &Entry<'_>, ballot: Choice<'_>) -> Vec<String> {
    let reasons = inline(&words::reasons(ballot.reasons));
    let choice = match ballot.choices {
        [] => inline(ballot.choice),
        choices => choices.iter().map(|choice| inline(choice)).collect::<Vec<_>>().join(", "),
    };
    let choice = format!("{choice}{}", words::sure(ballot.confidence));
    vec![when.to_owned(), inline(words::who(entry.participant)), choice, reasons]
}

pub(super) fn votes(page: &mut Page, minutes: &Minutes<'_>) {
    let Some(tally) = minutes.tally else { return };
    page.heading(2, if tally.rule.is_some() { "Votes" } else { "Points of the rankings" });
    let votes: Vec<_> = minutes.votes().map(|(entry, vote)| ballot_row(&cast(minutes, entry), entry, vote)).collect();
    page.table(&["", "Who", "For", "Reasons"], &votes);
    judges::scores(page, minutes);
    let counts: Vec<_> = tally.counts.iter().map(|(name, n)| vec![inline(name), words::got(tally.rule, *n)]).collect();
    page.table(&["Candidate", "Got"], &counts);
    let weights: Vec<_> = tally
        .weights
        .iter()
        .map(|weight| vec![inline(weight.voter.as_str()), inline(&words::weight(weight))])
        .collect();
    page.table(&["Voter", "Weight"], &weights);
    let winner = tally
        .winner
        .map_or_else(|| "Nobody met the rule.".to_owned(), |winner| sentence(&format!("Winner: {}", inline(winner))));
    if tally.rule.is_none() {
        let came = count(tally.eligible.into(), "ranking");
        return page.block(&format!("{} of {came} came; first place brings the most points. {winner}", tally.received));
    }
    page.block(&format!(
        "Rule: {}. {} of {} came. {winner}",
        tally.rule.map_or("the points of all rankings", words::rule),
        tally.received,
        count(tally.eligible.into(), "eligible vote")
    ));
}

/// `vote`, with its round where every round votes.
fn cast(minutes: &Minutes<'_>, entry: &Entry<'_>) -> String {
    let every = minutes.admission.spec.voting.is_some_and(|voting| voting.every_round);
    if every { format!("vote, {}", minutes.place(entry.turn.round)) } else { "vote".to_owned() }
}

/// Both judgements in full.
pub(super) fn judgements(page: &mut Page, minutes: &Minutes<'_>) {
    for (entry, judged) in minutes.judgements() {
        let winner = judged.winner.map_or_else(|| "a synthesis".to_owned(), inline);
        page.block(&format!(
            "**{}, order {}: {winner}** ({})",
            inline(words::who(entry.participant)),
            judged.order.saturating_add(1),
            minutes.checked(entry, judged)
        ));
        let key = view_key(minutes, entry, judged);
        let said = [blocks(judged.verdict), blocks(judged.reasoning)].into_iter().chain(key);
        page.block(&quoted(&said.collect::<Vec<_>>().join("\n\n")));
    }
}
