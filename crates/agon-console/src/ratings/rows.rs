//! Ratings in rows of tables.
use crate::words;
use agon_proto::pb::v1 as pb;
use agon_report::{counted, excerpt, one_line};

/// Characters of a topic or a position in a row.
const MOST_TEXT: usize = 120;

/// The words of a result.
fn resolution(resolution: pb::Resolution) -> (&'static str, &'static str) {
    match resolution {
        pb::Resolution::Won => ("won", "good"),
        pb::Resolution::Lost => ("lost", "bad"),
        pb::Resolution::Drawn => ("drawn", "mixed"),
        pb::Resolution::Undecided | pb::Resolution::Unspecified => ("undecided", "open"),
    }
}

/// A persona by a model, or a model, with its figures.
pub(super) struct RatingRow {
    /// The persona as debate files spell it; empty for a model.
    pub persona: String,
    pub name: String,
    pub model: String,
    pub elo: String,
    pub debates: u32,
    pub won: u32,
    pub drawn: u32,
    pub lost: u32,
    pub undecided: u32,
    /// Where won ends and drawn ends, of the decided ones, in hundredths; nothing where none is decided.
    pub share: Option<(u32, u32)>,
}

impl RatingRow {
    pub fn of_persona(rated: &pb::PersonaRating) -> Self {
        let debater = rated.debater.clone().unwrap_or_default();
        let row = Self::of(rated.rating.unwrap_or_default());
        Self { name: one_line(&debater.persona), model: one_line(&debater.model), persona: debater.persona, ..row }
    }
    pub fn of_model(rated: &pb::ModelRating) -> Self {
        Self { model: one_line(&rated.model), ..Self::of(rated.rating.unwrap_or_default()) }
    }
    fn of(rating: pb::Rating) -> Self {
        let pb::Rating { debates, won, lost, drawn, undecided, elo } = rating;
        let decided = u64::from(won) + u64::from(drawn) + u64::from(lost);
        let hundredths = |n: u64| u32::try_from(n * 100 / decided.max(1)).unwrap_or(100);
        let share = (hundredths(won.into()), hundredths(u64::from(won) + u64::from(drawn)));
        Self {
            persona: String::new(),
            name: String::new(),
            model: String::new(),
            elo: if elo.is_finite() { format!("{elo:.0}") } else { "–".to_owned() },
            debates,
            won,
            drawn,
            lost,
            undecided,
            share: (decided > 0).then_some(share),
        }
    }
}

/// What a persona's private ballots did, by model.
pub(super) struct BallotRow {
    pub model: String,
    pub moved: String,
    pub agreed: String,
}

impl BallotRow {
    pub fn of(rated: &pb::PersonaRating) -> Self {
        let model = rated.debater.as_ref().map(|debater| one_line(&debater.model)).unwrap_or_default();
        let of = rated.movement.unwrap_or_default();
        let moved = match of.balloted {
            0 => "no debate with both ballots".to_owned(),
            balloted => format!(
                "moved in {} of {}, {} to what won, {} away from it",
                of.moved,
                counted(balloted.into(), "debate", "debates"),
                times(of.moved_to_winner),
                times(of.moved_from_winner)
            ),
        };
        let agreed = match of.compared {
            0 => "–".to_owned(),
            compared => format!("{} of {compared}", of.agreed),
        };
        Self { model, moved, agreed }
    }
}

fn times(count: u32) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// What a persona stood for in a debate.
pub(super) struct PositionRow {
    pub topic: String,
    pub debate: String,
    pub held: String,
    pub assigned: bool,
    pub result: (&'static str, &'static str),
    pub model: String,
    pub day: String,
}

impl PositionRow {
    pub fn of(taken: &pb::PersonaPosition) -> Self {
        let shown = |text: &Option<String>| text.as_deref().map_or_else(|| "unknown".to_owned(), cut);
        let (first, last) = (shown(&taken.first), shown(&taken.last));
        Self {
            topic: cut(&taken.topic),
            debate: id(&taken.debate),
            held: if first == last { first } else { format!("{first} → {last}") },
            assigned: taken.assigned,
            result: resolution(taken.resolution()),
            model: taken.debater.as_ref().map(|debater| one_line(&debater.model)).unwrap_or_default(),
            day: day(taken.create_time.as_ref()),
        }
    }
}

/// Another position on the same topic.
pub(super) struct RatedFlip {
    pub topic: String,
    pub from: String,
    pub to: String,
    pub assigned: bool,
    pub earlier: String,
    pub later: String,
}

impl RatedFlip {
    pub fn of(flip: &pb::PersonaFlip) -> Self {
        Self {
            topic: cut(&flip.topic),
            from: cut(&flip.from),
            to: cut(&flip.to),
            assigned: flip.assigned,
            earlier: id(&flip.earlier),
            later: id(&flip.later),
        }
    }
}

/// A notable event.
pub(super) struct MomentRow {
    pub what: String,
    pub topic: String,
    pub debate: String,
    pub day: String,
}

