//! `agon eval label`: people say of answers whether they are right.
use super::drive::log_failed;
use super::stored::{open, read};
use crate::cli::EvalLabelArgs;
use crate::commands::{Context, small_runtime};
use crate::exit::{Exit, Stop};
use crate::reports;
use crate::store::Store;
use agon_eval::{
    AnswerLabel, EvalInput, LabelItem, MOST_DATA_BYTES, OpenSheet, USUAL_LABELS, label_items, open_sheet, sheet_csv,
    sheet_labels, sheet_texts,
};
use agon_report::{count, one_line};
use agon_runtime::{Clock as _, OpenEval, SystemClock};
use anyhow::Context as _;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// What a person says of an answer.
enum Said {
    Right(bool),
    Skip,
    Quit,
}

/// `agon eval label`
pub fn run(context: &Context, args: &EvalLabelArgs) -> Result<Exit, Stop> {
    let store = open(context)?;
    let mut eval = small_runtime()?.block_on(read(&store, &args.id))?;
    let sheet = open_sheet(&eval.machine, args.count.unwrap_or(USUAL_LABELS)).map_err(Stop::usage)?;
    let given = match (&args.csv, &args.from) {
        (Some(file), _) => {
            let text = sheet_csv(&eval.machine, &sheet.items).context("the sheet cannot be written")?;
            let path = one_line(&file.display().to_string());
            let labelled = labels_in(&eval, file);
            if labelled > 0 {
                let labels = count(labelled as u64, "label");
                return Err(Stop::usage(format!(
                    "{path} has {labels} already; give them back with --from first, or name another file"
                )));
            }
            reports::replace(file, &text)?;
            let (rows, mark) = (count(sheet.items.len() as u64, "answer"), mark(&eval));
            let next = "write y or n into `right`, and give it back with --from";
            context.output.say(&format!("{path} has {rows}{mark}; {next}"));
            return Ok(Exit::Done);
        }
        (None, Some(file)) => from_file(&store, &mut eval, file)?,
        (None, None) => ask(context, &store, (&mut eval, &sheet), args.json)?,
    };
    let id = eval.id.to_string();
    context.output.became(
        args.json,
        &json!({"id": id, "labels": given, "rehearsal": eval.machine.admission().rehearsal}),
        &format!(
            "{} for eval {id}{}; agon eval report {id} has the corrected rates",
            count(given as u64, "label"),
            mark(&eval)
        ),
    )?;
    Ok(Exit::Done)
}

/// What marks the answers of scripted speakers.
fn mark(eval: &OpenEval) -> &'static str {
    if eval.machine.admission().rehearsal { " (a rehearsal: no model gave these answers)" } else { "" }
}

/// Writes labels down.
fn keep(store: &Store, eval: &mut OpenEval, labels: Vec<AnswerLabel>) -> Result<(), Stop> {
    let kept = eval.decide(&*store.sqlite, EvalInput::Label(labels), SystemClock.now());
    small_runtime()?.block_on(kept).map_err(log_failed)
}

fn from_file(store: &Store, eval: &mut OpenEval, file: &Path) -> Result<usize, Stop> {
    let path = one_line(&file.display().to_string());
    let bytes =
        agon_files::read(file, MOST_DATA_BYTES).map_err(|error| Stop::usage(format!("cannot read {path}: {error}")))?;
    let items = label_items(&eval.machine).map_err(Stop::usage)?;
    let labels = sheet_labels(&items, &bytes).map_err(|refused| Stop::usage(format!("{path}: {refused}")))?;
    if labels.is_empty() {
        return Err(Stop::usage(format!("{path} has no label; write y or n into `right`")));
    }
    let given = labels.len();
    keep(store, eval, labels)?;
    Ok(given)
}

/// The labels of a sheet that stands there already; none of any other file.
fn labels_in(eval: &OpenEval, file: &Path) -> usize {
    let Ok(bytes) = agon_files::read(file, MOST_DATA_BYTES) else { return 0 };
    let labels = label_items(&eval.machine).ok().and_then(|items| sheet_labels(&items, &bytes).ok());
    labels.map_or(0, |labels| labels.len())
}

/// Asks a person, one answer after the other; each label is written down at once.
fn ask(
    context: &Context,
    store: &Store,
    (eval, sheet): (&mut OpenEval, &OpenSheet),
    json: bool,
) -> Result<usize, Stop> {
    let (mut given, mut known) = (0, BTreeMap::new());
    let all = sheet.items.len() + sheet.labelled;
    for (at, item) in sheet.items.iter().enumerate() {
        let key = (item.graded.question, item.answer.clone());
        // the same answer of another arm is not asked for twice
        let said = match known.get(&key) {
            Some(right) => Said::Right(*right),
            None => {
                let page = shown(eval, item, (sheet.labelled + at + 1, all));
                // where the output is one JSON object, what is asked is a message
                match json {
                    true => context.output.say(page.trim_end()),
                    false => context.output.data(&page)?,
                }
                answer(context)?
            }
        };
        match said {
            Said::Quit => break,
            Said::Skip => {}
            Said::Right(right) => {
                known.insert(key, right);
                keep(store, eval, vec![item.label(right)])?;
                given += 1;
            }
        }
    }
    Ok(given)
}

fn shown(eval: &OpenEval, item: &LabelItem, (at, all): (usize, usize)) -> String {
    let question = eval.machine.admission().spec.questions.get(item.graded.question as usize);
    let [text, background, reference, criteria] = question.map(sheet_texts).unwrap_or_default();
    let parts = [
        ("Question", &text),
        ("Context", &background),
        ("Reference", &reference),
        ("Criteria", &criteria),
        ("Answer", &item.answer),
    ];
    let mut page = format!("\nAnswer {at} of {all}{}\n", mark(eval));
    for (title, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
        let lines: Vec<String> = text.lines().map(|line| format!("  {}", one_line(line))).collect();
        page.push_str(&format!("{title}:\n{}\n", lines.join("\n")));
    }
    page
}

/// What a person types; the end of the input quits.
fn answer(context: &Context) -> Result<Said, Stop> {
    loop {
        context.output.ask("Is it right? [y]es, [n]o, [s]kip, [q]uit: ");
        let mut line = String::new();
        if std::io::stdin().read_line(&mut line)? == 0 {
            return Ok(Said::Quit);
        }
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Said::Right(true)),
            "n" | "no" => return Ok(Said::Right(false)),
            "s" | "skip" => return Ok(Said::Skip),
            "q" | "quit" => return Ok(Said::Quit),
            _ => context.output.say("Type y, n, s or q."),
        }
    }
}
