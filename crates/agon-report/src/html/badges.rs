//! The letters that stand for names, so that a colour is never all there is. No two participants share theirs.
use crate::minutes::Minutes;
use crate::text::one_line;
use crate::words;
use std::collections::{BTreeMap, BTreeSet};

/// Two characters for a name, from its letters and the whole of it.
type BadgeWay = fn(&[char], &str) -> Option<String>;

/// The ways to tell names with the same first letter apart, the best first.
const WAYS: [BadgeWay; 4] = [two_words, first_two, first_and_last, first_and_third];

/// The badge of a participant of this debate.
pub(super) fn badge(minutes: &Minutes<'_>, participant: &str) -> String {
    let name = one_line(words::who(participant));
    let spec = &minutes.admission.spec;
    let personas = spec.personas.iter().map(|persona| one_line(persona.name.as_str()));
    let moderator = spec.moderator.as_ref().map(|_| words::who(agon_core::MODERATOR).to_owned());
    let judges = spec.judges().map(|judge| words::who(judge.as_str()).to_owned());
    let all: Vec<String> = personas.chain(moderator).chain(judges).collect();
    badges(&all).remove(&name).unwrap_or_else(|| first(&name))
}

/// A badge for each name: its first letter, or two characters where several names begin with that.
fn badges(names: &[String]) -> BTreeMap<String, String> {
    let mut groups: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for name in names {
        let group = groups.entry(first(name)).or_default();
        if !group.contains(&name) {
            group.push(name);
        }
    }
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let all = groups.into_iter().flat_map(|(letter, group)| apart(&letter, &group));
    all.map(|(name, badge)| (name, free(badge, &mut taken))).collect()
}

/// The badge, with a number behind it where another name has the same: some letters have two as their capital.
fn free(badge: String, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2_u32..).map(|n| format!("{badge}{n}"));
    let mut ways = std::iter::once(badge.clone()).chain(numbered);
    let free = ways.find(|way| !taken.contains(&way.to_lowercase())).unwrap_or(badge);
    taken.insert(free.to_lowercase());
    free
}

fn apart(letter: &str, group: &[&String]) -> Vec<(String, String)> {
    let with = |badges: Vec<String>| group.iter().map(|name| (*name).clone()).zip(badges).collect();
    if group.len() == 1 {
        return with(vec![letter.to_owned()]);
    }
    let distinct = |badges: &Vec<String>| badges.iter().collect::<BTreeSet<_>>().len() == badges.len();
    let tried = WAYS.iter().find_map(|way| {
        let badges: Option<Vec<String>> = group.iter().map(|name| way(&letters(name), name)).collect();
        badges.filter(distinct)
    });
    with(tried.unwrap_or_else(|| (1..=group.len()).map(|n| format!("{letter}{n}")).collect()))
}

fn letters(name: &str) -> Vec<char> {
    name.chars().filter(|c| c.is_alphanumeric()).collect()
}
fn upper(c: char) -> String {
    c.to_uppercase().to_string()
}
fn first(name: &str) -> String {
    letters(name).first().map_or_else(|| "·".to_owned(), |c| upper(*c))
}

/// `AL` of Ada Lovelace.
fn two_words(_: &[char], name: &str) -> Option<String> {
    let mut starts = name.split_whitespace().filter_map(|word| letters(word).first().copied());
    Some(format!("{}{}", upper(starts.next()?), upper(starts.next()?)))
}
/// `Be` of bear.
fn first_two(letters: &[char], _: &str) -> Option<String> {
    pair(letters, letters.get(1))
}
fn first_and_last(letters: &[char], _: &str) -> Option<String> {
    pair(letters, letters.last())
}
fn first_and_third(letters: &[char], _: &str) -> Option<String> {
    pair(letters, letters.get(2))
}
fn pair(letters: &[char], other: Option<&char>) -> Option<String> {
    Some(format!("{}{}", upper(*letters.first()?), other?.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Vec<String> {
        let all: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let badges = badges(&all);
        all.iter().map(|name| badges[name].clone()).collect()
    }

    #[test]
    fn a_letter_is_enough_where_no_two_names_share_it() {
        assert_eq!(of(&["ada", "Bruno", "Judge", "…"]), ["A", "B", "J", "·"]);
    }

    #[test]
    fn names_that_begin_with_the_same_letter_have_badges_of_their_own() {
        assert_eq!(of(&["bull", "bear", "Judge"]), ["Bu", "Be", "J"]);
        assert_eq!(of(&["Ada Lovelace", "Alan Turing"]), ["AL", "AT"]);
        assert_eq!(of(&["Max", "Mara", "Moderator"]), ["Mx", "Ma", "Mr"]);
        assert_eq!(of(&["Judge", "Judge 2", "Judge 3"]), ["Je", "J2", "J3"]);
        assert_eq!(of(&["Ada", "Abe"]), ["Ad", "Ab"]);
        assert_eq!(of(&["Expert", "Export", "Expat", "Expect"]), ["E1", "E2", "E3", "E4"]);
    }

    #[test]
    fn no_two_names_share_a_badge_whatever_they_are() {
        let odd = [
            "ßa",
            "Sam Smith",
            "Sue Tone",
            "Ss",
            "SS",
            "ss",
            "Sx",
            "…",
            "?!",
            "1",
            "11",
            "Ada",
            "ada",
            "ADA",
            "İ",
            "i̇",
        ];
        let many: Vec<String> = (0..60).map(|n| format!("Speaker {n}")).collect();
        let all: Vec<&str> = odd.into_iter().chain(many.iter().map(String::as_str)).collect();
        let badges = of(&all);
        let distinct: BTreeSet<String> = badges.iter().map(|badge| badge.to_lowercase()).collect();
        assert_eq!(distinct.len(), all.len(), "{badges:?}");
    }
}
