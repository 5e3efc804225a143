//! Who is for the answer and who against it, by name, and who changed.
use crate::minutes::Minutes;
use crate::text::{excerpt, one_line};
use crate::words;
use agon_core::tally::same_answer;
use agon_core::{BallotForm, BallotStage, Ballots, ConsensusStrategy, DebateSpec, SelfVotes, Voters};

/// Characters of an answer that stands behind a name.
const MOST_ANSWER: usize = 80;

/// Whether it stands behind a name that it has changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Changes {
    Told,
    /// It stands elsewhere.
    Untold,
}

/// What somebody holds in the end, and what it held before where that was something else.
struct FinalChoice<'a> {
    who: &'a str,
    choice: &'a str,
    /// All that a voter approves of, where the rule asks for that.
    approved: &'a [String],
    before: Option<&'a str>,
}

impl FinalChoice<'_> {
    fn is_for(&self, winner: &str) -> bool {
        same_answer(self.choice, winner) || self.approved.iter().any(|choice| same_answer(choice, winner))
    }
}

/// The lines on who is for and against.
pub(super) fn of(minutes: &Minutes<'_>, changes: Changes) -> Vec<(&'static str, String)> {
    if minutes.verdict.is_none() {
        return Vec::new();
    }
    let spec = &minutes.admission.spec;
    let by_votes = spec.consensus_strategy == ConsensusStrategy::Vote && minutes.votes().next().is_some();
    let mut held = if by_votes { votes(minutes) } else { ballots(minutes) };
    if changes == Changes::Untold {
        held.iter_mut().for_each(|one| one.before = None);
    }
    if held.is_empty() {
        return argued(minutes).into_iter().chain(silent(minutes)).collect();
    }
    let winner = minutes.winner().and_then(|won| if by_votes { Some(won) } else { minutes.stands_for(won) });
    // Judges who vote are neither for nor against what debaters stand for.
    let judges_vote = spec.voting.as_ref().is_some_and(|voting| voting.voters == Voters::Judges);
    let mere_votes = by_votes && (own_left_out(spec) || judges_vote);
    let labels = if mere_votes { ["Votes", "Others"] } else { ["For", "Against"] };
    let mut rows = match winner {
        Some(winner) => for_and_against(winner, &held, labels),
        None => by_answer(&held, labels[0]),
    };
    rows.extend(silent(minutes));
    rows
}

/// Whether nobody may vote for itself: then a vote does not say what the voter is for.
fn own_left_out(spec: &DebateSpec) -> bool {
    spec.voting.as_ref().is_some_and(|voting| voting.self_votes == SelfVotes::Exclude)
}

