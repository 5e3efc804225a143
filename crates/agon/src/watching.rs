//! Showing a debate while it runs, until it ends, the user has enough, or nobody reads any more.
use crate::exit::Stop;
use crate::signals::Signals;
use crate::stage::Stage;
use crate::terminal::View;
use agon_core::{DebateId, DebateState, Event, Outcome, Position, Record};
use agon_runtime::{Clock, SystemClock, Watch, WatchError, Watched};
use anyhow::Context;
use std::io;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

/// How often the live view is drawn.
const FRAME: Duration = Duration::from_millis(80);
/// What may wait for the view.
const WAITING: usize = 256;

/// Why watching ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The debate is over.
    Over(DebateState, Option<Outcome>),
    /// The user wants to stop.
    Interrupted,
    /// Nobody reads the output any more.
    Unread,
}

/// Shows the debate from the event after `after` on.
pub async fn watch(
    stage: &mut Stage,
    id: &DebateId,
    after: Position,
    view: &mut dyn View,
    signals: &mut Signals,
) -> Result<Ending, Stop> {
    let watch = stage.node.watch(id, after, view.wants_tokens()).await.context("the debate cannot be watched")?;
    let mut pump = Pump::start(watch);
    let mut frames = tokio::time::interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut ended = None;
    let shown = loop {
        let shown = tokio::select! {
            biased;
            () = signals.next() => break Ok(Ending::Interrupted),
            watched = pump.next() => match watched? {
                Some(watched) => show(view, &watched, &mut ended),
                None => break Ok(ended.map_or(Ending::Interrupted, |(state, outcome)| Ending::Over(state, outcome))),
            },
            _ = frames.tick() => view.tick(SystemClock.now(), None),
            down = stage.node.failed() => return Err(Stop::from(anyhow::Error::from(down).context("the debate cannot go on here"))),
        };
        if let Err(error) = shown {
            break unread(error);
        }
    };
    let ending = shown?;
    if ending == Ending::Interrupted {
        let notice = "Stopping. What was said is kept. Ctrl-C again quits at once.";
        let _ = view.tick(SystemClock.now(), Some(notice));
    }
    Ok(ending)
}

fn show(view: &mut dyn View, watched: &Watched, ended: &mut Option<(DebateState, Option<Outcome>)>) -> io::Result<()> {
    match watched {
        Watched::Record(record) => {
            *ended = end_of(record).or(*ended);
            record.entries().try_for_each(|(position, event)| view.event(position, record.at, event))
        }
        Watched::Delta(delta) => {
            view.delta(delta.turn, delta.offset, &delta.text);
            Ok(())
        }
    }
}

/// How the debate ended, if this record ends it.
pub fn end_of(record: &Record) -> Option<(DebateState, Option<Outcome>)> {
    record.events.iter().find_map(|event| match event {
        Event::DebateEnded { state, outcome, .. } => Some((*state, *outcome)),
        _ => None,
    })
}

fn unread(error: io::Error) -> Result<Ending, Stop> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(Ending::Unread),
        _ => Err(Stop::from(error)),
    }
}

/// Reads on while the view is busy, and loses nothing when the loop above turns to something else.
struct Pump {
    receiver: mpsc::Receiver<Result<Watched, WatchError>>,
    _task: JoinSet<()>,
}

impl Pump {
    fn start(mut watch: Watch) -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        // Dropping the set ends the task.
        let mut task = JoinSet::new();
        task.spawn(async move {
            while let Some(watched) = watch.next().await.transpose() {
                let last = watched.is_err();
                if sender.send(watched).await.is_err() || last {
                    break;
                }
            }
        });
        Self { receiver, _task: task }
    }
    async fn next(&mut self) -> anyhow::Result<Option<Watched>> {
        self.receiver.recv().await.transpose().context("the debate cannot be watched any longer")
    }
}
