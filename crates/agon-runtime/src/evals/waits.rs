//! What the debate of a cell waits for, by its log.
use agon_core::{Event, FailureCause, ModelName, Record, Timestamp, TurnId};

/// The turns of a debate that are not over.
#[derive(Clone, Debug, Default)]
pub struct UnsettledTurns {
    open: Vec<UnsettledTurn>,
}

/// A turn that is not over.
#[derive(Clone, Debug)]
struct UnsettledTurn {
    turn: TurnId,
    /// Who was asked last.
    model: ModelName,
    /// How the last try failed, and when the next one is; an open breaker is no try.
    failed: Option<(FailureCause, String, Timestamp)>,
}

impl UnsettledTurns {
    /// Those of a log.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut turns = Self::default();
        records.into_iter().flat_map(|record| &record.events).for_each(|event| turns.take(event));
        turns
    }

    /// Takes in what happened next.
    pub fn take(&mut self, event: &Event) {
        if let Event::TurnAsked(ask) = event {
            let failed = self.removed(ask.turn).and_then(|before| before.failed);
            self.open.push(UnsettledTurn { turn: ask.turn, model: ask.model.clone(), failed });
        } else if let Event::TurnFailed { turn, failure, retry_at: Some(at), .. } = event {
            let open = self.open.iter_mut().find(|open| open.turn.same_slot(*turn));
            if let Some(open) = open {
                open.failed = Some((failure.cause, failure.detail.clone(), *at));
            }
        } else if let Some((turn, _)) = event.settled() {
            self.removed(turn);
        } else if matches!(event, Event::DebateEnded { .. }) {
            self.open.clear();
        }
    }

    fn removed(&mut self, turn: TurnId) -> Option<UnsettledTurn> {
        let at = self.open.iter().position(|open| open.turn.same_slot(turn))?;
        Some(self.open.swap_remove(at))
    }

    /// The models that are asked and have not answered.
    pub fn models(&self) -> impl Iterator<Item = &ModelName> {
        self.open.iter().map(|open| &open.model)
    }

    /// Which model a turn waits for, how its last try failed and when the next one is, for a person; nothing where none has failed.
    pub fn wait(&self, now: Timestamp) -> Option<String> {
        let failed = |open: &UnsettledTurn| open.failed.clone().map(|failed| (open.model.clone(), failed));
        let last = self.open.iter().filter_map(failed).max_by_key(|(_, (_, _, at))| *at);
        let (model, (cause, detail, at)) = last?;
        let next = match at.since(now) / 1_000 {
            0 => "it is tried again now".to_owned(),
            seconds => format!("the next try is in {seconds} s"),
        };
        Some(match cause {
            FailureCause::BreakerOpen => format!("{model}: {detail}; {next}"),
            _ => format!("{model}: a try failed ({}): {detail}; {next}", cause.as_str()),
        })
    }
}
