//! `agon check`: every problem of every file, at once.
use super::Context;
use crate::cli::{CheckArgs, FileSyntax};
use crate::debate_file;
use crate::exit::{Exit, Stop};
use agon_spec::{Defaults, Diagnostic, Overrides, Parsed, Severity};

/// `agon check FILE...`
pub fn run(context: &Context, args: &CheckArgs) -> Result<Exit, Stop> {
    let settings = context.settings()?;
    let feeds = Some(settings.feeds.keys().cloned().collect());
    let verifiers = Some(settings.verifiers.keys().cloned().collect());
    let defaults = Defaults { feeds, verifiers, ..debate_file::defaults(&settings) };
    let mut found = Vec::new();
    for (at, name) in args.files.iter().enumerate() {
        let parsed = one(name, args.syntax, &defaults)?;
        if args.json {
            found.extend(parsed.diagnostics);
        } else {
            show(context, args, name, at, &parsed)?;
            found.extend(parsed.diagnostics);
        }
    }
    if args.json {
        context.output.json(&found)?;
    }
    let bad = found.iter().any(|problem| problem.severity == Severity::Error);
    Ok(if bad { Exit::Usage } else { Exit::Done })
}

fn one(name: &str, syntax: Option<FileSyntax>, defaults: &Defaults) -> Result<Parsed, Stop> {
    Ok(debate_file::parse(&debate_file::file_or_input(name, syntax)?, defaults, &Overrides::default()))
}

fn show(context: &Context, args: &CheckArgs, name: &str, at: usize, parsed: &Parsed) -> Result<(), Stop> {
    let problems = agon_spec::render(&parsed.diagnostics);
    match (&parsed.spec, args.normalized) {
        (Some(spec), true) => {
            // The file is the data here, and may be piped into another one.
            eprint!("{problems}");
            let apart = if at > 0 { "---\n" } else { "" };
            context.output.data(&format!("{apart}{}", agon_spec::normalize(spec)))?;
        }
        (Some(spec), false) => {
            let warnings = count(&parsed.diagnostics, Severity::Warning);
            let judged = if warnings.is_empty() { "good".to_owned() } else { format!("good, {warnings}") };
            let personas = agon_report::count(spec.personas.len() as u64, "persona");
            let rounds = agon_report::count(spec.max_rounds.into(), "round");
            let summary = format!("{name}: {judged} ({personas}, at most {rounds})");
            let notes: String =
                agon_spec::notes(spec).iter().map(|note| format!("  {}\n", agon_report::one_line(note))).collect();
            context.output.data(&format!("{problems}{}\n{notes}", agon_report::one_line(&summary)))?;
        }
        (None, _) => {
            let errors = count(&parsed.diagnostics, Severity::Error);
            context.output.data(&format!("{problems}{}: {errors}\n", agon_report::one_line(name)))?;
        }
    }
    Ok(())
}

fn count(diagnostics: &[Diagnostic], severity: Severity) -> String {
    let word = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    match diagnostics.iter().filter(|found| found.severity == severity).count() {
        0 => String::new(),
        1 => format!("1 {word}"),
        n => format!("{n} {word}s"),
    }
}
