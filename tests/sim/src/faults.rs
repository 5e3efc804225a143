//! What can go wrong, and how often it does in the run of a seed.
use crate::draws::SeededDraws;
use std::collections::BTreeMap;
use std::fmt;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SimulatedFault {
    /// A hint is lost.
    LostHint,
    /// A hint arrives twice.
    DoubledHint,
    /// A hint arrives up to 5 s late, behind others.
    LateHint,
    /// A request never reaches its server.
    LostRequest,
    /// The reply of a request is lost.
    LostReply,
    /// A call fails at once and has no effect.
    FailedCall,
    /// A call has its effect, and its answer is lost.
    LostAnswer,
    /// A call times out, and its effect comes later.
    LateWrite,
    /// A call takes up to 3 s.
    SlowCall,
    /// An acknowledgement is lost, so that the work comes again.
    LostAck,
    /// A note of the catalogue is lost.
    LostNote,
    /// A log is read without its last records.
    ShortRead,
    /// A call of the model fails.
    FailedModel,
    /// A call of the model takes up to a minute.
    SlowModel,
    /// A node's wall clock is off by up to an hour.
    WrongClock,
    /// A node dies at one of its next calls, before or after the call's effect, and is started again.
    Crash,
    /// A node stands still for a while, up to 40 s, and then goes on.
    Stop,
    /// A node is cut off from bus and store for a while.
    Cut,
    /// The store does not answer for a while.
    Outage,
    /// The store is away for a while, and has then forgotten what is only in the memory of a server.
    Restart,
    /// The store has no room for a while.
    FullStore,
    /// A node is asked to drain, and is started again.
    Drain,
}

impl SimulatedFault {
    /// Those that strike single calls, and how often in thousand: seldom and often.
    const OF_CALLS: [(Self, u64, u64); 14] = [
        (Self::LostHint, 50, 400),
        (Self::DoubledHint, 50, 300),
        (Self::LateHint, 50, 300),
        (Self::LostRequest, 30, 300),
        (Self::LostReply, 30, 300),
        (Self::FailedCall, 5, 60),
        (Self::LostAnswer, 5, 60),
        (Self::LateWrite, 5, 60),
        (Self::SlowCall, 5, 40),
        (Self::LostAck, 50, 300),
        (Self::LostNote, 20, 200),
        (Self::ShortRead, 50, 300),
        (Self::FailedModel, 20, 150),
        (Self::SlowModel, 20, 150),
    ];

    /// Those that strike a node or the store for a while.
    const OF_NODES: [Self; 7] =
        [Self::Crash, Self::Stop, Self::Cut, Self::Outage, Self::Restart, Self::FullStore, Self::Drain];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::LostHint => "lost hints",
            Self::DoubledHint => "doubled hints",
            Self::LateHint => "late hints",
            Self::LostRequest => "lost requests",
            Self::LostReply => "lost replies",
            Self::FailedCall => "failed calls",
            Self::LostAnswer => "lost answers",
            Self::LateWrite => "late writes",
            Self::SlowCall => "slow calls",
            Self::LostAck => "lost acknowledgements",
            Self::LostNote => "lost notes",
            Self::ShortRead => "short reads",
            Self::FailedModel => "failed model calls",
            Self::SlowModel => "slow model calls",
            Self::WrongClock => "wrong clocks",
            Self::Crash => "crashes",
            Self::Stop => "stops",
            Self::Cut => "cuts",
            Self::Outage => "outages of the store",
            Self::Restart => "restarts of the store",
            Self::FullStore => "full stores",
            Self::Drain => "drains",
        }
    }
}
impl fmt::Display for SimulatedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How often each fault struck.
pub type FaultTally = BTreeMap<SimulatedFault, u64>;

/// The faults of one run. Each run has some kinds and lacks the others, so that one kind does not hide what another would show.
#[derive(Clone, Debug)]
pub(crate) struct FaultPlan {
    /// How often in thousand calls.
    rates: BTreeMap<SimulatedFault, u64>,
    /// Those that strike a node or the store, one after the other or at once.
    pub(crate) lasting: Vec<LastingFault>,
    /// The longest usual time that a message takes, in milliseconds.
    pub(crate) latency_ms: u64,
    /// Whether the nodes' wall clocks differ.
    pub(crate) wrong_clocks: bool,
}

/// A fault that lasts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastingFault {
    pub(crate) kind: SimulatedFault,
    /// When it begins, in milliseconds.
    pub(crate) at_ms: u64,
    /// How long it lasts, in milliseconds.
    pub(crate) lasts_ms: u64,
    /// Which node, modulo their number.
    pub(crate) node: u64,
    /// A crash: so many calls later.
    pub(crate) after_calls: u64,
}

/// In one run of so many nothing goes wrong.
const CALM_RUNS: u64 = 16;
/// Lasting faults begin within this time, in milliseconds: that is how long the debates of a run take.
const BEGIN_WITHIN: u64 = 15_000;

impl FaultPlan {
    pub(crate) fn draw(draws: &SeededDraws) -> Self {
        let latency_ms = draws.one_of(&[1, 3, 20]).copied().unwrap_or(1);
        if draws.within(0..CALM_RUNS) == 0 {
            return Self {
                rates: BTreeMap::new(),
                lasting: Vec::new(),
                latency_ms: latency_ms.min(3),
                wrong_clocks: false,
            };
        }
        let mut rates = BTreeMap::new();
        for (kind, seldom, often) in SimulatedFault::OF_CALLS {
            match draws.within(0..6) {
                0 => drop(rates.insert(kind, often)),
                1 | 2 => drop(rates.insert(kind, seldom)),
                _ => {}
            }
        }
        let lasting = (0..draws.within(0..5)).filter_map(|_| LastingFault::draw(draws)).collect();
        Self { rates, lasting, latency_ms, wrong_clocks: draws.happens(300) }
    }

    pub(crate) fn rate(&self, kind: SimulatedFault) -> u64 {
        self.rates.get(&kind).copied().unwrap_or(0)
    }

    /// Whether single calls of the store are slow or go wrong.
    pub(crate) fn has_bad_calls(&self) -> bool {
        let kinds = [
            SimulatedFault::FailedCall,
            SimulatedFault::LostAnswer,
            SimulatedFault::LateWrite,
            SimulatedFault::SlowCall,
        ];
        kinds.into_iter().any(|kind| self.rate(kind) > 0)
    }

    /// Whether nothing goes wrong in this run.
    pub(crate) fn is_calm(&self) -> bool {
        self.rates.is_empty() && self.lasting.is_empty() && !self.wrong_clocks
    }
}

impl LastingFault {
    fn draw(draws: &SeededDraws) -> Option<Self> {
        let kind = *draws.one_of(&SimulatedFault::OF_NODES)?;
        // longer than a node is silent before it is considered dead; some outlast the leases of turns and jobs
        let longest = match kind {
            SimulatedFault::Crash | SimulatedFault::Drain | SimulatedFault::Restart => 8_000,
            _ if draws.happens(200) => 40_000,
            _ => 12_000,
        };
        let shortest = draws.one_of(&[200, 2_000, 7_000]).copied().unwrap_or(200).min(longest / 2);
        Some(Self {
            kind,
            at_ms: draws.within(0..BEGIN_WITHIN),
            lasts_ms: draws.within(shortest..longest),
            node: draws.number(),
            after_calls: draws.within(0..40),
        })
    }
}
