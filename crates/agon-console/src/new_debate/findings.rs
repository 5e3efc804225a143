//! What is wrong with a debate, and what it would take: the same words as a submission would get.
use super::debate_form::control;
use super::draft::{DebateDraft, DebateInTheMaking};
use super::plan::PlanView;
use crate::help;
use crate::refusal::told;
use crate::site::ConsoleSite;
use crate::visitor::PageVisitor;
use agon_report::{count, one_line};
use agon_server::{Problem, Violation};
use agon_spec::{Diagnostic, Parsed, Severity};

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
        Self {
            severity,
            place: Some(place).filter(|_| draft.is_file()),
            message: one_line(&diagnostic.message),
            hint: diagnostic.help.as_deref().map(one_line),
            control: target(&diagnostic.field, draft),
            help: help::option(&diagnostic.field),
            field: one_line(&diagnostic.field),
        }
    }

    fn of_violation(violation: &Violation, draft: &DebateDraft) -> Self {
        Self {
            severity: "error",
            place: None,
            message: one_line(&violation.text),
            hint: None,
            control: control(&violation.field).filter(|_| !draft.is_file() || is_beside_file(&violation.field)),
            help: None,
            field: one_line(&violation.field),
        }
    }
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
}

impl Findings {
    /// The findings in a few words.
    pub fn summary(&self) -> String {
        let of = |severity: &str| self.problems.iter().filter(|finding| finding.severity == severity).count() as u64;
        let (errors, warnings) = (of("error") + u64::from(self.refusal.is_some()), of("warning"));
        match (self.checked, errors, warnings) {
            (false, ..) => "Nothing to check yet".to_owned(),
            (true, 0, 0) => "Ready: no problem found".to_owned(),
            (true, 0, warnings) => format!("Ready, with {}", count(warnings, "warning")),
            (true, errors, 0) => count(errors, "error"),
            (true, errors, warnings) => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
        }
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
    let (source, defaults) = (debate.draft.source(), site.api().defaults(debate.envelope.rehearsal));
    // a large file takes a while
    let parsed = tokio::task::spawn_blocking(move || agon_spec::parse(&source, &defaults)).await;
    let parsed = parsed.map_err(|error| Problem::Internal(format!("the file was not checked: {error}")))?;
    let Parsed { spec, diagnostics } = parsed;
    let mut problems: Vec<FileFinding> = diagnostics.iter().map(|one| FileFinding::of(one, &debate.draft)).collect();
    if !debate.draft.is_file() {
        // there are no lines to follow: what is refused comes first
        problems.sort_by_key(|finding| finding.severity != "error");
    }
    let findings = Findings { problems, checked: true, ..Findings::default() };
    let Some(spec) = spec else { return Ok(findings) };
    Ok(match site.api().create(&visitor.call, &debate.request(true)).await {
        Ok(planned) => Findings { plan: planned.plan.map(|plan| PlanView::of(plan, &spec)), ..findings },
        Err(problem) => findings.refused(&problem, &debate.draft),
    })
}
