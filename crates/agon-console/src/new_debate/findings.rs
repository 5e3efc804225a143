//! What is wrong with a debate, and what it would take: the same words as a submission would get.
use super::debate_form::control;
use super::draft::{DebateDraft, DebateInTheMaking};
use super::form_words::{full_label, reworded};
use super::plan::{PlanView, missing};
use crate::help;
use crate::refusal::told;
use crate::site::ConsoleSite;
use crate::visitor::PageVisitor;
use agon_core::DebateSpec;
use agon_proto::pb::v1 as pb;
use agon_report::{count, one_line};
use agon_server::{Problem, Violation};
use agon_spec::{Code, Diagnostic, Parsed, Severity};

/// What matters only where models speak.
const OF_MODELS: [Code; 3] = [Code::JudgeSharesModel, Code::SingleModel, Code::SingleFamily];

/// One problem, at its place.
pub(super) struct FileFinding {
    pub severity: &'static str,
    /// Line and column, where a file was written by hand.
    pub place: Option<(usize, usize)>,
    pub field: String,
    pub message: String,
    /// What to do, or what is allowed.
    pub hint: Option<String>,
    /// The control to go to.
    pub control: Option<String>,
    /// Where the option is explained.
    pub help: Option<String>,
}

impl FileFinding {
    fn of(diagnostic: &Diagnostic, draft: &DebateDraft) -> Self {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let place = (diagnostic.place.line, diagnostic.place.column);
        let (message, hint) = match draft.is_file() {
            true => (one_line(&diagnostic.message), diagnostic.help.as_deref().map(one_line)),
            false => reworded(diagnostic),
        };
        let control = target(&diagnostic.field, draft);
        Self {
            severity,
            place: Some(place).filter(|_| draft.is_file()),
            field: field(&diagnostic.field, control.as_deref().filter(|_| !draft.is_file())),
            message,
            hint,
            control,
            help: help::option(&diagnostic.field),
        }
    }

    /// What no live host offers: it keeps nothing from being submitted.
    fn of_missing((message, offered): (String, String)) -> Self {
        Self {
            severity: "warning",
            place: None,
            field: String::new(),
            message,
            hint: Some(offered).filter(|offered| !offered.is_empty()),
            control: None,
            help: None,
        }
    }

    fn of_violation(violation: &Violation, draft: &DebateDraft) -> Self {
        let control = control(&violation.field).filter(|_| !draft.is_file() || is_beside_file(&violation.field));
        Self {
            severity: "error",
            place: None,
            message: one_line(&label_problem(violation).unwrap_or_else(|| violation.text.clone())),
            hint: None,
            field: field(&violation.field, control.as_deref()),
            control,
            help: None,
        }
    }
}

/// What a field is called: as the form calls its control, or as the file does.
fn field(field: &str, control: Option<&str>) -> String {
    let label = control.map(full_label).filter(|label| !label.is_empty());
    label.unwrap_or_else(|| one_line(field))
}

/// What is wrong with a label, in words for somebody who sees its line: which one it is, and no count of bytes.
fn label_problem(violation: &Violation) -> Option<String> {
    let key = violation.field.strip_prefix("labels[\"")?.strip_suffix("\"]")?;
    let rule = violation.text.split_once("; found").map_or(violation.text.as_str(), |(rule, _)| rule);
    Some(if key.is_empty() { "a line has nothing before its `=`".to_owned() } else { format!("`{key}`: {rule}") })
}

fn target(field: &str, draft: &DebateDraft) -> Option<String> {
    if draft.is_file() { Some("text".to_owned()) } else { control(field) }
}

fn is_beside_file(field: &str) -> bool {
    field.starts_with("labels") || field.starts_with("priority")
}

/// What a check came to.
#[derive(Default)]
pub(super) struct Findings {
    pub problems: Vec<FileFinding>,
    /// What else keeps it from being submitted.
    pub refusal: Option<String>,
    pub plan: Option<PlanView>,
    /// There is something to check.
    pub checked: bool,
    /// Nobody could play it now.
    pub unplayable: bool,
}

impl Findings {
    /// Nothing but the reason why there is nothing else.
    pub fn only(refusal: String) -> Self {
        Self { refusal: Some(one_line(&refusal)), checked: true, ..Self::default() }
    }

    /// The findings in a few words.
    pub fn summary(&self) -> String {
        let of = |severity: &str| self.problems.iter().filter(|finding| finding.severity == severity).count() as u64;
        let (errors, warnings) = (of("error") + u64::from(self.refusal.is_some()), of("warning"));
        match (self.checked, errors, warnings) {
            (false, ..) => "Nothing to check yet".to_owned(),
            (true, 0, 0) => "Ready: no problem found".to_owned(),
            (true, 0, warnings) if self.unplayable => {
                format!("Nobody could play it now: {}", count(warnings, "warning"))
            }
            (true, 0, warnings) => format!("Ready, with {}", count(warnings, "warning")),
            (true, errors, 0) => count(errors, "error"),
            (true, errors, warnings) => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
        }
    }

