//! Ratings for a person.
use crate::output::columns;
use agon_archive::ratings::{
    Debater, Flip, ModelStanding, Moment, MomentKind, PersonaRecord, PositionTaken, Rating, Relationship, Resolution,
    Standing,
};
use agon_core::{DebateId, Timestamp};
use agon_report::one_line;

/// Characters of a topic or position that a line shows.
const SHOWN: usize = 60;

/// Every persona with its model on a line.
pub fn personas(standings: &[Standing]) -> String {
    let mut lines = vec![head(&["PERSONA", "MODEL"])];
    lines.extend(standings.iter().map(|standing| {
        let debater = &standing.debater;
        line(vec![one_line(debater.persona.as_str()), one_line(debater.model.as_str())], &standing.rating)
    }));
    columns(&lines)
}

/// Every model on a line.
pub fn models(standings: &[ModelStanding]) -> String {
    let mut lines = vec![head(&["MODEL"])];
    lines.extend(standings.iter().map(|standing| line(vec![one_line(standing.model.as_str())], &standing.rating)));
    columns(&lines)
}

/// All of one persona.
pub fn persona(record: &PersonaRecord) -> String {
    let ballots: Vec<String> = record.standings.iter().map(ballots).collect();
    let sections = [
        ("Ballots", ballots),
        ("Positions", record.positions.iter().map(position).collect()),
        ("Flips", record.flips.iter().map(flip).collect()),
        ("Moments", record.moments.iter().map(moment).collect()),
        ("Relationships", record.relationships.iter().map(relationship).collect()),
    ];
    let mut text = personas(&record.standings);
    for (title, lines) in sections.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        text.push_str(&format!("\n{title}\n"));
        lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    }
    text
}

const FIGURES: [&str; 6] = ["DEBATES", "WON", "LOST", "DRAWN", "UNDECIDED", "ELO"];

fn head(names: &[&str]) -> Vec<String> {
    names.iter().chain(&FIGURES).map(|name| (*name).to_owned()).collect()
}

fn line(mut cells: Vec<String>, rating: &Rating) -> Vec<String> {
    let Rating { debates, won, lost, drawn, undecided, elo } = rating;
    cells.extend([debates, won, lost, drawn, undecided].map(ToString::to_string));
    cells.push(format!("{elo:.0}"));
    cells
}

fn ballots(standing: &Standing) -> String {
    let model = one_line(standing.debater.model.as_str());
    let held = &standing.movement;
    format!(
        "{model}: moved in {} of {} with both ballots, {} to what won, {} away from it; ended with what won in {} of {}",
        held.moved,
        agon_report::count(held.balloted.into(), "debate"),
        times(held.moved_to_winner),
        times(held.moved_from_winner),
        held.agreed,
        held.compared
    )
}

fn position(taken: &PositionTaken) -> String {
    let shown = |text: &Option<String>| text.as_deref().map_or_else(|| "unknown".to_owned(), cut);
    let (first, last) = (shown(&taken.first), shown(&taken.last));
    let held = if first == last { first } else { format!("{first} -> {last}") };
    let became = match taken.resolution {
        Resolution::Won => "won",
        Resolution::Lost => "lost",
        Resolution::Drawn => "drawn",
        Resolution::Undecided => "undecided",
    };
    let assigned = if taken.assigned { " (assigned)" } else { "" };
    format!("{}  {became:<9}  {held}{assigned}  on {}  {}", day(taken.admitted), cut(&taken.topic), id(&taken.debate))
}

fn flip(flip: &Flip) -> String {
    let assigned = if flip.assigned { " (assigned)" } else { "" };
    let (from, to, topic) = (cut(&flip.from), cut(&flip.to), cut(&flip.topic));
    format!("{from} -> {to}{assigned}  on {topic}  {}, then {}", id(&flip.earlier), id(&flip.later))
}

