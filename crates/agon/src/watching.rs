//! Showing a debate while it runs, until it ends, the user has enough, or nobody reads any more.
use crate::exit::{Exit, Stop};
use crate::signals::Signals;
use crate::terminal::DebateView;
use agon_core::{DebateSpec, DebateState, Event, Outcome, Reason, Record, TurnId};
use agon_report::{deltas_shown_to_clients, for_clients};
use agon_runtime::{Clock, SystemClock, Watch, WatchError, Watched};
use agon_store::WriteTrouble;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

mod waits;

use waits::TurnWaits;

/// How often the live view is drawn.
const FRAME: Duration = Duration::from_millis(80);
/// What may wait for the view.
const WAITING: usize = 256;
/// How long a debate waits for a store that cannot be written.
const STORE_PATIENCE: Duration = Duration::from_secs(60);

/// How a debate ended.
pub type FinalState = (DebateState, Option<Outcome>);

/// Why watching ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The debate is over.
    Over(DebateState, Option<Outcome>),
    /// No more comes, and the end was not among what came.
    Silent,
    /// Nobody plays the debate before it is resumed.
    Halted,
    /// The user wants to stop.
    Interrupted,
    /// Nobody reads the output any more.
    Unread,
}

/// What is seen of a debate.
#[derive(Clone, Debug)]
pub enum WatchItem {
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
        /// What the turn waits for, if it does.
        waiting: String,
    },
    /// What the user should know from now on; nothing where that has passed.
    Notice(Option<Cow<'static, str>>),
}

/// A watched debate and whoever is shown it.
pub struct Watching<'a> {
    /// What comes of the debate.
    pub feed: WatchFeed,
    /// What shows it.
    pub view: &'a mut dyn DebateView,
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
        let (mut ended, mut halted) = (None, false);
        let mut curtain = Curtain::default();
        let mut waits = TurnWaits::default();
        let mut notice = None;
        loop {
            let shown = tokio::select! {
                biased;
                () = self.signals.next() => {
                    let _ = self.view.tick(SystemClock.now(), Some(self.farewell));
                    self.view.notice(self.farewell);
                    return Ok(Ending::Interrupted);
                }
                seen = self.feed.next() => match seen? {
                    Some(WatchItem::Notice(said)) => {
                        if let Some(new) = said.as_deref().filter(|_| said != notice) {
                            self.view.notice(new);
                        }
                        notice = said;
                        Ok(())
                    }
                    Some(seen) => {
                        if let WatchItem::Record(record) = &seen {
                            halted = interrupts(record).is_some();
                        }
                        self.tell_waits(&seen, &mut waits);
                        self.show(&seen, &mut curtain, &mut ended)
                    }
                    None => return Ok(match ended {
                        Some((state, outcome)) => Ending::Over(state, outcome),
                        None if halted => Ending::Halted,
                        None => Ending::Silent,
                    }),
                },
                _ = frames.tick() => {
                    waits.expire().iter().for_each(|line| self.view.notice(line));
                    self.view.tick(SystemClock.now(), notice.as_deref())
                }
                stop = &mut down => return Err(stop),
            };
            if let Err(error) = shown {
                return unread(error);
            }
        }
    }

    /// Reports what turns wait for to those whose view does not show it.
    fn tell_waits(&mut self, seen: &WatchItem, waits: &mut TurnWaits) {
        if self.view.is_live() {
            return;
        }
        let lines: Vec<String> = match seen {
            WatchItem::Record(record) => record.events.iter().flat_map(|event| waits.event(event)).collect(),
            WatchItem::Delta { turn, waiting, .. } if !waiting.is_empty() => {
                waits.waits(*turn, waiting).into_iter().collect()
            }
            WatchItem::Delta { turn, .. } => waits.goes_on(*turn),
            WatchItem::Notice(_) => Vec::new(),
        };
        lines.iter().for_each(|line| self.view.notice(line));
    }

    fn show(&mut self, seen: &WatchItem, curtain: &mut Curtain, ended: &mut Option<FinalState>) -> io::Result<()> {
        match seen {
            WatchItem::Record(record) => {
                *ended = end_of(record).or(*ended);
                record.entries().try_for_each(|(position, event)| match curtain.shown(event) {
                    Some(event) => self.view.event(position, record.at, &event),
                    None => Ok(()),
                })
            }
            WatchItem::Delta { turn, waiting, .. } if !waiting.is_empty() => {
                self.view.waits(*turn, waiting);
                Ok(())
            }
            WatchItem::Delta { turn, offset, text, .. } => {
                if !curtain.hidden.contains(turn) {
                    self.view.delta(*turn, *offset, text);
                }
                Ok(())
            }
            WatchItem::Notice(_) => Ok(()),
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
    /// What is shown of an event; remembers whose turns are not.
    fn shown<'e>(&mut self, event: &'e Event) -> Option<Cow<'e, Event>> {
        if let Event::DebateAdmitted(admission) = event {
            self.spec = Some(Box::new(admission.spec.clone()));
        }
        let Some(spec) = &self.spec else { return Some(Cow::Borrowed(event)) };
        if let Event::TurnAsked(ask) = event
            && !deltas_shown_to_clients(spec, &ask.participant)
        {
            self.hidden.insert(ask.turn);
        }
        for_clients(spec, event)
    }
}

/// How the debate ended, if this record ends it.
pub fn end_of(record: &Record) -> Option<FinalState> {
    record.events.iter().find_map(|event| match event {
        Event::DebateEnded { state, outcome, .. } => Some((*state, *outcome)),
        _ => None,
    })
}

