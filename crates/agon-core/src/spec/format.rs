//! What happens in a round, and who speaks when.
use crate::ids::ParticipantId;
use serde::{Deserialize, Serialize};

/// What happens in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DebateFormat {
    /// Every debater speaks once, in turn order.
    RoundRobin,
    /// One asks, the others answer and are asked again; who asks rotates.
    Socratic,
    /// British Parliamentary: four teams, eight speeches, points of information.
    BpStyle,
    /// An inner circle speaks, an outer circle listens and bids to come in.
    Fishbowl,
    /// Every speech has numbered steps from claim to conclusion.
    ChainOfThought,
    /// No order: the highest bid speaks.
    OpenFight,
    /// Proposals, then rounds of critiques and revisions.
    CritiqueRevision,
}
impl DebateFormat {
    /// All, in the order of the reference.
    pub const ALL: [Self; 7] = [
        Self::RoundRobin,
        Self::Socratic,
        Self::BpStyle,
        Self::Fishbowl,
        Self::ChainOfThought,
        Self::OpenFight,
        Self::CritiqueRevision,
    ];
    /// The name that users type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RoundRobin => "round_robin",
            Self::Socratic => "socratic",
            Self::BpStyle => "bp_style",
            Self::Fishbowl => "fishbowl",
            Self::ChainOfThought => "chain_of_thought",
            Self::OpenFight => "open_fight",
            Self::CritiqueRevision => "critique_revision",
        }
    }
}

/// Who speaks when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnMode {
    /// Declared order.
    RoundRobin,
    /// A fresh seeded permutation each round.
    Random,
    /// By priority, highest first, ties in declared order.
    PriorityOrder,
    /// After each speech the others say whether they react; the strongest speaks.
    ReactionTriggered,
    /// The moderator's `next_speakers`.
    Moderator,
}
impl TurnMode {
    /// All, in the order of the reference.
    pub const ALL: [Self; 5] =
        [Self::RoundRobin, Self::Random, Self::PriorityOrder, Self::ReactionTriggered, Self::Moderator];
    /// The name that users type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RoundRobin => "round_robin",
            Self::Random => "random",
            Self::PriorityOrder => "priority_order",
            Self::ReactionTriggered => "reaction_triggered",
            Self::Moderator => "moderator",
        }
    }
}

/// Whether later speakers of a round see earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// One after the other, each sees all before.
    Sequential,
    /// All at once on the same transcript.
    Simultaneous,
}

/// Whether a speaker of `open_fight` may be interrupted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interruptions {
    /// Everybody speaks to the end.
    #[default]
    Off,
    /// Whoever bids as much as the threshold after a speech interjects a short one before the floor is given anew.
    TurnBoundary,
    /// Besides, a running speech is shown to the others half-way, and a bid as high as the threshold cuts it there.
    MidSpeech,
}

/// Who criticises whom in `critique_revision`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topology {
    /// Everybody criticises everybody else.
    #[default]
    AllToAll,
    /// Everybody criticises one other, another one each round.
    RoundRobin,
    /// Everybody criticises the next in declared order.
    Ring,
    /// One persona, the hub, and the others.
    Star,
    /// A seeded part of all pairs; every proposal gets at least one critic.
    Sparse,
}

/// Who criticises in a star.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The hub criticises everybody else.
    #[default]
    HubCritiques,
    /// Everybody else criticises the hub.
    CritiqueHub,
}

/// One of the eight speakers of a British Parliamentary debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bench {
    /// Prime Minister, Opening Government.
    PrimeMinister,
    /// Leader of the Opposition, Opening Opposition.
    LeaderOfOpposition,
    /// Deputy Prime Minister, Opening Government.
    DeputyPrimeMinister,
    /// Deputy Leader of the Opposition, Opening Opposition.
    DeputyLeaderOfOpposition,
    /// Member of Government, Closing Government.
    MemberOfGovernment,
    /// Member of the Opposition, Closing Opposition.
    MemberOfOpposition,
    /// Government Whip, Closing Government.
    GovernmentWhip,
    /// Opposition Whip, Closing Opposition.
    OppositionWhip,
}
impl Bench {
    /// All, in speaking order.
    pub const ALL: [Self; 8] = [
        Self::PrimeMinister,
        Self::LeaderOfOpposition,
        Self::DeputyPrimeMinister,
        Self::DeputyLeaderOfOpposition,
        Self::MemberOfGovernment,
        Self::MemberOfOpposition,
        Self::GovernmentWhip,
        Self::OppositionWhip,
    ];
    /// The teams, in the order in which they first speak: the stances of a British Parliamentary debate.
    pub const TEAMS: [&'static str; 4] =
        ["Opening Government", "Opening Opposition", "Closing Government", "Closing Opposition"];

    /// The speaker's title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::PrimeMinister => "Prime Minister",
            Self::LeaderOfOpposition => "Leader of the Opposition",
            Self::DeputyPrimeMinister => "Deputy Prime Minister",
            Self::DeputyLeaderOfOpposition => "Deputy Leader of the Opposition",
            Self::MemberOfGovernment => "Member of Government",
            Self::MemberOfOpposition => "Member of the Opposition",
            Self::GovernmentWhip => "Government Whip",
            Self::OppositionWhip => "Opposition Whip",
        }
    }
    /// The speaker's team, as an index into [`Bench::TEAMS`].
    pub const fn team(self) -> usize {
        match self {
            Self::PrimeMinister | Self::DeputyPrimeMinister => 0,
            Self::LeaderOfOpposition | Self::DeputyLeaderOfOpposition => 1,
            Self::MemberOfGovernment | Self::GovernmentWhip => 2,
            Self::MemberOfOpposition | Self::OppositionWhip => 3,
        }
    }
    /// Whether the speaker's team is for the motion.
    pub const fn is_government(self) -> bool {
        self.team().is_multiple_of(2)
    }
    /// Who of `count` personas, in declared order, gives this speech: four personas are the teams, eight the speakers.
    pub fn speaker(self, count: usize) -> usize {
        if count >= Self::ALL.len() {
            Self::ALL.iter().position(|bench| *bench == self).unwrap_or_default()
        } else {
            self.team()
        }
    }
}

/// What only some formats know. Where a format does not, its value stays the default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FormatOptions {
    /// `fishbowl`: how many sit in the inner circle.
    pub inner_circle: u32,
    /// `open_fight`: whether speakers may be interrupted.
    pub interruptions: Interruptions,
    /// `open_fight`: the urgency, 1 to 10, from which a bid interrupts.
    pub interruption_threshold: u8,
    /// `bp_style`: whether points of information are offered.
    pub points_of_information: bool,
    /// `critique_revision`: who criticises whom.
    pub topology: Topology,
    /// `topology: star`: the hub.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hub: Option<ParticipantId>,
    /// `topology: star`: who criticises.
    pub direction: Direction,
    /// `topology: sparse`: the share of all pairs that are drawn, above 0 to 1.
    pub density: f64,
}
impl Default for FormatOptions {
    fn default() -> Self {
        Self {
            inner_circle: 2,
            interruptions: Interruptions::Off,
            interruption_threshold: 8,
            points_of_information: true,
            topology: Topology::AllToAll,
            hub: None,
            direction: Direction::HubCritiques,
            density: 0.5,
        }
    }
}
