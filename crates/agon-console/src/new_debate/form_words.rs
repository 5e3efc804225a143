//! The words of the form: what its controls are called, and what a problem of the debate file is to somebody who has seen no file.
use super::debate_form::control;
use agon_core::DebateFormat;
use agon_report::one_line;
use agon_spec::{Code, Diagnostic};

/// What a control is called on the page. Those of debaters are called the same for each.
pub(crate) fn label(control: &str) -> &'static str {
    let (plain, _) = of_debater(control);
    LABELS.iter().find(|(known, _)| *known == plain).map_or("", |(_, label)| label)
}

/// What a control is called away from its place.
pub(super) fn full_label(control: &str) -> String {
    match of_debater(control).1 {
        Some(at) => format!("Debater {}: {}", at + 1, label(control)),
        None => label(control).to_owned(),
    }
}

const LABELS: [(&str, &str); 21] = [
    ("topic", "What is debated"),
    ("context", "What everybody should know before speaking"),
    ("answers-given", "Answers"),
    ("format-round_robin", "Format"),
    ("rounds", "Rounds at most"),
    ("model", "Model of everybody"),
    ("name", "Name"),
    ("model-of-one", "Model"),
    ("stance", "Answer that it argues"),
    ("role", "Who it is"),
    ("moderator", "Moderator"),
    ("decision", "Who decides"),
    ("judges", "Judges"),
    ("judge_model", "Model of the judge"),
    ("rule", "Rule of a vote"),
    ("language", "Language"),
    ("timeout", "Time for one answer"),
    ("tokens", "Budget: tokens"),
    ("seconds", "Budget: seconds"),
    ("options", "Answers that can be given"),
    ("labels", "Labels"),
];

/// A control of a debater: its name without the number, and the number.
fn of_debater(control: &str) -> (&str, Option<usize>) {
    let numbered = control.rsplit_once('-').and_then(|(name, at)| Some((name, at.parse().ok()?)));
    match numbered {
        Some(("model", at)) => ("model-of-one", Some(at)),
        Some((name, at)) => (name, Some(at)),
        None => (control, None),
    }
}

/// What a form says of a kind of problem at a control.
struct Rewording {
    code: Code,
    control: &'static str,
    /// Nothing: the file's words, with those of the form for its keys.
    message: Option<&'static str>,
    /// The same; empty is no hint.
    hint: Option<&'static str>,
}

impl Rewording {
    const fn of(code: Code, control: &'static str, message: Option<&'static str>, hint: Option<&'static str>) -> Self {
        Self { code, control, message, hint }
    }
}

const REWORDINGS: [Rewording; 10] = [
    Rewording::of(Code::MissingKey, "topic", Some("the question is missing"), Some("")),
    Rewording::of(Code::MissingKey, "name", Some("the debater has no name"), Some("")),
    Rewording::of(
        Code::MissingKey,
        "stance",
        Some("the debater has no answer to argue"),
        Some("write one, or choose “Own” under “Answers”"),
    ),
    Rewording::of(
        Code::DuplicateStance,
        "stance",
        Some("another debater argues the same answer, or one that looks like it"),
        Some("give each debater an answer of its own, or choose “Own” under “Answers”"),
    ),
    Rewording::of(
        Code::DuplicateName,
        "name",
        Some("another debater has the same name, or one that looks like it"),
        None,
    ),
    Rewording::of(
        Code::UnusedBlock,
        "judges",
        Some("judges are asked only where a judge decides"),
        Some("empty “Judges” and “Model of the judge”, or let a judge decide"),
    ),
    Rewording::of(
        Code::UnusedBlock,
        "rule",
        Some("a rule of a vote is used only where a vote decides"),
        Some("choose the usual rule, or let a vote decide"),
    ),
    Rewording::of(
        Code::JudgeSharesModel,
        "judge_model",
        None,
        Some("name a model of another family under “Model of the judge”"),
    ),
    Rewording::of(Code::SmallBudget, "tokens", None, Some("raise the budget")),
    Rewording::of(Code::SmallBudget, "seconds", None, Some("raise the budget, or shorten “Time for one answer”")),
];

/// The message and the hint of a problem, in words of the form.
pub(super) fn reworded(problem: &Diagnostic) -> (String, Option<String>) {
    let control = control(&problem.field).unwrap_or_default();
    let (plain, _) = of_debater(&control);
    let own = REWORDINGS.iter().find(|one| one.code == problem.code && one.control == plain);
    let message = own.and_then(|own| own.message).map(str::to_owned);
    let hint = match own.and_then(|own| own.hint) {
        Some(hint) => Some(hint.to_owned()).filter(|hint| !hint.is_empty()),
        // what only a file can say is no help here
        None => problem.help.as_deref().map(in_words).filter(|hint| !hint.contains('`')),
    };
    (one_line(&message.unwrap_or_else(|| in_words(&problem.message))), hint.as_deref().map(one_line))
}

