//! What the votes, judges and ballots come to.
use crate::file::{ANSWERS, TEAMS};
use crate::model::CallNote;
use crate::rounds::stated_answer;
use crate::walk::{DebateWalk, Together, WalkHalt, WalkStep};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default, PartialEq, Eq)]
pub struct ForetoldCount {
    pub counts: BTreeMap<String, u64>,
    pub eligible: u64,
    pub received: u64,
    pub winner: Option<String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct ForetoldConsensus {
    pub answer: Option<String>,
    pub top: u64,
    pub eligible: u64,
    pub strength: &'static str,
    /// Unknown where the documents do not say.
    pub contested: Option<bool>,
    pub source: &'static str,
}

/// Decides the debate by its strategy.
pub fn decide(walk: &mut DebateWalk<'_>) -> WalkStep {
    let mut contested = Some(false);
    match walk.file.strategy {
        "vote" => {
            if !walk.file.every_round {
                vote(walk)?;
            }
            won(walk)?;
        }
        "judge" => contested = Some(judged(walk)?),
        "ranked_reasons" => contested = Some(ranked(walk)?),
        "mediator_summary" => return mediated(walk),
        _ => (walk.end.outcome, walk.end.reason) = (Some("inconclusive"), Some("no_decision_wanted")),
    }
    let objected = |note: &CallNote| note.answer["open_objections"].as_array().is_some_and(|all| !all.is_empty());
    let objections = walk.notes.iter().any(|note| note.fate == crate::model::Fate::Good && objected(note));
    contested = contested.map(|contested| contested || objections || walk.severe);
    consensus(walk, contested);
    majority(walk);
    if walk.end.outcome == Some("decided") && !walk.lost.is_empty() {
        walk.end.outcome = Some("degraded");
    }
    Ok(())
}

/// All candidates of a decision.
fn candidates(walk: &DebateWalk<'_>) -> Vec<String> {
    let file = walk.file;
    let answers = |all: Vec<String>| all.into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
    match file.format {
        "critique_revision" => walk.authors(),
        "bp_style" => TEAMS.map(str::to_owned).to_vec(),
        _ if file.strategy == "vote" && file.rule == "anonymous_scoring" => spoke(walk),
        _ if file.options => ANSWERS.map(str::to_owned).to_vec(),
        "poll" => answers(
            walk.said.iter().filter_map(|said| stated_answer(&walk.notes[said.note].text).map(str::to_owned)).collect(),
        ),
        _ if file.deliberative => answers(walk.ballots[usize::from(!file.every_round)].values().cloned().collect()),
        _ => walk.stances(),
    }
}

fn spoke(walk: &DebateWalk<'_>) -> Vec<String> {
    walk.names().into_iter().filter(|name| walk.said.iter().any(|said| said.by == *name)).collect()
}

/// What a voter chooses from.
fn choices(walk: &DebateWalk<'_>, voter: &str) -> Vec<String> {
    let (file, all) = (walk.file, candidates(walk));
    if file.strategy == "vote" && file.rule == "anonymous_scoring" {
        return spoke(walk).into_iter().filter(|name| name != voter).collect();
    }
    if !file.excludes_self || file.judges_vote {
        return all;
    }
    let ballots = &walk.ballots[usize::from(!file.every_round)];
    let own = match file.format {
        "critique_revision" => Some(voter.to_owned()),
        _ if file.deliberative => ballots
            .get(voter)
            .filter(|own| !ballots.iter().any(|(name, answer)| name != voter && answer == *own))
            .cloned(),
        _ => file.side(voter),
    };
    let others: Vec<String> = all.iter().filter(|candidate| Some(*candidate) != own.as_ref()).cloned().collect();
    if others.is_empty() { all } else { others }
}

fn judges(walk: &DebateWalk<'_>) -> Vec<String> {
    (1..=walk.file.panel).map(|n| if n == 1 { "judge".to_owned() } else { format!("judge-{n}") }).collect()
}

fn voters(walk: &DebateWalk<'_>) -> Vec<String> {
    if walk.file.judges_vote { judges(walk) } else { walk.names() }
}

/// Every voter votes once; a poll's samples are its votes.
pub fn vote(walk: &mut DebateWalk<'_>) -> WalkStep {
    walk.voted_rounds += 1;
    if walk.file.format == "poll" {
        walk.votes = walk.said.iter().map(|said| (said.by.clone(), said.note)).collect();
        return Ok(());
    }
    let (task, pointer) = match walk.file.rule {
        "borda" => ("ranked vote", "/properties/ranking/items/enum"),
        "approval" => ("approval vote", "/properties/approved/items/enum"),
        "anonymous_scoring" => ("score debaters", "/properties/scores/items/properties/name/enum"),
        _ => ("vote", "/properties/choice/enum"),
    };
    for voter in voters(walk) {
        let wanted = choices(walk, &voter);
        let Some(at) = walk.seats(&[(voter.clone(), task, String::new())], Together::AtOnce, true)?.remove(0) else {
            continue;
        };
        let found: Vec<String> =
            walk.notes[at].allowed(pointer).iter().map(|label| unmasked(walk, &walk.notes[at], label)).collect();
        walk.same(&format!("candidates of {voter} ({task})"), &found, &wanted)?;
        walk.votes.push((voter, at));
    }
    Ok(())
}

/// Whose label this is in a prompt, by the speeches under it.
fn unmasked(walk: &DebateWalk<'_>, note: &CallNote, label: &str) -> String {
    let mut shown = "";
    for line in note.prompt.lines() {
        if let Some(header) = line.strip_prefix("### [").and_then(|rest| rest.split_once("] ")) {
            shown = header.1.split(" |").next().unwrap_or_default();
        }
        let whose = walk.said.iter().find(|said| line.contains(&walk.notes[said.note].mark));
        if let Some(said) = whose.filter(|_| shown == label) {
            return said.by.clone();
        }
    }
    label.to_owned()
}

/// What a note chooses, best first.
fn chosen(walk: &DebateWalk<'_>, at: usize) -> Vec<String> {
    let note = &walk.notes[at];
    let list = ["ranking", "approved"].into_iter().find_map(|member| note.answer[member].as_array());
    let name =
        |value: &serde_json::Value| value["candidate"].as_str().or(value.as_str()).unwrap_or_default().to_owned();
    match list {
        Some(list) => list.iter().map(|value| unmasked(walk, note, &name(value))).collect(),
        None if note.answer.is_null() => stated_answer(&note.text).map(str::to_owned).into_iter().collect(),
        None => vec![unmasked(walk, note, note.chosen("choice"))],
    }
}

fn counted(walk: &DebateWalk<'_>) -> (ForetoldCount, u64) {
    let file = walk.file;
    let voters = if file.format == "poll" { file.samples } else { voters(walk).len() as u64 };
    let mut counts: BTreeMap<String, u64> = candidates(walk).into_iter().map(|name| (name, 0)).collect();
    let mut totals: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (voter, at) in &walk.votes {
        let all = chosen(walk, *at);
        let weight = file.persona(voter).map_or(1_000, |persona| persona.weight);
        let sure = walk.notes[*at].answer["confidence"].as_u64().unwrap_or(100);
        match file.rule {
            "borda" => {
                all.iter().rev().zip(0..).for_each(|(name, points)| *counts.entry(name.clone()).or_default() += points)
            }
            "anonymous_scoring" => {
                for score in walk.notes[*at].answer["scores"].as_array().into_iter().flatten() {
                    let whom = unmasked(walk, &walk.notes[*at], score["name"].as_str().unwrap_or_default());
                    let total = ["clarity", "evidence", "originality", "on_topic"]
                        .iter()
                        .filter_map(|scale| score[scale].as_u64())
                        .sum();
                    totals.entry(whom).or_default().push(total);
                }
            }
            "weighted" => *counts.entry(all[0].clone()).or_default() += weight * sure / 100,
            _ => all.iter().for_each(|name| *counts.entry(name.clone()).or_default() += 1),
        }
    }
    for (whom, totals) in totals {
        counts.insert(whom, totals.iter().sum::<u64>() * 1_000 / totals.len() as u64);
    }
    // who has no vote keeps its whole weight among the eligible ones
    let whole = whole_round(walk) * walk.voted_rounds;
    let weight_of = |voter: &str| file.persona(voter).map_or(1_000, |persona| persona.weight);
    let voted: u64 = walk.votes.iter().map(|(voter, _)| weight_of(voter)).sum();
    let cast: u64 = counts.values().sum();
    let needed = if file.rule == "weighted" { whole - voted + cast } else { voters * walk.voted_rounds };
    let count =
        ForetoldCount { counts, eligible: voters * walk.voted_rounds, received: walk.votes.len() as u64, winner: None };
    (count, needed)
}

/// Whether the rule is met by the top count.
fn met(rule: &str, top: u64, second: u64, eligible: u64) -> bool {
    match rule {
        "majority" | "weighted" => 2 * top > eligible,
        "supermajority" => 3 * top >= 2 * eligible,
        "unanimous" => top == eligible,
        _ => top > second,
    }
}

fn tops(counts: &BTreeMap<String, u64>) -> (u64, u64, Vec<&String>) {
    let mut all: Vec<u64> = counts.values().copied().collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    let top = all.first().copied().unwrap_or(0);
    (
        top,
        all.get(1).copied().unwrap_or(0),
        counts.iter().filter(|(_, count)| **count == top).map(|(name, _)| name).collect(),
    )
}

fn won(walk: &mut DebateWalk<'_>) -> WalkStep {
    let (mut count, eligible) = counted(walk);
    if count.received == 0 {
        return Err(WalkHalt::Failed("no_votes"));
    }
    let (top, second, firsts) = tops(&count.counts);
    let winner = (top > 0 && met(walk.file.rule, top, second, eligible)).then(|| firsts[0].clone());
    (walk.end.outcome, walk.end.reason) = match () {
        () if winner.is_some() => (Some("decided"), None),
        () if firsts.len() > 1 && top > 0 => (Some("tie"), None),
        () => (Some("inconclusive"), Some("rule_not_met")),
    };
    (count.winner, walk.end.winner) = (winner.clone(), winner);
    walk.end.counts = Some(count);
    Ok(())
}

/// The weight of all votes of a round.
fn whole_round(walk: &DebateWalk<'_>) -> u64 {
    walk.file.personas.iter().map(|persona| persona.weight).sum()
}

/// Whether no vote that is left can change the winner any more.
pub fn settled(walk: &DebateWalk<'_>) -> bool {
    let (count, weights) = counted(walk);
    let (top, second, firsts) = tops(&count.counts);
    let (held, all) = (walk.voted_rounds, u64::from(walk.file.rounds));
    let per_round = count.eligible / held;
    let left = per_round * (all - held);
    match walk.file.rule {
        "unanimous" => top < count.eligible,
        "plurality" | "approval" => firsts.len() == 1 && top - second > left,
        "borda" => firsts.len() == 1 && top - second > left * (count.counts.len() as u64).saturating_sub(1),
        "weighted" => met("weighted", top, second, weights + whole_round(walk) * (all - held)),
        rule => met(rule, top, second, per_round * all),
    }
}

/// The winner of each reading of a judge, null for a synthesis; nothing where it failed.
type Readings = Vec<Option<Option<String>>>;

/// What the judges find; whether that makes a consensus contested.
fn judged(walk: &mut DebateWalk<'_>) -> WalkStep<bool> {
    let wanted = candidates(walk);
    let mut readings: Vec<Readings> = Vec::new();
    for judge in judges(walk) {
        let mut own = Vec::new();
        for _ in 0..walk.file.orders {
            let at = walk.seat_of_many(&judge, "judge")?;
            let Some(note) = at.map(|at| &walk.notes[at]) else {
                own.push(None);
                continue;
            };
            let found: Vec<String> =
                note.allowed("/properties/winner/enum").iter().map(|label| unmasked(walk, note, label)).collect();
            walk.same(&format!("candidates of {judge}"), &found, &wanted)?;
            own.push(Some(note.answer["winner"].as_str().map(|label| unmasked(walk, note, label))));
        }
        readings.push(own);
    }
    found(walk, &readings)
}

fn found(walk: &mut DebateWalk<'_>, readings: &[Readings]) -> WalkStep<bool> {
    let whole = |own: &&Readings| own.iter().all(Option::is_some);
    let sensitive = |own: &&Readings| whole(own) && own.iter().any(|reading| *reading != own[0]);
    let findings: Vec<&Option<String>> =
        readings.iter().filter(|own| whole(own) && !sensitive(own)).filter_map(|own| own[0].as_ref()).collect();
    let most = findings.iter().find(|one| 2 * findings.iter().filter(|other| other == one).count() > readings.len());
    let differ = findings.iter().any(|one| *one != findings[0]);
    let contested = differ || readings.iter().any(|own| sensitive(&own));
    if readings.iter().flatten().all(Option::is_none) {
        return Err(WalkHalt::Failed("judge_failed"));
    }
    (walk.end.outcome, walk.end.reason) = match most {
        Some(_) => (Some("decided"), None),
        None if readings.len() > 1 => (Some("inconclusive"), Some("panel_split")),
        None if contested => (Some("inconclusive"), Some("order_sensitive")),
        None => (Some("inconclusive"), Some("judge_incomplete")),
    };
    walk.end.winner = most.and_then(|winner| (*winner).clone());
    Ok(contested)
}

/// The judges' rankings: each is for its first, and their points are counted.
fn ranked(walk: &mut DebateWalk<'_>) -> WalkStep<bool> {
    let names = if walk.file.format == "bp_style" { candidates(walk) } else { walk.names() };
    let mut count =
        ForetoldCount { counts: names.iter().map(|name| (name.clone(), 0)).collect(), ..ForetoldCount::default() };
    let mut readings: Vec<Readings> = Vec::new();
    for judge in judges(walk) {
        let mut own = Vec::new();
        for _ in 0..walk.file.orders {
            let order = walk.seat_of_many(&judge, "rank")?.map(|at| chosen(walk, at));
            own.push(order.as_ref().map(|order| order.first().cloned()));
            for (name, points) in order.iter().flat_map(|order| order.iter().rev().zip(0..)) {
                *count.counts.entry(name.clone()).or_default() += points;
            }
        }
        count.eligible += walk.file.orders;
        count.received += own.iter().flatten().count() as u64;
        readings.push(own);
    }
    let contested = found(walk, &readings)?;
    count.winner = walk.end.winner.clone();
    walk.end.counts = Some(count);
    Ok(contested)
}

/// The moderator's decision, whose wording the documents leave to it: nobody wins.
fn mediated(walk: &mut DebateWalk<'_>) -> WalkStep {
    for task in ["mediator decision", "closing summary"] {
        if walk.next_call("moderator", task).is_some() {
            walk.seat("moderator", task, "", true)?;
        }
    }
    walk.end.outcome = None;
    Ok(())
}

fn consensus(walk: &mut DebateWalk<'_>, contested: Option<bool>) {
    let file = walk.file;
    let single = file.strategy == "vote"
        && matches!(file.rule, "majority" | "supermajority" | "unanimous" | "plurality" | "weighted");
    let mut heads: BTreeMap<String, u64> = BTreeMap::new();
    let (source, eligible) = if single {
        walk.votes.iter().for_each(|(_, at)| *heads.entry(chosen(walk, *at)[0].clone()).or_default() += 1);
        ("votes", counted(walk).0.eligible)
    } else if file.ballots != "none" {
        walk.ballots[1].values().for_each(|answer| *heads.entry(answer.clone()).or_default() += 1);
        ("final_ballots", file.personas.len() as u64)
    } else {
        return;
    };
    let (top, _, firsts) = tops(&heads);
    let strength = match () {
        () if top == eligible => "unanimous",
        () if 10 * top > 8 * eligible => "strong",
        () if 10 * top >= 6 * eligible => "moderate",
        () if 2 * top > eligible => "weak",
        () => "split",
    };
    let answer = (firsts.len() == 1).then(|| firsts[0].clone());
    let contested = contested.map(|contested| contested && strength != "unanimous");
    walk.end.consensus = Some(ForetoldConsensus { answer, top, eligible, strength, contested, source });
}

/// What became of the first majority, and who moved.
fn majority(walk: &mut DebateWalk<'_>) {
    let [first, last] = &walk.ballots;
    walk.end.moved = last
        .iter()
        .filter(|(name, answer)| first.get(*name).is_some_and(|old| old != *answer))
        .map(|(name, _)| name.clone())
        .collect();
    let mut heads: BTreeMap<&String, usize> = BTreeMap::new();
    first.values().for_each(|answer| *heads.entry(answer).or_default() += 1);
    let strict =
        heads.iter().find(|(_, count)| 2 * **count > walk.file.personas.len()).map(|(answer, _)| (*answer).clone());
    let winner = walk.end.winner.as_ref().and_then(|winner| match walk.file.persona(winner) {
        Some(_) if walk.file.format == "critique_revision" => Some(winner.clone()),
        Some(_) if walk.file.deliberative => last.get(winner).cloned(),
        Some(_) => walk.file.side(winner),
        None => Some(winner.clone()),
    });
    walk.end.majority = Some(match (strict, winner) {
        (Some(strict), Some(winner)) if strict == winner => "kept",
        (Some(_), Some(_)) => "overturned",
        _ => "none",
    });
}