impl MomentRow {
    pub fn of(moment: &pb::PersonaMoment) -> Self {
        let count = u64::from(moment.count.unwrap_or_default());
        let what = match moment.kind() {
            pb::MomentKind::Unspecified => "notable".to_owned(),
            pb::MomentKind::Upset => "Upset: won over those rated higher".to_owned(),
            pb::MomentKind::Reversal => "Reversal: the first majority was overturned".to_owned(),
            pb::MomentKind::Vindication => {
                let position = moment.position.as_deref().map(cut).unwrap_or_default();
                format!("Vindication: “{position}” had lost before")
            }
            pb::MomentKind::Streak => format!("Streak: {} in a row", counted(count, "win", "wins")),
            pb::MomentKind::Breakthrough => {
                format!("Breakthrough: won after {} without a win", counted(count, "debate", "debates"))
            }
        };
        Self { what, topic: cut(&moment.topic), debate: id(&moment.debate), day: day(moment.create_time.as_ref()) }
    }
}

/// What happened between a persona and another, as the persona sees it.
pub(super) struct RatedPair {
    /// The other as debate files spell it.
    pub persona: String,
    pub name: String,
    pub model: String,
    /// By which model the persona spoke.
    pub own: String,
    pub debates: u32,
    pub agreed: String,
    /// The other came over to the persona.
    pub convinced: u32,
    pub was_convinced: u32,
}

impl RatedPair {
    pub fn of(pair: &pb::PersonaRelationship, persona: &str) -> Self {
        let (one, other) = (pair.one.clone().unwrap_or_default(), pair.other.clone().unwrap_or_default());
        let first = one.persona == persona;
        let (own, other) = if first { (one, other) } else { (other, one) };
        let (convinced, was_convinced) = match first {
            true => (pair.convinced, pair.was_convinced),
            false => (pair.was_convinced, pair.convinced),
        };
        Self {
            name: one_line(&other.persona),
            model: one_line(&other.model),
            persona: other.persona,
            own: one_line(&own.model),
            debates: pair.debates,
            agreed: if pair.compared == 0 { "–".to_owned() } else { format!("{} of {}", pair.agreed, pair.compared) },
            convinced,
            was_convinced,
        }
    }
}

fn cut(text: &str) -> String {
    excerpt(text, MOST_TEXT)
}

/// An id for an address: letters, digits and dashes alone.
fn id(debate: &str) -> String {
    debate.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

fn day(at: Option<&prost_types::Timestamp>) -> String {
    at.map(|at| words::moment(words::millis(at)).chars().take(10).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn debater(persona: &str) -> Option<pb::RatedDebater> {
        Some(pb::RatedDebater { persona: persona.to_owned(), model: "m:1".to_owned() })
    }

    #[test]
    fn a_rating_shows_what_was_decided_as_shares() {
        let rating = pb::Rating { debates: 5, won: 1, lost: 1, drawn: 2, undecided: 1, elo: 1523.6 };
        let row = RatingRow::of_persona(&pb::PersonaRating {
            debater: debater("Ada\u{7}"),
            rating: Some(rating),
            movement: None,
        });
        assert_eq!((row.elo.as_str(), row.share, row.name.as_str()), ("1524", Some((25, 75)), "Ada"));
        assert_eq!(row.persona, "Ada\u{7}");
        assert_eq!(RatingRow::of_model(&pb::ModelRating::default()).share, None);
    }

    #[test]
    fn a_pair_is_told_from_the_side_of_the_persona() {
        let pair = pb::PersonaRelationship {
            one: debater("Ada"),
            other: debater("Bo"),
            debates: 4,
            compared: 3,
            agreed: 1,
            convinced: 2,
            was_convinced: 0,
        };
        let (ada, bo) = (RatedPair::of(&pair, "Ada"), RatedPair::of(&pair, "Bo"));
        assert_eq!((ada.name.as_str(), ada.convinced, ada.was_convinced), ("Bo", 2, 0));
        assert_eq!((bo.name.as_str(), bo.convinced, bo.was_convinced), ("Ada", 0, 2));
        assert_eq!(ada.agreed, "1 of 3");
    }

    #[test]
    fn moments_and_ballots_are_told_in_words() {
        let streak = pb::PersonaMoment { kind: pb::MomentKind::Streak.into(), count: Some(3), ..Default::default() };
        assert_eq!(MomentRow::of(&streak).what, "Streak: 3 wins in a row");
        let movement = pb::BallotMovement {
            balloted: 4,
            moved: 2,
            moved_to_winner: 1,
            moved_from_winner: 0,
            compared: 4,
            agreed: 3,
        };
        let rated = pb::PersonaRating { debater: debater("Ada"), rating: None, movement: Some(movement) };
        let row = BallotRow::of(&rated);
        assert_eq!(row.moved, "moved in 2 of 4 debates, once to what won, never away from it");
        assert_eq!(
            (row.agreed.as_str(), BallotRow::of(&pb::PersonaRating::default()).agreed.as_str()),
            ("3 of 4", "–")
        );
    }

    #[test]
    fn an_id_leads_nowhere_but_to_a_debate() {
        assert_eq!(id("../x?y"), "xy");
    }
}
