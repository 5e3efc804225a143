//! A cast of personas that took part in debates before, with what they did there.
use crate::cast::quoted;
use crate::commands::did;
use agon_archive::ratings::{Ledger, Standing, Traits};
use agon_core::{ModelName, ParticipantId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Personas where the caller names no number.
const USUAL: usize = 3;

/// A persona by the model that it spoke most debates by.
#[derive(Clone, Debug)]
pub struct Alumnus {
    traits: Traits,
    elo: f64,
}

/// Those with the most debates, of as many the better rated, each name once; `size` of them, or else [`USUAL`] at most. Says what is
/// wrong where there are too few.
pub fn chosen(ledger: &Ledger, size: Option<usize>, rehearsal: bool) -> Result<Vec<Alumnus>, String> {
    let elo = |standing: Standing| (standing.debater, standing.rating.elo);
    let ratings: BTreeMap<_, f64> = ledger.standings().into_iter().map(elo).collect();
    let played = ledger.traits().into_iter().filter(|traits| !traits.debater.model.is_external());
    let mut alumni: Vec<Alumnus> = played
        .map(|traits| Alumnus { elo: ratings.get(&traits.debater).copied().unwrap_or_default(), traits })
        .collect();
    let mut debates: BTreeMap<ParticipantId, u32> = BTreeMap::new();
    for Alumnus { traits, .. } in &alumni {
        *debates.entry(traits.debater.persona.clone()).or_default() += traits.debates;
    }
    let of = |alumnus: &Alumnus| debates.get(&alumnus.traits.debater.persona).copied().unwrap_or_default();
    alumni.sort_by(|one, other| {
        let by_model = || other.traits.debates.cmp(&one.traits.debates);
        of(other).cmp(&of(one)).then_with(by_model).then_with(|| other.elo.total_cmp(&one.elo))
    });
    let mut names: BTreeSet<ParticipantId> = BTreeSet::new();
    alumni.retain(|alumnus| names.insert(alumnus.traits.debater.persona.clone()));
    let wanted = size.unwrap_or(USUAL.min(alumni.len()).max(2));
    if alumni.len() < wanted {
        let known = alumni.len();
        let hint = match rehearsal {
            true => "those of models are counted separately: omit --rehearsal",
            false => "rehearsals are counted separately: add --rehearsal",
        };
        return Err(format!(
            "a cast of {wanted} needs as many personas with ended debates; the store of this machine has {known}; {hint}"
        ));
    }
    alumni.truncate(wanted);
    Ok(alumni)
}

/// The debate file: everybody looks for an answer and votes, so that no stance is needed.
/// `figures` is the command that shows what it rests on.
pub fn debate_file(cast: &[Alumnus], topic: &str, (debates, rehearsal): (u64, bool), figures: &str) -> String {
    let noun = if debates == 1 { "debate" } else { "debates" };
    let kind = if rehearsal { " (rehearsed: scripted speakers, no model)" } else { "" };
    let mut text = format!(
        "---\n# The cast is from the ratings of {debates} {noun}{kind}. Each persona has its record in its instructions:\n\
         # remove what it should not keep. {figures} shows the figures.\n\
         mode: deliberative\nmax_rounds: 2\nvisibility: simultaneous\n"
    );
    let models: BTreeSet<&ModelName> = cast.iter().map(|alumnus| &alumnus.traits.debater.model).collect();
    let same = models.len() == 1;
    // Writing to a string cannot fail.
    if let (true, Some(model)) = (same, models.first()) {
        let _ = writeln!(text, "# model: {0}   # all of them spoke by {0}", quoted(model.as_str()));
    }
    text.push_str("\npersonas:\n");
    for Alumnus { traits, elo } in cast {
        let noun = if traits.debates == 1 { "debate" } else { "debates" };
        let _ = writeln!(text, "  - name: {}", quoted(traits.debater.persona.as_str()));
        let _ = writeln!(text, "    # {} {noun}, rating {elo:.0}", traits.debates);
        if !same {
            let _ = writeln!(text, "    model: {}", quoted(traits.debater.model.as_str()));
        }
        match habits(traits) {
            Some(habits) => _ = writeln!(text, "    instructions: {}", quoted(&habits)),
            None => text.push_str("    # too few debates to name a habit\n"),
        }
    }
    let topic = agon_report::one_line(topic);
    let _ = write!(
        text,
        "\nconsensus_strategy: vote\nvoting:\n  rule: majority\n---\n\n# {topic}\n\nWhat everybody should know before speaking.\n"
    );
    text
}

fn habits(traits: &Traits) -> Option<String> {
    let one = |habit: &agon_archive::ratings::Habit| {
        format!("you {}", did(habit.kind, habit.all.chances, ["your", "yourself"]))
    };
    let habits: Vec<String> = traits.habits.iter().map(one).collect();
    (!habits.is_empty()).then(|| format!("Your habits, from earlier debates: {}.", habits.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debate_file;
    use crate::settings::Settings;
    use agon_core::{Card, CardSeat, DebateId, MajorityShift, Outcome, Timestamp};
    use agon_spec::{Overrides, Source};

    fn seat((persona, model): (&str, &str)) -> CardSeat {
        CardSeat {
            persona: persona.into(),
            model: model.into(),
            stance: Some(persona.to_owned()),
            first: Some("tea".to_owned()),
            last: Some("tea".to_owned()),
        }
    }

    fn card(seats: Vec<CardSeat>) -> Card {
        Card {
            outcome: Outcome::Decided,
            verdict: None,
            winner: Some("Ada".to_owned()),
            majority: MajorityShift::None,
            seats,
            course: None,
        }
    }

    /// Ada and Bo meet so often, and then Ada and the others once.
    fn ledger(often: usize, others: &[(&str, &str)]) -> Ledger {
        let mut cards = vec![card(vec![seat(("Ada", "m:1")), seat(("Bo", "n:1"))]); often];
        cards.push(card(std::iter::once(&("Ada", "m:1")).chain(others).map(|one| seat(*one)).collect()));
        folded(&cards)
    }

    fn folded(cards: &[Card]) -> Ledger {
        let numbered = cards.iter().enumerate();
        Ledger::fold(
            numbered
                .map(|(n, card)| (DebateId::parse(&format!("debate-{n}")).unwrap(), Timestamp(n as u64), "Tea?", card)),
        )
    }

    fn names(ledger: &Ledger, size: Option<usize>) -> Vec<String> {
        let one = |alumnus: Alumnus| format!("{} {}", alumnus.traits.debater.persona, alumnus.traits.debater.model);
        chosen(ledger, size, false).unwrap().into_iter().map(one).collect()
    }

    #[test]
    fn those_with_the_most_debates_come_first_each_name_once_and_no_external_one() {
        let ledger = ledger(2, &[("Bo", "m:1"), ("Cy", "m:1"), ("Di", "m:1"), ("Eve", ModelName::EXTERNAL)]);
        assert_eq!(names(&ledger, None), ["Ada m:1", "Bo n:1", "Cy m:1"]);
        assert_eq!(names(&ledger, Some(2)), ["Ada m:1", "Bo n:1"]);
        assert!(chosen(&ledger, Some(5), false).unwrap_err().contains("has 4"));
        assert!(chosen(&Ledger::default(), None, false).unwrap_err().contains("has 0"));
    }

    #[test]
    fn a_persona_of_several_models_counts_with_all_its_debates() {
        let ledger = ledger(2, &[("Pat", "m:1"), ("Xen", "m:1")]);
        assert_eq!(names(&ledger, Some(3)), ["Ada m:1", "Bo n:1", "Pat m:1"]);
        let mut cards: Vec<_> = (1..=3).map(|n| [("Pat", format!("m:{n}")), ("Xen", "m:1".to_owned())]).collect();
        cards.push([("Pat", "m:4".to_owned()), ("Yul", "m:1".to_owned())]);
        let cards: Vec<Card> =
            cards.iter().map(|seats| card(seats.iter().map(|(p, m)| seat((p, m))).collect())).collect();
        assert_eq!(names(&folded(&cards), Some(2)), ["Pat m:1", "Xen m:1"]);
    }

    #[test]
    fn the_file_is_a_good_one_with_the_habits_and_the_models_where_they_differ() {
        let read = |ledger: &Ledger| {
            let text = debate_file(
                &chosen(ledger, None, false).unwrap(),
                "A: b # c \"d\"",
                (ledger.debates(), false),
                "agon ratings --traits",
            );
            let source = Source::new("new.md", text.as_str());
            let parsed =
                debate_file::parse(&source, &debate_file::defaults(&Settings::default()), &Overrides::default());
            assert!(parsed.diagnostics.is_empty(), "{}", agon_spec::render(&parsed.diagnostics));
            (text, parsed.spec.unwrap())
        };
        let (_, spec) = read(&ledger(4, &[("Cy", "m:1")]));
        let models: Vec<&str> = spec.personas.iter().map(|persona| persona.voice.model.as_str()).collect();
        assert_eq!(models, ["m:1", "n:1", "m:1"]);
        let habits: Vec<Option<&str>> = spec.personas.iter().map(|persona| persona.instructions.as_deref()).collect();
        let told =
            |of| format!("Your habits, from earlier debates: you never changed your private ballot (0 of {of}).");
        assert_eq!(habits, [Some(told(5).as_str()), Some(told(4).as_str()), None]);
        let (text, _) = read(&ledger(0, &[("Cy", "m:1")]));
        assert!(text.contains("\n# model: \"m:1\"") && text.contains("too few debates to name a habit"), "{text}");
    }
}
