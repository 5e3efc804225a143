//! What to do about a failure, and models that answer under another name: told wherever a debate is shown.
use crate::log::{Log, admitted, argument, persona, spec};
use crate::shown::{live, minutes};
use agon_core::*;
use agon_report::{DebateResult, full_markdown, html, verbose};

const NAME: &str = "llama-of-attic:1b";

/// Ada's first model is missing, and another than her second one answers.
fn log() -> Log {
    let mut log = admitted(spec("Shall we?", vec![persona("Ada", None, "Optimist"), persona("Bo", None, "Critic")]));
    log.phase(PhaseName::Rounds);
    log.round(1, &["Ada", "Bo"]);
    let asked = log.ask(1, "Ada", argument());
    let missing = "attic: the server does not have the model: model 'nobody:1b' not found";
    let again = log.fail(asked, Failure::new(FailureCause::NotFound, missing), Some(0));
    let mut asked = log.ask_again(again, "Ada", argument());
    asked.call.answered_as(NAME);
    log.spoke(asked, SpeechKind::Argument, "It pays.", |_| {});
    log
}

#[test]
fn a_failure_is_shown_with_its_remedy_and_the_log_keeps_what_happened() {
    let log = log();
    let minutes = minutes(&log);
    let result = DebateResult::of(&minutes);

    let command = "ollama pull nobody:1b";
    for shown in [full_markdown(&minutes), verbose(&minutes), html(&minutes).unwrap(), live(&log)] {
        assert!(shown.replace('\\', "").contains(command), "{shown}");
    }
    assert!(result.failures[0].remedy.as_ref().unwrap().contains(command));
    assert!(!result.failures[0].detail.contains(command));
}

#[test]
fn a_model_that_answers_under_another_name_is_shown_with_it() {
    let log = log();
    let minutes = minutes(&log);

    for shown in [verbose(&minutes), html(&minutes).unwrap(), live(&log)] {
        assert!(shown.replace('\\', "").contains(&format!("(answered by {NAME})")), "{shown}");
    }
    assert!(full_markdown(&minutes).replace('\\', "").contains(&format!("on attic was answered by {NAME}.")));
}
