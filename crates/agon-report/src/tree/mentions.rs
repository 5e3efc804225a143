//! Whom and what a speech names.
use agon_core::ParticipantId;

/// Something that a text names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mention {
    /// A speaker, by its place among the names; `against` one of its steps.
    Speaker { index: usize, against: bool },
    /// A number in the transcript.
    Number(u32),
}

/// What the text names, each once, in order of appearance. Names count as whole words, longer ones first, letter case
/// included; `against` holds where any of the places says so.
pub(super) fn mentions(text: &str, names: &[&ParticipantId]) -> Vec<Mention> {
    let mut by_length: Vec<(usize, &str)> = names.iter().map(|name| name.as_str()).enumerate().collect();
    by_length.sort_by_key(|(_, name)| std::cmp::Reverse(name.len()));
    let mut found: Vec<Mention> = Vec::new();
    let mut at = 0;
    let mut inside_word = false;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let step = (!inside_word).then(|| named(rest, &by_length).or_else(|| numbered(rest))).flatten();
        let length = match step {
            Some((mention, length)) => {
                take(&mut found, mention, text.get(..at).unwrap_or_default());
                length
            }
            None => rest.chars().next().map_or(1, char::len_utf8),
        };
        let passed = rest.get(..length).unwrap_or_default();
        inside_word = passed.ends_with(in_word);
        at += length;
    }
    found
}

fn take(found: &mut Vec<Mention>, mention: Mention, before: &str) {
    let mention = match mention {
        Mention::Speaker { index, .. } => Mention::Speaker { index, against: against_step(before) },
        number @ Mention::Number(_) => number,
    };
    let known = found.iter_mut().find(|known| match (&**known, &mention) {
        (Mention::Speaker { index: a, .. }, Mention::Speaker { index: b, .. }) => a == b,
        (Mention::Number(a), Mention::Number(b)) => a == b,
        (Mention::Speaker { .. }, Mention::Number(_)) | (Mention::Number(_), Mention::Speaker { .. }) => false,
    });
    match (known, mention) {
        (Some(Mention::Speaker { against, .. }), Mention::Speaker { against: also, .. }) => *against |= also,
        (Some(_), _) => {}
        (None, mention) => found.push(mention),
    }
}

fn named(rest: &str, names: &[(usize, &str)]) -> Option<(Mention, usize)> {
    names.iter().find_map(|(index, name)| {
        let after = rest.strip_prefix(name).filter(|_| !name.is_empty())?;
        (!after.starts_with(in_word)).then_some((Mention::Speaker { index: *index, against: false }, name.len()))
    })
}

/// `T7`, as a whole word.
fn numbered(rest: &str) -> Option<(Mention, usize)> {
    let digits = rest.strip_prefix('T')?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number = digits.get(..end)?.parse().ok()?;
    (!digits.get(end..)?.starts_with(in_word)).then_some((Mention::Number(number), end + 1))
}

/// Whether the text before a name ends with `against step 2 of`, letter case and emphasis aside.
fn against_step(before: &str) -> bool {
    let mut words =
        before.rsplit(|c: char| c.is_whitespace() || matches!(c, '*' | '_')).filter(|word| !word.is_empty());
    let mut next = |wanted: fn(&str) -> bool| words.next().is_some_and(wanted);
    next(|word| word.eq_ignore_ascii_case("of"))
        && next(|word| word.chars().all(|c| c.is_ascii_digit()))
        && next(|word| word.eq_ignore_ascii_case("step"))
        && next(|word| word.eq_ignore_ascii_case("against"))
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Mention> {
        let names = ["Ann", "Ann Lee", "Bo"].map(ParticipantId::from);
        mentions(text, &names.iter().collect::<Vec<_>>())
    }
    fn plain(index: usize) -> Mention {
        Mention::Speaker { index, against: false }
    }

    #[test]
    fn names_count_as_whole_words_and_the_longer_one_wins() {
        assert_eq!(found("Ann Lee is right, Bo."), [plain(1), plain(2)]);
        assert_eq!(found("Anne, Boa and ann were not named; Bo's was, Bo."), [plain(2)]);
    }

    #[test]
    fn numbers_of_the_transcript_are_words_of_their_own() {
        assert_eq!(
            found("As T7 and (T12) say; not T7x, xT7, T, or T99999999999."),
            [Mention::Number(7), Mention::Number(12)]
        );
    }

    #[test]
    fn a_step_that_is_spoken_against_says_so() {
        assert_eq!(found("**Against step 2** of Bo: no."), [Mention::Speaker { index: 2, against: true }]);
        assert_eq!(found("With step 2 of Bo I agree."), [plain(2)]);
        assert_eq!(found("Bo says much. Against step 3 of Bo: no."), [Mention::Speaker { index: 2, against: true }]);
    }
}