/// Why nobody plays the debate after this record before it is resumed, where that is so.
pub fn interrupts(record: &Record) -> Option<&Reason> {
    match record.events.last() {
        Some(Event::DebateInterrupted { reason }) => Some(reason),
        _ => None,
    }
}

fn unread(error: io::Error) -> Result<Ending, Stop> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(Ending::Unread),
        _ => Err(Stop::from(error)),
    }
}

/// What comes of a debate, read on while the view is busy.
pub struct WatchFeed {
    receiver: mpsc::Receiver<Result<WatchItem, Stop>>,
    /// Dropping the set ends the task.
    _task: JoinSet<()>,
}

impl WatchFeed {
    /// Starts a task that fills the feed.
    pub fn new<F: Future<Output = ()> + Send + 'static>(fill: impl FnOnce(FeedSender) -> F) -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        let mut task = JoinSet::new();
        task.spawn(fill(FeedSender(sender)));
        Self { receiver, _task: task }
    }

    /// What a node of this process sees, and what keeps its store from being written.
    pub fn of_node(watch: Watch, trouble: watch::Receiver<Option<WriteTrouble>>) -> Self {
        Self::new(|sink| async move {
            tokio::select! {
                () = follow(watch, &sink) => {}
                () = tell(trouble, &sink) => {}
            }
        })
    }

    async fn next(&mut self) -> Result<Option<WatchItem>, Stop> {
        self.receiver.recv().await.transpose()
    }
}

async fn follow(mut watch: Watch, sink: &FeedSender) {
    while let Some(watched) = watch.next().await.transpose() {
        match watched {
            Ok(watched) => {
                // what is resumed later is watched anew
                let last = matches!(&watched, Watched::Record(record) if interrupts(record).is_some());
                if !sink.send(seen(watched)).await || last {
                    return;
                }
            }
            Err(error) => return sink.fail(unwatched(error)).await,
        }
    }
}

/// Says that the debate waits for its store, and ends the feed where that does not pass. Never returns otherwise.
async fn tell(mut trouble: watch::Receiver<Option<WriteTrouble>>, sink: &FeedSender) {
    loop {
        let now = trouble.borrow_and_update().clone();
        let closed = match now {
            None => {
                sink.notice(None).await;
                trouble.changed().await.is_err()
            }
            Some(WriteTrouble { detail, lasting: true, .. }) => return sink.fail(unwritten(&detail)).await,
            Some(WriteTrouble { detail, lasting: false, .. }) => {
                sink.notice(Some(format!("The debate waits for its store: {detail}.").into())).await;
                let passed = async { trouble.wait_for(Option::is_none).await.map(drop) };
                match tokio::time::timeout(STORE_PATIENCE, passed).await {
                    Ok(passed) => passed.is_err(),
                    Err(_) => return sink.fail(unwritten(&detail)).await,
                }
            }
        };
        if closed {
            return std::future::pending().await;
        }
    }
}

fn unwritten(detail: &str) -> Stop {
    Stop::say(Exit::Internal, format!("the debate cannot be stored: {detail}"))
}

fn seen(watched: Watched) -> WatchItem {
    match watched {
        Watched::Record(record) => WatchItem::Record(record),
        Watched::Delta(delta) => {
            WatchItem::Delta { turn: delta.turn, offset: delta.offset, text: delta.text, waiting: delta.waiting }
        }
    }
}

/// What a debate that cannot be watched means for the program.
pub fn unwatched(error: WatchError) -> Stop {
    Stop::from(anyhow::Error::from(error).context("the debate cannot be followed"))
}

/// The other end of a feed.
pub struct FeedSender(mpsc::Sender<Result<WatchItem, Stop>>);

impl FeedSender {
    /// Hands something on; false when nobody wants more.
    pub async fn send(&self, seen: WatchItem) -> bool {
        self.0.send(Ok(seen)).await.is_ok()
    }
    /// Tells what the user should know from now on; nothing where that has passed.
    pub async fn notice(&self, notice: Option<Cow<'static, str>>) {
        self.send(WatchItem::Notice(notice)).await;
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

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::Instant;

    fn trouble(lasting: bool) -> Option<WriteTrouble> {
        Some(WriteTrouble { detail: "disk is full".to_owned(), lasting, full: true })
    }

    fn told() -> (watch::Sender<Option<WriteTrouble>>, WatchFeed) {
        let (tell_of, trouble) = watch::channel(None);
        (tell_of, WatchFeed::new(|sink| async move { tell(trouble, &sink).await }))
    }

    /// The next notice.
    async fn notice(feed: &mut WatchFeed) -> Option<String> {
        match feed.next().await {
            Ok(Some(WatchItem::Notice(notice))) => notice.map(Cow::into_owned),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_cannot_be_written_is_told_of_until_it_can() {
        let (tell_of, mut feed) = told();
        assert_eq!(notice(&mut feed).await, None);
        tell_of.send_replace(trouble(false));
        assert_eq!(notice(&mut feed).await.unwrap(), "The debate waits for its store: disk is full.");
        tokio::time::sleep(STORE_PATIENCE / 2).await;
        tell_of.send_replace(None);
        assert_eq!(notice(&mut feed).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_debate_does_not_wait_for_its_store_for_ever() {
        for (lasting, patience) in [(false, STORE_PATIENCE), (true, Duration::ZERO)] {
            let (tell_of, mut feed) = told();
            assert_eq!(notice(&mut feed).await, None);
            let start = Instant::now();
            tell_of.send_replace(trouble(lasting));
            if !lasting {
                notice(&mut feed).await.unwrap();
            }
            let stop = feed.next().await.unwrap_err();
            assert_eq!((stop.exit, start.elapsed()), (Exit::Internal, patience));
            assert!(stop.error.unwrap().to_string().contains("disk is full"));
        }
    }
}