fn moment(moment: &Moment) -> String {
    let count = moment.count.unwrap_or_default();
    let what = match moment.kind {
        MomentKind::Upset => "upset: won over those rated higher".to_owned(),
        MomentKind::Reversal => "reversal: the first majority was overturned".to_owned(),
        MomentKind::Vindication => {
            let position = moment.position.as_deref().map(cut).unwrap_or_default();
            format!("vindication: {position} had lost before")
        }
        MomentKind::Streak => format!("streak: {} in a row", agon_report::count(count.into(), "win")),
        MomentKind::Breakthrough => {
            format!("breakthrough: won after {} without a win", agon_report::count(count.into(), "debate"))
        }
    };
    format!("{}  {what}  on {}  {}", day(moment.admitted), cut(&moment.topic), id(&moment.debate))
}

fn relationship(pair: &Relationship) -> String {
    let (one, other) = (name(&pair.one), name(&pair.other));
    let came_over = |whom: &str, to: &str, moves: u32| match moves {
        0 => String::new(),
        moves => format!("; {whom} came over to {to} {}", times(moves)),
    };
    format!(
        "{one} and {other}: met {}, ended with the same ballot in {} of {}{}{}",
        times(pair.debates),
        pair.agreed,
        pair.compared,
        came_over(&other, &one, pair.convinced),
        came_over(&one, &other, pair.was_convinced)
    )
}

fn times(count: u32) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

pub fn name(debater: &Debater) -> String {
    format!("{} ({})", one_line(debater.persona.as_str()), one_line(debater.model.as_str()))
}

pub fn id(debate: &DebateId) -> String {
    one_line(debate.as_str())
}

pub fn cut(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

pub fn day(at: Timestamp) -> String {
    let at = i64::try_from(at.0).ok().and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
    at.map(|at| at.to_string().get(..10).unwrap_or_default().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_archive::Ledger;
    use agon_core::{Card, CardSeat, MajorityShift, Outcome};

    fn ledger() -> Ledger {
        let seat = |persona: &str, model: &str, stance: &str, last: &str| CardSeat {
            persona: persona.into(),
            model: model.into(),
            stance: Some(stance.to_owned()),
            first: Some(stance.to_owned()),
            last: Some(last.to_owned()),
        };
        let card = |winner: &str, bo: &str| Card {
            outcome: Outcome::Decided,
            verdict: None,
            winner: Some(winner.to_owned()),
            majority: MajorityShift::None,
            seats: vec![seat("Ada", "m:1", "tea", "tea"), seat("Bo\n", "a-longer-name:8b", "coffee", bo)],
            course: None,
        };
        let cards = [card("tea", "tea"), card("tea", "coffee"), card("tea", "coffee"), card("coffee", "coffee")];
        let numbered = cards.iter().enumerate();
        Ledger::fold(numbered.map(|(n, card)| {
            let id = DebateId::parse(&format!("debate-{n}")).unwrap();
            (id, Timestamp(1_767_225_600_000 + n as u64), "Tea or\ncoffee?", card)
        }))
    }

    #[test]
    fn personas_stand_in_columns_with_the_best_rating_first() {
        let text = personas(&ledger().standings());
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["PERSONA", "MODEL", "DEBATES", "WON", "LOST", "DRAWN", "UNDECIDED", "ELO"]);
        assert_eq!(lines[1], ["Ada", "m:1", "4", "3", "1", "0", "0", "1524"]);
        assert_eq!(lines[2][0], "Bo");
        let mut rows = text.lines();
        let (head, row) = (rows.next().unwrap(), rows.next().unwrap());
        assert_eq!(head.find("DEBATES"), row.find("4 "));
        assert!(models(&ledger().models()).starts_with("MODEL "));
    }

    #[test]
    fn a_persona_is_told_with_all_that_is_known_of_it() {
        let text = persona(&ledger().persona(&"Ada".into()).unwrap());
        for wanted in [
            "Ballots\n  m:1: moved in 0 of 4 debates",
            "  2026-01-01  won        tea (assigned)  on Tea or coffee?  debate-0\n",
            "streak: 3 wins in a row  on Tea or coffee?  debate-2",
            "Ada (m:1) and Bo (a-longer-name:8b): met 4 times, ended with the same ballot in 1 of 4; Bo (a-longer-name:8b) came over to Ada (m:1) once",
        ] {
            assert!(text.contains(wanted), "{wanted} is missing in\n{text}");
        }
        assert!(!text.contains("Flips"));
    }
}
