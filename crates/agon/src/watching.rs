//! Showing a debate while it runs, until it ends, the user has enough, or nobody reads any more.
use crate::exit::Stop;
use crate::signals::Signals;
use crate::terminal::View;
use agon_core::{DebateSpec, DebateState, Event, Outcome, Record, TurnId};
use agon_report::{deltas_shown_to_clients, shown_to_clients};
use agon_runtime::{Clock, SystemClock, Watch, WatchError, Watched};
use std::collections::BTreeSet;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

/// How often the live view is drawn.
const FRAME: Duration = Duration::from_millis(80);
/// What may wait for the view.
const WAITING: usize = 256;

/// How a debate ended.
pub type End = (DebateState, Option<Outcome>);

/// Why watching ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The debate is over.
    Over(DebateState, Option<Outcome>),
    /// No more comes, and the end was not among what came.
    Silent,
    /// The user wants to stop.
    Interrupted,
    /// Nobody reads the output any more.
    Unread,
}

/// What is seen of a debate.
#[derive(Clone, Debug)]
pub enum Seen {
    /// A record of the log, or a part of one.
    Record(Arc<Record>),
    /// A piece of a running answer.
    Delta {
        /// The turn.
        turn: TurnId,
        /// Bytes before the piece.
        offset: u64,
        /// The piece.
        text: String,
    },
    /// What the user should know of the connection.
    Notice(&'static str),
}

/// A watched debate and whoever is shown it.
pub struct Watching<'a> {
    /// What comes of the debate.
    pub feed: Feed,
    /// What shows it.
    pub view: &'a mut dyn View,
    /// Ctrl-C.
    pub signals: &'a mut Signals,
    /// What is said to a user who has enough.
    pub farewell: &'a str,
}

impl Watching<'_> {
    /// Shows the debate; `down` is what makes it impossible to go on.
    pub async fn watch(mut self, down: impl Future<Output = Stop>) -> Result<Ending, Stop> {
        let mut frames = tokio::time::interval(FRAME);
        frames.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut down = std::pin::pin!(down);
        let mut ended = None;
        let mut curtain = Curtain::default();
        loop {
            let shown = tokio::select! {
                biased;
                () = self.signals.next() => {
                    let _ = self.view.tick(SystemClock.now(), Some(self.farewell));
                    return Ok(Ending::Interrupted);
                }
                seen = self.feed.next() => match seen? {
                    Some(seen) => self.show(&seen, &mut curtain, &mut ended),
                    None => return Ok(ended.map_or(Ending::Silent, |(state, outcome)| Ending::Over(state, outcome))),
                },
                _ = frames.tick() => self.view.tick(SystemClock.now(), None),
                stop = &mut down => return Err(stop),
            };
            if let Err(error) = shown {
                return unread(error);
            }
        }
    }

    fn show(&mut self, seen: &Seen, curtain: &mut Curtain, ended: &mut Option<End>) -> io::Result<()> {
        match seen {
            Seen::Record(record) => {
                *ended = end_of(record).or(*ended);
                record.entries().try_for_each(|(position, event)| match curtain.lifts(event) {
                    true => self.view.event(position, record.at, event),
                    false => Ok(()),
                })
            }
            Seen::Delta { turn, offset, text } => {
                if !curtain.hidden.contains(turn) {
                    self.view.delta(*turn, *offset, text);
                }
                Ok(())
            }
            Seen::Notice(notice) => self.view.tick(SystemClock.now(), Some(notice)),
        }
    }
}

/// What the debate's file wants watchers not to be shown. A gateway has left it out already.
#[derive(Default)]
struct Curtain {
    spec: Option<Box<DebateSpec>>,
    hidden: BTreeSet<TurnId>,
}

impl Curtain {
    /// Whether an event is shown; remembers whose turns are not.
    fn lifts(&mut self, event: &Event) -> bool {
        if let Event::DebateAdmitted(admission) = event {
            self.spec = Some(Box::new(admission.spec.clone()));
        }
        let Some(spec) = &self.spec else { return true };
        if let Event::TurnAsked(ask) = event
            && !deltas_shown_to_clients(spec, &ask.participant)
        {
            self.hidden.insert(ask.turn);
        }
        shown_to_clients(spec, event)
    }
}

/// How the debate ended, if this record ends it.
pub fn end_of(record: &Record) -> Option<End> {
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

/// What comes of a debate, read on while the view is busy.
pub struct Feed {
    receiver: mpsc::Receiver<Result<Seen, Stop>>,
    /// Dropping the set ends the task.
    _task: JoinSet<()>,
}

impl Feed {
    /// Starts a task that fills the feed.
    pub fn new<F: Future<Output = ()> + Send + 'static>(fill: impl FnOnce(Sink) -> F) -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        let mut task = JoinSet::new();
        task.spawn(fill(Sink(sender)));
        Self { receiver, _task: task }
    }

    /// What a node of this process sees.
    pub fn of_node(mut watch: Watch) -> Self {
        Self::new(|sink| async move {
            while let Some(watched) = watch.next().await.transpose() {
                match watched {
                    Ok(watched) => {
                        if !sink.send(seen(watched)).await {
                            return;
                        }
                    }
                    Err(error) => return sink.fail(unwatched(error)).await,
                }
            }
        })
    }

    async fn next(&mut self) -> Result<Option<Seen>, Stop> {
        self.receiver.recv().await.transpose()
    }
}

fn seen(watched: Watched) -> Seen {
    match watched {
        Watched::Record(record) => Seen::Record(record),
        Watched::Delta(delta) => Seen::Delta { turn: delta.turn, offset: delta.offset, text: delta.text },
    }
}

/// What a debate that cannot be watched means for the program.
pub fn unwatched(error: WatchError) -> Stop {
    Stop::from(anyhow::Error::from(error).context("the debate cannot be watched"))
}

/// The other end of a feed.
pub struct Sink(mpsc::Sender<Result<Seen, Stop>>);

impl Sink {
    /// Hands something on; false when nobody wants more.
    pub async fn send(&self, seen: Seen) -> bool {
        self.0.send(Ok(seen)).await.is_ok()
    }
    /// Tells of the connection.
    pub async fn notice(&self, notice: &'static str) {
        self.send(Seen::Notice(notice)).await;
    }
    /// Ends the feed with an error.
    pub async fn fail(&self, stop: Stop) {
        // Whoever is gone does not want to know.
        self.0.send(Err(stop)).await.ok();
    }
    /// Whether nobody listens any more.
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}
