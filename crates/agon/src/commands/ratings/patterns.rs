//! Objections, arguments that failed and habits: what the course of debates says.
use super::table::{cut, day, id, name};
use super::{Basis, tell};
use crate::cli::{RatedBy, RatingsArgs};
use crate::client::{self, DebateSource};
use crate::commands::Context;
use crate::exit::{Exit, Stop};
use crate::output::columns;
use agon_archive::ratings::{
    Habit, HabitCounts, HabitKind, LEAST_DEBATES, Ledger, ModelObjections, ObjectionPattern, RaisedAndMet, Traits,
};
use agon_archive::recall::rank;
use agon_core::{Chances, DebateId, FailedArgument, Failing, Fates, PastDebate, Timestamp};
use agon_report::{count, one_line};
use agon_runtime::past_debate;
use agon_store::Cards;
use serde::Serialize;

/// Which of them is asked for.
pub(super) enum PatternQuery<'a> {
    Objections(RatedBy),
    /// Of debates that are like this topic; of all where it is empty.
    Failed(&'a str),
    Traits,
}

impl<'a> PatternQuery<'a> {
    pub fn of(args: &'a RatingsArgs) -> Option<Self> {
        match &args.failed {
            _ if args.objections => Some(Self::Objections(args.by)),
            _ if args.traits => Some(Self::Traits),
            Some(topic) => Some(Self::Failed(topic)),
            None => None,
        }
    }
    fn flag(&self) -> &'static str {
        match self {
            Self::Objections(_) => "--objections",
            Self::Failed(_) => "--failed",
            Self::Traits => "--traits",
        }
    }
}

/// What is told, and what it rests on.
#[derive(Serialize)]
struct PatternReport<T> {
    #[serde(flatten)]
    basis: Basis,
    /// Debates whose card an earlier version wrote: of their course nothing is known.
    without_course: u64,
    #[serde(flatten)]
    rows: T,
}

#[derive(Serialize)]
struct ObjectionRows {
    objections: Vec<ObjectionPattern>,
    models: Vec<ModelObjections>,
}

#[derive(Serialize)]
struct TraitRows {
    /// A habit is named from so many debates on.
    least_debates: u32,
    traits: Vec<Traits>,
}

#[derive(Serialize)]
struct FailedRows {
    failed: Vec<FailedRow>,
}

#[derive(Serialize)]
struct FailedRow {
    debate: DebateId,
    topic: String,
    #[serde(rename = "admitted_ms")]
    admitted: Timestamp,
    #[serde(flatten)]
    argument: FailedArgument,
}

pub(super) fn run(context: &Context, args: &RatingsArgs, pattern: &PatternQuery<'_>) -> Result<Exit, Stop> {
    if let DebateSource::Server(_) = client::place(context, &args.place)? {
        let flag = pattern.flag();
        return Err(Stop::usage(format!("{flag} reads the store of this machine, and no server's; add --local")));
    }
    let (cards, ledger, basis) = super::read_here(context, args)?;
    let told = PatternSource { ledger: &ledger, basis };
    match pattern {
        PatternQuery::Objections(by) => {
            let rows = ObjectionRows { objections: ledger.objections(), models: ledger.model_objections() };
            tell(context, args, &told.with(&rows), basis, || told.noted(objections(&rows, *by)))
        }
        PatternQuery::Failed(topic) => {
            let rows = FailedRows { failed: failed(&cards, topic) };
            tell(context, args, &told.with(&rows), basis, || failed_text(&rows.failed))
        }
        PatternQuery::Traits => {
            let rows = TraitRows { least_debates: LEAST_DEBATES, traits: ledger.traits() };
            tell(context, args, &told.with(&rows), basis, || told.noted(traits(&rows.traits)))
        }
    }
}

struct PatternSource<'l> {
    ledger: &'l Ledger,
    basis: Basis,
}
impl PatternSource<'_> {
    fn with<T>(&self, rows: T) -> PatternReport<T> {
        PatternReport { basis: self.basis, without_course: self.ledger.without_course(), rows }
    }
    fn noted(&self, text: String) -> String {
        match self.ledger.without_course() {
            0 => text,
            1 => format!("{text}\n1 debate of an earlier version counts by its ballots alone.\n"),
            debates => format!("{text}\n{debates} debates of earlier versions count by their ballots alone.\n"),
        }
    }
}