fn for_and_against(
    winner: &str,
    held: &[FinalChoice<'_>],
    [pro, contra]: [&'static str; 2],
) -> Vec<(&'static str, String)> {
    let (with, against): (Vec<&FinalChoice<'_>>, Vec<&FinalChoice<'_>>) =
        held.iter().partition(|one| one.is_for(winner));
    let with: Vec<String> = with.into_iter().map(|one| named(one.who, None, one.before)).collect();
    let against: Vec<String> = against.into_iter().map(|one| named(one.who, Some(one.choice), one.before)).collect();
    vec![(pro, listed(&with, ", ")), (contra, listed(&against, "; "))]
}

/// Without a winner, each answer with those who hold it.
fn by_answer(held: &[FinalChoice<'_>], label: &'static str) -> Vec<(&'static str, String)> {
    let mut answers: Vec<(&str, Vec<String>)> = Vec::new();
    for one in held {
        let name = named(one.who, None, one.before);
        match answers.iter_mut().find(|(answer, _)| same_answer(answer, one.choice)) {
            Some((_, names)) => names.push(name),
            None => answers.push((one.choice, vec![name])),
        }
    }
    answers
        .into_iter()
        .map(|(answer, names)| (label, format!("{}: {}", quoted(answer), listed(&names, ", "))))
        .collect()
}

/// `Bruno for “Wait a year” (changed from “Invest now”)`.
fn named(who: &str, choice: Option<&str>, before: Option<&str>) -> String {
    let choice = match choice {
        Some(own) if own == who => " for its own".to_owned(),
        Some(choice) => format!(" for {}", quoted(choice)),
        None => String::new(),
    };
    let before = before.map(|before| format!(" (changed from {})", quoted(before))).unwrap_or_default();
    one_line(&format!("{}{choice}{before}", words::who(who)))
}

fn quoted(answer: &str) -> String {
    format!("“{}”", excerpt(answer, MOST_ANSWER))
}

/// Names; parted by semicolons where what each is for stands behind it.
fn listed(names: &[String], parted_by: &str) -> String {
    if names.is_empty() { "nobody".to_owned() } else { names.join(parted_by) }
}

fn ballots<'m>(minutes: &'m Minutes<'_>) -> Vec<FinalChoice<'m>> {
    let last = minutes.ballots(BallotStage::Final);
    last.map(|(entry, ballot)| held(minutes, entry.participant, ballot.choice)).collect()
}

/// What each voter put first in its last vote: where every round votes, each has several.
fn votes<'m>(minutes: &'m Minutes<'_>) -> Vec<FinalChoice<'m>> {
    let approval =
        minutes.tally.is_some_and(|tally| tally.rule.is_some_and(|rule| rule.form() == BallotForm::Approval));
    let moved = minutes.verdict.map(|verdict| verdict.moved).unwrap_or_default();
    let own_left_out = own_left_out(&minutes.admission.spec);
    let mut last: Vec<FinalChoice<'m>> = Vec::new();
    for (entry, vote) in minutes.votes() {
        last.retain(|one| one.who != entry.participant);
        let approved = if approval { vote.choices } else { &[] };
        let chosen = held(minutes, entry.participant, vote.choice);
        // A vote may differ from the first ballot because one may not vote for oneself.
        let before =
            chosen.before.filter(|_| !own_left_out && moved.iter().any(|one| one.as_str() == entry.participant));
        last.push(FinalChoice { approved, before, ..chosen });
    }
    last
}

fn held<'m>(minutes: &'m Minutes<'_>, who: &'m str, choice: &'m str) -> FinalChoice<'m> {
    let first = minutes.ballots(BallotStage::Initial).find(|(entry, _)| entry.participant == who);
    let before = first.map(|(_, ballot)| ballot.choice).filter(|before| !same_answer(before, choice));
    FinalChoice { who, choice, approved: &[], before }
}

/// Without ballots and votes, who argued for what.
fn argued(minutes: &Minutes<'_>) -> Vec<(&'static str, String)> {
    let spec = &minutes.admission.spec;
    let Some(winner) = minutes.winner().filter(|_| spec.ballots == Ballots::None) else { return Vec::new() };
    let of = |persona: &agon_core::Persona| {
        if spec.elects_debaters() { Some(persona.name.to_string()) } else { persona.stance.clone() }
    };
    let positions = spec.personas.iter().filter_map(|persona| Some((persona.name.as_str(), of(persona)?)));
    let (with, against): (Vec<_>, Vec<_>) = positions.partition(|(_, position)| same_answer(position, winner));
    let with: Vec<String> = with.into_iter().map(|(who, _)| named(who, None, None)).collect();
    let against: Vec<String> = against
        .into_iter()
        .map(|(who, position)| {
            named(who, Some(&position).filter(|_| !spec.elects_debaters()).map(|p| p.as_str()), None)
        })
        .collect();
    if with.is_empty() && against.is_empty() {
        return Vec::new();
    }
    vec![("Argued for", listed(&with, ", ")), ("Against", listed(&against, "; "))]
}

/// Debaters of whom a final ballot was wanted and none came, whatever decided.
fn silent(minutes: &Minutes<'_>) -> Option<(&'static str, String)> {
    let spec = &minutes.admission.spec;
    let held = minutes.gate.is_none_or(|gate| !gate.skip);
    let wanted = held && matches!(spec.ballots, Ballots::Both | Ballots::FinalOnly);
    let cast = |name: &str| minutes.ballots(BallotStage::Final).any(|(entry, _)| entry.participant == name);
    let silent = spec.personas.iter().filter(|persona| wanted && !cast(persona.name.as_str()));
    let names: Vec<String> = silent.map(|persona| one_line(persona.name.as_str())).collect();
    (!names.is_empty()).then(|| ("No ballot", format!("{} at the end", names.join(", "))))
}