/// A text with the form's words for what it says in code; other code stays as it is.
pub(super) fn in_words(text: &str) -> String {
    let part = |(at, part): (usize, &str)| match (at.is_multiple_of(2), of_code(part)) {
        (true, _) => part.split(' ').map(of_word).collect::<Vec<_>>().join(" "),
        (false, Some(words)) => words,
        (false, None) => format!("`{part}`"),
    };
    text.split('`').enumerate().map(part).collect()
}

fn of_code(code: &str) -> Option<String> {
    const OTHERS: [(&str, &str); 4] = [
        ("kind: choice", "a choice"),
        ("samples", "several"),
        ("mode: adversarial", "“Answers: Given”"),
        ("mode: deliberative", "“Answers: Own”"),
    ];
    if let Some((_, words)) = OTHERS.iter().find(|(other, _)| *other == code) {
        return Some((*words).to_owned());
    }
    if let Some(format) = DebateFormat::ALL.into_iter().find(|format| format.as_str() == code) {
        return Some(format.label().to_owned());
    }
    let (key, value) = code.split_once(':').unwrap_or((code, ""));
    let named = control(key).map(|control| full_label(&control)).filter(|label| !label.is_empty())?;
    match value.trim() {
        "" => Some(format!("“{named}”")),
        value => Some(format!("“{named}: {}”", value.replace('_', " "))),
    }
}

fn of_word(word: &str) -> String {
    let bare = word.trim_end_matches([',', ';', ':', '.']);
    let (other, rest) = (word.strip_prefix(bare).unwrap_or_default(), bare);
    let said = match rest {
        "persona" => "debater".to_owned(),
        "personas" => "debaters".to_owned(),
        rest => DebateFormat::ALL
            .into_iter()
            .find(|format| format.as_str() == rest && rest.contains('_'))
            .map_or_else(|| rest.to_owned(), |format| format.label().to_owned()),
    };
    said + other
}

#[cfg(test)]
mod tests {
    use super::super::debate_form::DebateForm;
    use super::*;

    fn said(form: &DebateForm) -> Vec<String> {
        let defaults = agon_spec::Defaults { model: Some("m:1".to_owned()), ..agon_spec::Defaults::default() };
        let source = agon_spec::Source::new("debate.yaml", agon_spec::yaml(&form.value()));
        let problems = agon_spec::parse(&source.with_syntax(agon_spec::Syntax::Yaml), &defaults).diagnostics;
        let line = |problem: &Diagnostic| {
            let at = full_label(&control(&problem.field).unwrap_or_else(|| panic!("{problem}")));
            let (message, hint) = reworded(problem);
            format!("{at}: {message} ({})", hint.unwrap_or_default())
        };
        problems.iter().map(line).collect()
    }

    /// Forms with the mistakes that people make.
    fn wrong() -> Vec<DebateForm> {
        let fresh = DebateForm::fresh;
        let own = || DebateForm { topic: "Should we?".into(), own_answers: true, ..fresh() };
        let mut same = fresh();
        same.debaters.iter_mut().for_each(|one| (one.name, one.stance) = ("Ada".into(), "Yes".into()));
        let mut nameless = own();
        nameless.debaters[1].name.clear();
        vec![
            fresh(),
            same,
            nameless,
            DebateForm {
                rounds: "two".into(),
                timeout: "abc".into(),
                tokens: "-1".into(),
                seconds: "1h".into(),
                ..own()
            },
            DebateForm { rule: "unanimous".into(), ..own() },
            DebateForm { decision: "vote".into(), judges: "2".into(), options: "one".into(), ..own() },
            DebateForm { decision: "mediator_summary".into(), options: "a\na".into(), ..own() },
            DebateForm { tokens: "10".into(), seconds: "1".into(), judges: "17".into(), ..own() },
            DebateForm { format: "bp_style".into(), ..own() },
        ]
    }

    #[test]
    fn a_form_speaks_of_its_fields_and_never_of_keys_or_lines_of_a_file() {
        for line in wrong().iter().flat_map(said) {
            for word in ["persona", "stance", "mode ", "mode:", "line ", "_", "write topic", "block"] {
                assert!(!line.contains(word), "{word}: {line}");
            }
        }
    }

    #[test]
    fn a_problem_names_its_field_and_says_what_to_do() {
        let all: Vec<String> = wrong().iter().flat_map(said).collect();
        for expected in [
            "What is debated: the question is missing ()",
            "Debater 1: Answer that it argues: the debater has no answer to argue (write one, or choose “Own” under “Answers”)",
            "Rounds at most: “Rounds at most” must be a whole number from 1 to 100, found the text 'two' ()",
        ] {
            assert!(all.iter().any(|line| line == expected), "{expected}\n{}", all.join("\n"));
        }
    }

    #[test]
    fn every_control_that_a_problem_leads_to_has_a_label() {
        for field in ["topic", "mode", "debate_format", "personas[1].model", "budget", "voting.rule", "labels"] {
            let control = control(field).unwrap();
            assert!(!label(&control).is_empty(), "{field}");
        }
    }
}