fn objections(rows: &ObjectionRows, by: RatedBy) -> String {
    let counts = |kind: &str, RaisedAndMet { raised, met }: RaisedAndMet| {
        let fates = |Fates { raised, accepted, declined }: Fates| [raised, accepted, declined].map(|n| n.to_string());
        std::iter::once(kind.to_owned()).chain(fates(raised)).chain(fates(met)).collect::<Vec<_>>()
    };
    let figures = ["SEVERITY", "RAISED", "ACCEPTED", "DECLINED", "MET", "ACCEPTED", "DECLINED"];
    let head = |names: &[&str]| names.iter().chain(&figures).map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let (head, rows): (_, Vec<Vec<String>>) = match by {
        RatedBy::Persona => {
            let row = |row: &ObjectionPattern| {
                let names = [one_line(row.debater.persona.as_str()), one_line(row.debater.model.as_str())];
                names.into_iter().chain(counts(row.kind.as_str(), row.counts)).collect()
            };
            (head(&["PERSONA", "MODEL"]), rows.objections.iter().map(row).collect())
        }
        RatedBy::Model => {
            let row = |row: &ModelObjections| {
                let name = one_line(row.model.as_str());
                std::iter::once(name).chain(counts(row.kind.as_str(), row.counts)).collect()
            };
            (head(&["MODEL"]), rows.models.iter().map(row).collect())
        }
    };
    match rows.is_empty() {
        true => "No objection is known: only critiques of debate_format critique_revision count.\n".to_owned(),
        false => columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>()),
    }
}

/// What failed, by debate: the newest first, or the most similar to a topic.
fn failed(cards: &Cards, topic: &str) -> Vec<FailedRow> {
    let all: Vec<PastDebate> = cards.debates.iter().filter_map(|summary| past_debate(summary, usize::MAX)).collect();
    let found = if topic.trim().is_empty() { all } else { rank(topic, all, usize::MAX) };
    let rows = found.into_iter().flat_map(|past| {
        let PastDebate { id, topic, admitted, failed, .. } = past;
        failed.into_iter().map(move |argument| FailedRow {
            debate: id.clone(),
            topic: topic.clone(),
            admitted,
            argument,
        })
    });
    rows.collect()
}

fn failed_text(rows: &[FailedRow]) -> String {
    let head = |row: &FailedRow| format!("{}  {}  on {}\n", day(row.admitted), id(&row.debate), cut(&row.topic));
    let row = |row: &FailedRow| {
        let FailedArgument { how, text, persona, model, decided_by, raised_by } = &row.argument;
        let whose = format!("{} ({})", one_line(persona.as_str()), one_line(model.as_str()));
        let how = match (how, decided_by, raised_by) {
            (Failing::Conceded, _, Some(by)) => format!("conceded by {whose}, raised by {}", one_line(by.as_str())),
            (Failing::Conceded, _, None) => format!("conceded by {whose}"),
            (Failing::Left, ..) => format!("left by {whose} in its last ballot"),
            (Failing::Lost, Some(strategy), _) => format!("position of {whose} lost, decided by {}", strategy.as_str()),
            (Failing::Lost, None, _) => format!("position of {whose} lost"),
        };
        format!("  {how}:\n    {}\n", one_line(text))
    };
    let debates = rows.chunk_by(|one, other| one.debate == other.debate);
    let debate =
        |rows: &[FailedRow]| -> String { rows.first().map(head).into_iter().chain(rows.iter().map(row)).collect() };
    match rows.is_empty() {
        true => "No argument that failed is known of these debates.\n".to_owned(),
        false => debates.map(debate).collect(),
    }
}

fn traits(all: &[Traits]) -> String {
    let debater = |traits: &Traits| {
        let habits: String = match traits.habits.is_empty() {
            true => format!("  too few debates to name a habit, which takes {LEAST_DEBATES} with the choice\n"),
            false => traits.habits.iter().map(habit).collect(),
        };
        let noun = if traits.debates == 1 { "debate" } else { "debates" };
        format!("{}: {} {noun}\n{habits}", name(&traits.debater), traits.debates)
    };
    all.iter().map(debater).collect()
}