    /// Whether it can be begun, and played.
    pub fn is_ready(&self) -> bool {
        self.plan.is_some() && !self.unplayable && !self.has_errors()
    }

    pub fn has_errors(&self) -> bool {
        self.refusal.is_some() || self.problems.iter().any(|finding| finding.severity == "error")
    }

    /// What is wrong at a control.
    pub fn at<'f>(&'f self, control: &'f str) -> impl Iterator<Item = &'f FileFinding> {
        self.problems.iter().filter(move |finding| finding.control.as_deref() == Some(control))
    }

    /// The first control with an error.
    pub fn first(&self) -> Option<&str> {
        let errors = self.problems.iter().filter(|finding| finding.severity == "error");
        errors.filter_map(|finding| finding.control.as_deref()).next()
    }

    /// With what it takes; what no host offers comes first.
    fn planned(mut self, plan: pb::Plan, spec: &DebateSpec, rehearsal: bool) -> Self {
        let missing = missing(&plan, rehearsal);
        self.unplayable = !missing.is_empty();
        self.problems.splice(0..0, missing.into_iter().map(FileFinding::of_missing));
        Self { plan: Some(PlanView::of(plan, spec, rehearsal)), ..self }
    }

    /// What a refused submission says.
    pub fn refused(mut self, problem: &Problem, draft: &DebateDraft) -> Self {
        self.checked = true;
        match problem {
            // the file's own mistakes stand there with their places
            Problem::Invalid(_) if self.has_errors() => {}
            Problem::Invalid(all) => self.problems.extend(all.iter().map(|one| FileFinding::of_violation(one, draft))),
            problem => self.refusal = Some(one_line(&told(problem))),
        }
        self
    }
}

/// Checks a debate as a submission would.
pub(super) async fn check(
    site: &ConsoleSite,
    visitor: &PageVisitor,
    debate: &DebateInTheMaking,
) -> Result<Findings, Problem> {
    let rehearsal = debate.envelope.rehearsal;
    let (source, defaults) = (debate.draft.source(), site.api().defaults(rehearsal));
    // a large file takes a while
    let parsed = tokio::task::spawn_blocking(move || agon_spec::parse(&source, &defaults)).await;
    let parsed = parsed.map_err(|error| Problem::Internal(format!("the file was not checked: {error}")))?;
    let Parsed { spec, diagnostics } = parsed;
    let matters = |one: &&Diagnostic| !rehearsal || !OF_MODELS.contains(&one.code);
    let all = diagnostics.iter().filter(matters);
    let mut problems: Vec<FileFinding> = all.map(|one| FileFinding::of(one, &debate.draft)).collect();
    if !debate.draft.is_file() {
        // there are no lines to follow: what is refused comes first
        problems.sort_by_key(|finding| finding.severity != "error");
    }
    let findings = Findings { problems, checked: true, ..Findings::default() };
    let Some(spec) = spec else { return Ok(findings) };
    Ok(match site.api().create(&visitor.call, &debate.request(true)).await {
        Ok(planned) => match planned.plan {
            Some(plan) => findings.planned(plan, &spec, rehearsal),
            None => findings,
        },
        Err(problem) => findings.refused(&problem, &debate.draft),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debate_that_no_host_could_play_is_not_ready_and_says_so_first() {
        let small = agon_spec::Source::new("d.yaml", "topic: Should we?\npersona_count: 2\nmodel: m:1\n");
        let spec = agon_spec::parse(&small, &agon_spec::Defaults::default()).spec.unwrap();
        let found = |unserved| {
            let plan = pb::Plan { unserved, ..pb::Plan::default() };
            let problems = vec![FileFinding::of_missing(("a warning".to_owned(), String::new()))];
            Findings { problems, checked: true, ..Findings::default() }.planned(plan, &spec, false)
        };
        let ready = found(vec![]);
        assert!(ready.is_ready() && ready.summary() == "Ready, with 1 warning");
        let unserved =
            pb::Unserved { kind: pb::unserved::Kind::Model.into(), name: "m:1".into(), ..Default::default() };
        let unplayable = found(vec![unserved]);
        assert_eq!((unplayable.is_ready(), unplayable.has_errors()), (false, false));
        assert_eq!(unplayable.summary(), "Nobody could play it now: 2 warnings");
        assert!(unplayable.problems[0].message.starts_with("No live host serves m:1: "));
    }

    #[test]
    fn a_wrong_label_is_named_by_its_key_and_led_to_by_its_field() {
        let file = DebateDraft::File { name: String::new(), text: String::new() };
        let found = |field: &str| {
            let text = "a label's key is 1 to 63 characters of a-z; found 4 bytes".to_owned();
            FileFinding::of_violation(&Violation { field: field.to_owned(), text }, &file)
        };
        let team = found("labels[\"Team\"]");
        assert_eq!((team.field.as_str(), team.control.as_deref()), ("Labels", Some("labels")));
        assert_eq!(team.message, "`Team`: a label's key is 1 to 63 characters of a-z");
        assert_eq!(found("labels[\"\"]").message, "a line has nothing before its `=`");
    }
}
