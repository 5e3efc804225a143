//! The nearest valid name for a misspelt one.

/// The candidate that `written` most likely means, if one is near enough.
#[must_use]
pub fn nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = folded(written);
    let length = wanted.chars().count();
    let most = (length / 3).clamp(1, 4);
    let distance = |candidate: &str| strsim::osa_distance(&wanted, &folded(candidate));
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let near = candidates
        .iter()
        .map(|candidate| (distance(candidate), *candidate))
        .filter(|(distance, candidate)| *distance <= most && *distance < candidate.chars().count())
        .min_by_key(|(distance, candidate)| (*distance, candidate.chars().count().abs_diff(length)))
        .map(|(_, candidate)| candidate);
    near.or_else(|| candidates.into_iter().find(|candidate| is_part(&wanted, &folded(candidate))))
}

/// Whether one letter makes the difference.
pub fn is_slip(written: &str, candidate: &str) -> bool {
    strsim::osa_distance(&folded(written), &folded(candidate)) == 1
}

/// Whether one is a part of the other, or both begin alike: `markdown` and `full_markdown`, `opening` and `opens`.
fn is_part(one: &str, other: &str) -> bool {
    const LEAST: usize = 4;
    let alike = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let long_enough = one.chars().count().min(other.chars().count()) >= LEAST;
    long_enough && (alike >= LEAST || one.contains(other) || other.contains(one))
}

fn folded(name: &str) -> String {
    name.trim()
        .chars()
        .take(64)
        .flat_map(char::to_lowercase)
        .map(|c| if matches!(c, '-' | ' ') { '_' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_hyphens_and_small_slips_are_forgiven() {
        let names = ["max_rounds", "mode", "model"];
        assert_eq!(nearest("Max-Rounds", names), Some("max_rounds"));
        assert_eq!(nearest("max_ruonds", names), Some("max_rounds"));
        assert_eq!(nearest("modle", names), Some("model"));
    }

    #[test]
    fn nothing_is_suggested_for_a_word_that_is_far_from_all() {
        assert_eq!(nearest("xyz", ["max_rounds", "mode"]), None);
        assert_eq!(nearest("", ["a"]), None);
    }
}
