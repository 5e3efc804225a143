//! Names that are hidden inside speeches.
use crate::words::{is_common, is_spaceless, words};

/// Whether speeches use a name's words without meaning the debater, so that they stay where names are hidden: all of them are words
/// that every text of their language has.
pub fn is_ordinary_name(name: &str) -> bool {
    let name = words(name);
    !name.is_empty() && name.iter().all(|word| is_common(word))
}

/// The text with whole words that are one of the names replaced; longer names stand first. Letter case does not count.
pub fn rename(text: &str, names: &[(&str, &str)]) -> String {
    let names: Vec<HiddenName<'_>> = names.iter().filter(|(name, _)| !name.is_empty()).map(HiddenName::of).collect();
    // inside a word begin only names of scripts without spaces
    let everywhere = names.iter().any(|name| name.runs_on);
    let mut renamed = String::with_capacity(text.len());
    let mut rest = text;
    let mut inside_word = false;
    while let Some(first) = rest.chars().next() {
        let found = names.iter().filter(|name| !inside_word || name.runs_on).find_map(|hidden| {
            let after = without(rest, hidden.name)?;
            (hidden.runs_on || !after.starts_with(in_word)).then_some((hidden, after))
        });
        rest = match found {
            Some((hidden, after)) => {
                renamed.push_str(hidden.label);
                inside_word = hidden.name.ends_with(in_word);
                after
            }
            None => {
                inside_word = in_word(first);
                let word = if everywhere { None } else { rest.find(|c| !in_word(c)).or(Some(rest.len())) };
                let (kept, after) = rest.split_at(word.unwrap_or(0).max(first.len_utf8()));
                renamed.push_str(kept);
                after
            }
        };
    }
    renamed
}

/// A name, and what is shown in its place.
struct HiddenName<'a> {
    name: &'a str,
    label: &'a str,
    runs_on: bool,
}

impl<'a> HiddenName<'a> {
    fn of((name, label): &(&'a str, &'a str)) -> Self {
        Self { name, label, runs_on: runs_on(name) }
    }
}

/// What follows the name at the beginning of the text, in whatever letter case it stands there.
fn without<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    let mut alike = |wanted: char| rest.next().filter(|c| *c == wanted || c.to_lowercase().eq(wanted.to_lowercase()));
    name.chars().try_for_each(|wanted| alike(wanted).map(drop))?;
    Some(rest.as_str())
}

/// Whether a name stands in its script without spaces around it. One character alone would be found inside other words.
fn runs_on(name: &str) -> bool {
    name.chars().all(is_spaceless) && name.chars().nth(1).is_some()
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_as_whole_words_and_the_longer_one_first() {
        let names = [("Ada Byron", "Speaker B"), ("Ada", "Speaker A")];
        let text = "Ada's point, Adam; Ada Byron and (Ada). Nevada, Ada.";
        assert_eq!(rename(text, &names), "Speaker A's point, Adam; Speaker B and (Speaker A). Nevada, Speaker A.");
    }

    #[test]
    fn names_are_found_in_any_letter_case() {
        let names = [("bear", "Speaker A"), ("Émile", "Speaker B")];
        let text = "Bear and BEAR said to émile and ÉMILE that a bearer is no bear";
        assert_eq!(
            rename(text, &names),
            "Speaker A and Speaker A said to Speaker B and Speaker B that a bearer is no Speaker A"
        );
    }

    #[test]
    fn names_of_scripts_without_spaces_are_found_between_their_neighbours() {
        let names = [("李明", "Speaker A"), ("王", "Speaker B")];
        assert_eq!(rename("正如李明所说，国王不同意。王：是", &names), "正如Speaker A所说，国王不同意。Speaker B：是");
    }
}
