//! `chain_of_thought`: the numbered steps of a speech.

/// The kinds of steps that every speech must have.
pub const KINDS: [&str; 4] = ["claim", "evidence", "inference", "conclusion"];

/// A step of a speech.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeechStep<'a> {
    /// Its number.
    pub number: u32,
    /// One of [`KINDS`].
    pub kind: &'static str,
    /// What it says, up to the next step.
    pub text: &'a str,
}

/// The steps of a speech: lines such as `2. Evidence: ...`, Markdown emphasis around number and kind aside.
pub fn steps(speech: &str) -> Vec<SpeechStep<'_>> {
    let mut found: Vec<(usize, usize, u32, &'static str)> = Vec::new();
    let mut start = 0;
    for line in speech.split_inclusive('\n') {
        if let Some((number, kind, text)) = header(line) {
            found.push((start, start + text, number, kind));
        }
        start += line.len();
    }
    let ends = found.iter().skip(1).map(|(start, ..)| *start).chain([speech.len()]);
    let step = |((_, text, number, kind), end): (&(usize, usize, u32, &'static str), usize)| {
        let text = speech.get(*text..end).unwrap_or_default().trim();
        SpeechStep { number: *number, kind, text }
    };
    found.iter().zip(ends.collect::<Vec<_>>()).map(step).collect()
}

/// What is wrong with the steps of a speech, for its speaker to mend.
pub fn check(speech: &str) -> Result<(), String> {
    let steps = steps(speech);
    for (expected, step) in (1..).zip(&steps) {
        if step.number != expected {
            return Err(format!("the steps are not numbered in order: found {}, wanted {expected}", step.number));
        }
        if step.text.is_empty() {
            return Err(format!("step {expected} ({}) says nothing", step.kind));
        }
    }
    let missing: Vec<&str> = KINDS.into_iter().filter(|kind| !steps.iter().any(|step| step.kind == *kind)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the speech has no step of the kind {}; wanted are numbered lines such as \"1. Claim: ...\", with {} at least once each",
        missing.join(", "),
        KINDS.join(", ")
    ))
}

/// Number and kind of a line that begins a step, and where its text begins.
fn header(line: &str) -> Option<(u32, &'static str, usize)> {
    let decoration = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '#' | '-');
    let rest = line.trim_start_matches(decoration);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).filter(|digits| *digits > 0)?;
    let number = rest.get(..digits)?.parse().ok()?;
    let rest = rest.get(digits..)?.strip_prefix(['.', ')', ':'])?.trim_start_matches(decoration);
    let kind =
        KINDS.into_iter().find(|kind| rest.get(..kind.len()).is_some_and(|head| head.eq_ignore_ascii_case(kind)))?;
    let rest = rest.get(kind.len()..)?.trim_start_matches(['*', '_']).strip_prefix(':')?;
    let rest = rest.trim_start_matches(['*', '_']);
    Some((number, kind, line.len() - rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_found_whatever_the_emphasis_around_them() {
        let speech = "So:\n1. Claim: it pays.\n**2. Evidence:** rents fell\nby 4 %.\n3) inference: hence\n- 4. **Conclusion**: build.";
        let steps = steps(speech);
        let kinds: Vec<_> = steps.iter().map(|step| (step.number, step.kind, step.text)).collect();
        assert_eq!(
            kinds,
            [
                (1, "claim", "it pays."),
                (2, "evidence", "rents fell\nby 4 %."),
                (3, "inference", "hence"),
                (4, "conclusion", "build.")
            ]
        );
        assert_eq!(check(speech), Ok(()));
    }

    #[test]
    fn a_missing_kind_a_wrong_number_and_an_empty_step_are_told() {
        assert!(check("1. Claim: a\n2. Evidence: b").unwrap_err().contains("inference, conclusion"));
        assert!(check("1. Claim: a\n3. Evidence: b\n").unwrap_err().contains("found 3, wanted 2"));
        assert!(check("1. Claim:\n2. Evidence: b").unwrap_err().contains("step 1 (claim) says nothing"));
        assert!(check("I just talk.").is_err());
    }
}
