//! Which debates a list is to show: the same conditions for the local store and for a server.
use crate::cli::{ListArgs, ListedState};
use crate::reports::StoredLog;
use crate::store::StoredDebate;
use agon_core::{Debate, DebateState, Halt, Outcome};
use agon_proto::pb;
use agon_proto::pb::v1::debate::State;
use agon_store::DebateHead;

/// Whether every debate is to be shown.
pub fn is_empty(args: &ListArgs) -> bool {
    args.state.is_empty()
        && args.outcome.is_empty()
        && args.labels.is_empty()
        && args.text.is_none()
        && args.models.is_empty()
        && args.since.is_none()
}

/// Whether a stored debate is to be shown. Of one whose log is damaged nothing is known but when it was admitted.
pub fn fits(args: &ListArgs, head: &DebateHead, kept: &StoredDebate) -> bool {
    match kept {
        StoredDebate::Whole(log) => log_fits(args, log),
        StoredDebate::Damaged(_) => {
            let of_log = !args.state.is_empty() || !args.outcome.is_empty() || !args.labels.is_empty();
            let of_log = of_log || !args.models.is_empty();
            !of_log && args.text.is_none() && args.since.is_none_or(|since| head.admitted >= since)
        }
    }
}

fn log_fits(args: &ListArgs, log: &StoredLog) -> bool {
    // what the log of a debate does not begin like is shown as damaged
    let Some(debate) = Debate::fold(&log.records) else { return is_empty(args) };
    let admission = debate.admission();
    let labelled =
        |key: &str, value: &str| admission.labels.get(key).is_some_and(|has| value.is_empty() || has == value);
    let contains = |text: &String| admission.spec.topic.to_lowercase().contains(&text.to_lowercase());
    let admitted = log.records.first().map(|record| record.at);
    let outcome = debate.ended().and_then(|(_, outcome)| outcome);
    (args.state.is_empty() || args.state.contains(&state_of(&debate, log.halt)))
        && (args.outcome.is_empty() || args.outcome.iter().any(|wanted| Some(Outcome::from(*wanted)) == outcome))
        && args.labels.iter().all(|label| labelled(&label.key, &label.value))
        && args.text.as_ref().is_none_or(contains)
        && (args.models.is_empty() || calls(&debate, &args.models))
        && args.since.is_none_or(|since| admitted.is_some_and(|admitted| admitted >= since))
}

fn calls(debate: &Debate, models: &[String]) -> bool {
    let figures = debate.summary_figures();
    models.iter().any(|model| figures.has_model(&model.as_str().into()))
}

fn state_of(debate: &Debate, halt: Option<Halt>) -> ListedState {
    match (debate.ended(), halt.or(debate.halt())) {
        (Some((DebateState::Succeeded, _)), _) => ListedState::Succeeded,
        (Some((DebateState::Failed, _)), _) => ListedState::Failed,
        (Some((DebateState::Cancelled, _)), _) => ListedState::Cancelled,
        (None, Some(Halt::Paused)) => ListedState::Paused,
        (None, Some(Halt::Interrupted)) => ListedState::Interrupted,
        (None, None) if debate.epoch() == 0 => ListedState::Queued,
        (None, None) => ListedState::Running,
    }
}

/// The same conditions as a server wants them.
pub fn for_server(args: &ListArgs) -> pb::v1::DebateFilter {
    let states = args.state.iter().map(|state| match state {
        ListedState::Queued => State::Queued,
        ListedState::Running => State::Running,
        ListedState::Cancelling => State::Cancelling,
        ListedState::Paused => State::Paused,
        ListedState::Interrupted => State::Interrupted,
        ListedState::Lost => State::Lost,
        ListedState::Succeeded => State::Succeeded,
        ListedState::Failed => State::Failed,
        ListedState::Cancelled => State::Cancelled,
    });
    let outcomes = args.outcome.iter().map(|outcome| pb::debate::v1::Outcome::from(Outcome::from(*outcome)));
    pb::v1::DebateFilter {
        states: states.map(Into::into).collect(),
        outcomes: outcomes.map(Into::into).collect(),
        labels: args.labels.iter().map(|label| (label.key.clone(), label.value.clone())).collect(),
        created_after: args.since.map(|since| prost_types::Timestamp {
            seconds: i64::try_from(since.0 / 1000).unwrap_or(i64::MAX),
            nanos: i32::try_from(since.0 % 1000).unwrap_or(0) * 1_000_000,
        }),
        created_before: None,
        text: args.text.clone().unwrap_or_default(),
        models: args.models.clone(),
        without_label: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoredDebate;
    use agon_core::testing::{LogBuilder, admission, spec};
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct ListCommand {
        #[command(flatten)]
        args: ListArgs,
    }

    #[test]
    fn debates_are_found_by_the_models_that_they_plan_to_call() {
        let log = StoredLog::of(LogBuilder::new(admission("debate-1", spec())).records);
        let fits = |models: &[&str]| {
            let options = models.iter().flat_map(|model| ["--model", model]);
            let args = ListCommand::parse_from(["list"].into_iter().chain(options)).args;
            assert_eq!((is_empty(&args), for_server(&args).models), (models.is_empty(), args.models.clone()));
            let (kept, hurt) = (StoredDebate::Whole(log.clone()), StoredDebate::Damaged("hurt".into()));
            let head = DebateHead {
                id: agon_core::DebateId::parse("debate-1").unwrap(),
                last: agon_core::Position(1),
                admitted: agon_core::Timestamp(1),
                updated: agon_core::Timestamp(1),
                ended: false,
            };
            (super::fits(&args, &head, &kept), super::fits(&args, &head, &hurt))
        };
        assert_eq!(fits(&[]), (true, true));
        assert_eq!(fits(&["m"]), (true, false), "what a damaged log calls is unknown");
        assert_eq!(fits(&["other", "m"]), (true, false));
        assert_eq!(fits(&["other"]), (false, false));
    }
}