fn habit(habit: &Habit) -> String {
    let counts =
        |HabitCounts { debates, chances }: HabitCounts| format!("{} of {} in {debates}", chances.did, chances.of);
    let kinds: Vec<String> = habit
        .by_kind
        .iter()
        .map(|by| format!("{} {} of {}", by.kind.as_str(), by.chances.did, by.chances.of))
        .collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) };
    let did = did(habit.kind, habit.all.chances, ["its", "itself"]);
    let debates = count(habit.all.debates.into(), "debate");
    let (earlier, later) = (counts(habit.earlier), counts(habit.later));
    format!("  {did}, in {debates}{kinds}\n    earlier debates: {earlier}; later ones: {later}\n")
}

/// What somebody did, with its figures, in words behind its name; `whose` are the words for what is its own and for itself.
pub fn did(kind: HabitKind, chances: Chances, [own, itself]: [&str; 2]) -> String {
    let Chances { of, did } = chances;
    let figures = format!("{did} of {of}");
    let (never, always) = (did == 0, did == of);
    match kind {
        HabitKind::AcceptsObjections if never => format!("never accepted an objection to {own} proposal ({figures})"),
        HabitKind::AcceptsObjections if always => format!("accepted every objection to {own} proposal ({figures})"),
        HabitKind::AcceptsObjections => format!("accepted {figures} objections to {own} proposal"),
        HabitKind::FindsFault if never => format!("never found a fault in a critique ({figures})"),
        HabitKind::FindsFault if always => format!("found a fault in every critique ({figures})"),
        HabitKind::FindsFault => format!("found a fault in {figures} critiques"),
        HabitKind::TakesPoints if never => format!("never took a point of information ({figures})"),
        HabitKind::TakesPoints if always => format!("always took a point of information ({figures})"),
        HabitKind::TakesPoints => format!("took a point of information {figures} times"),
        HabitKind::VotesForItself if never => format!("never voted for {itself} ({figures})"),
        HabitKind::VotesForItself if always => format!("always voted for {itself} ({figures})"),
        HabitKind::VotesForItself => format!("voted for {itself} in {figures} votes"),
        HabitKind::ChangesBallot if never => format!("never changed {own} private ballot ({figures})"),
        HabitKind::ChangesBallot if always => format!("always changed {own} private ballot ({figures})"),
        HabitKind::ChangesBallot => format!("changed {own} private ballot in {figures} debates"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_archive::ratings::Debater;

    fn said(kind: HabitKind, done: u32) -> String {
        did(kind, Chances { of: 4, did: done }, ["its", "itself"])
    }

    #[test]
    fn never_and_always_are_said_of_none_and_all_and_the_figures_stand_beside_them() {
        assert_eq!(said(HabitKind::AcceptsObjections, 0), "never accepted an objection to its proposal (0 of 4)");
        assert_eq!(said(HabitKind::AcceptsObjections, 3), "accepted 3 of 4 objections to its proposal");
        assert_eq!(said(HabitKind::VotesForItself, 4), "always voted for itself (4 of 4)");
        for kind in [HabitKind::FindsFault, HabitKind::TakesPoints, HabitKind::ChangesBallot] {
            assert!(said(kind, 0).contains("(0 of 4)") && said(kind, 4).contains("(4 of 4)"), "{kind:?}");
            assert!(said(kind, 1).contains("1 of 4") && !said(kind, 1).contains('('), "{kind:?}");
        }
    }

    #[test]
    fn a_habit_stands_with_both_halves_and_who_was_there_too_seldom_has_none() {
        let counts = |debates, of, did| HabitCounts { debates, chances: Chances { of, did } };
        let votes = Habit {
            kind: HabitKind::VotesForItself,
            all: counts(5, 5, 3),
            earlier: counts(2, 2, 2),
            later: counts(3, 3, 1),
            by_kind: Vec::new(),
        };
        let of = |persona: &str, debates, habits| Traits {
            debater: Debater { persona: persona.into(), model: "m".into() },
            debates,
            without_course: 0,
            habits,
        };
        assert_eq!(
            traits(&[of("Ada", 5, vec![votes]), of("Bo", 1, Vec::new())]),
            "Ada (m): 5 debates\n  voted for itself in 3 of 5 votes, in 5 debates\n    earlier debates: 2 of 2 in 2; later ones: 1 of 3 in 3\n\
             Bo (m): 1 debate\n  too few debates to name a habit, which takes 4 with the choice\n"
        );
    }
}
