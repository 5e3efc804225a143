//! The faces of an eval's result.
mod hostile;
mod meanings;
mod pages;
mod shapes;
mod texts;

use agon_eval::EvalResult;
use agon_report::{DebateLinks, eval_html, eval_terminal};

fn page(result: &EvalResult) -> String {
    eval_html(result, &DebateLinks::Files { deleted: Default::default() }).unwrap()
}
fn terminal(result: &EvalResult, width: usize) -> String {
    eval_terminal(result, width).iter().map(|line| format!("{line}\n")).collect()
}
