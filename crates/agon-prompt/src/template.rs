//! The fixed wording, and how values come into it.

macro_rules! templates {
    ($($name:ident = $file:literal;)+) => {
        $(pub(crate) const $name: &str = include_str!(concat!("../templates/", $file, ".txt"));)+
        #[cfg(test)]
        const ALL: &[(&str, &str)] = &[$(($file, $name)),+];
    };
}
templates! {
    SYSTEM = "system";
    JUDGE_SYSTEM = "judge_system";
    RULES_ADVERSARIAL = "rules_adversarial";
    RULES_ADVERSARIAL_OPENING = "rules_adversarial_opening";
    RULES_DELIBERATIVE = "rules_deliberative";
    RULES_DELIBERATIVE_OPENING = "rules_deliberative_opening";
    OPENING = "task_opening";
    ARGUMENT = "task_argument";
    ARGUMENT_GUIDED = "task_argument_guided";
    CLOSING = "task_closing";
    BALLOT_INITIAL = "task_ballot_initial";
    BALLOT_FINAL = "task_ballot_final";
    VOTE = "task_vote";
    OPEN_ROUND = "task_open_round";
    OPEN_ROUND_FIXED = "task_open_round_fixed";
    CLOSE_ROUND = "task_close_round";
    JUDGE = "task_judge";
    AGREEMENT = "agreement";
    STYLE = "style";
    CORRECTION = "correction";
    CHOICE = "choice";
    WINNER = "winner";
    TOOL_RESULT = "tool_result";
    TOOL_FAILED = "tool_failed";
    TOOL_LOOP = "tool_loop";
}

/// The text with each `{{name}}` replaced by its value. Values are not looked into, unknown names stay as they are.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template.trim_end_matches('\n');
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let value = after.split_once("}}").and_then(|(name, after)| {
            let (_, value) = values.iter().find(|(known, _)| *known == name.trim())?;
            Some((*value, after))
        });
        rest = match value {
            Some((value, after)) => {
                filled.push_str(value);
                after
            }
            None => {
                filled.push_str("{{");
                after
            }
        };
    }
    filled.push_str(rest);
    filled
}

/// One line of a template that lists alternatives.
pub(crate) fn line(template: &'static str, index: usize) -> &'static str {
    template.lines().nth(index).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_in_once_and_unknown_names_stay() {
        let values = [("name", "{{round}}"), ("round", "2")];
        assert_eq!(fill("{{name}} in {{ round }} of {{rounds}} {{", &values), "{{round}} in 2 of {{rounds}} {{");
    }

    #[test]
    fn the_built_in_wording_uses_only_values_that_are_filled_in() {
        const KNOWN: [&str; 12] = [
            "marker",
            "words",
            "choice",
            "choices",
            "names",
            "winner",
            "intensity",
            "correction",
            "tool",
            "result",
            "problem",
            "tools",
        ];
        for (file, template) in ALL {
            for part in template.split("{{").skip(1) {
                let (name, _) = part.split_once("}}").unwrap();
                assert!(KNOWN.contains(&name), "{file}: {name}");
            }
            assert!(template.ends_with('\n') && !template.ends_with("\n\n"), "{file}");
        }
    }
}
