//! What happens in a round, and who speaks when.
use super::deciding::ConsensusStrategy;
use crate::ids::ParticipantId;
use serde::Serialize;

named! {
    /// What happens in a round.
    #[derive(PartialOrd, Ord)]
    pub enum DebateFormat {
        RoundRobin = "round_robin": "every debater speaks once a round, in turn order" => "round robin",
        Socratic = "socratic": "one asks, the others answer and are asked again; the questioner rotates with the rounds" => "Socratic",
        BpStyle = "bp_style": "British Parliamentary: four teams, eight speeches, points of information; 4 or 8 personas without stances"
            => "British Parliamentary",
        Fishbowl = "fishbowl": "an inner circle speaks; before each further round a listener may enter, by bid",
        ChainOfThought = "chain_of_thought": "every speech has numbered steps from claim to conclusion, which are checked"
            => "chain of thought",
        OpenFight = "open_fight": "no order: all bid for the floor, and the most urgent speaks" => "open fight",
        CritiqueRevision = "critique_revision": "proposals, then rounds of critiques and revisions" => "critique and revision",
        Poll = "poll": "no debate: `samples` answers without any contact, then a vote among them or a judge; 1 to 16 personas",
    }
}

/// What the rules around the rounds have to know of a format.
#[derive(Clone, Copy, Debug)]
pub struct FormatTraits {
    /// Why its speakers cannot speak all at once; absent where they can.
    pub one_by_one: Option<&'static str>,
    /// The turn orders that it knows, and why no other; absent where it knows all.
    pub turn_modes: Option<(&'static [TurnMode], &'static str)>,
    /// Whether a round is one speech of each speaker, by turn order.
    pub by_turn_order: bool,
    /// Whether debaters stand for election; absent where that depends on the ballots.
    pub elects_debaters: Option<bool>,
    /// How the debate is decided where the file does not say it.
    pub strategy: ConsensusStrategy,
}
impl DebateFormat {
    /// What the rules around the rounds have to know of it.
    pub const fn traits(self) -> FormatTraits {
        use TurnMode::{PriorityOrder, Random, ReactionTriggered, RoundRobin};
        let usual = FormatTraits {
            one_by_one: None,
            turn_modes: None,
            by_turn_order: true,
            elects_debaters: None,
            strategy: ConsensusStrategy::Judge,
        };
        match self {
            Self::RoundRobin | Self::ChainOfThought => usual,
            Self::Socratic => FormatTraits {
                one_by_one: Some("an answer follows its question"),
                turn_modes: Some((
                    &[RoundRobin, Random, PriorityOrder],
                    "the questioner rotates, and turn_mode orders the answers",
                )),
                by_turn_order: false,
                ..usual
            },
            Self::BpStyle => FormatTraits {
                one_by_one: Some("each speech answers those before it"),
                turn_modes: Some((&[RoundRobin], "the eight speeches have a fixed order")),
                by_turn_order: false,
                elects_debaters: Some(false),
                strategy: ConsensusStrategy::RankedReasons,
            },
            Self::Fishbowl => FormatTraits {
                turn_modes: Some((
                    &[RoundRobin, Random, PriorityOrder, ReactionTriggered],
                    "bids decide who sits in the inner circle",
                )),
                ..usual
            },
            Self::OpenFight => FormatTraits {
                one_by_one: Some("one at a time has the floor"),
                turn_modes: Some((&[RoundRobin], "bids decide who speaks")),
                by_turn_order: false,
                ..usual
            },
            Self::CritiqueRevision => FormatTraits {
                turn_modes: Some((&[RoundRobin], "critiques and revisions are written all at once")),
                by_turn_order: false,
                elects_debaters: Some(true),
                ..usual
            },
            Self::Poll => FormatTraits {
                turn_modes: Some((&[RoundRobin], "there are no rounds, and all answer at once")),
                by_turn_order: false,
                elects_debaters: Some(false),
                strategy: ConsensusStrategy::Vote,
                ..usual
            },
        }
    }
}

named! {
    /// Who speaks when.
    #[derive(PartialOrd, Ord)]
    pub enum TurnMode {
        RoundRobin = "round_robin": "in the order of the file" => "in declared order",
        Random = "random": "in a fresh order each round, drawn from the seed" => "a fresh random order each round",
        PriorityOrder = "priority_order": "by `priority`, highest first" => "by priority",
        Moderator = "moderator": "the speakers that the moderator calls; it must open rounds" => "named by the moderator",
        ReactionTriggered = "reaction_triggered": "after each speech the others say how much they want to react; the strongest speaks"
            => "by the strongest reaction to the last speech",
    }
}
impl TurnMode {
    /// Whether the moderator names the speakers of each round.
    pub const fn is_by_moderator(self) -> bool {
        matches!(self, Self::Moderator)
    }
}

named! {
    /// Whether later speakers of a round see earlier ones.
    pub enum Visibility {
        Sequential = "sequential": "each speaker sees everything said before",
        Simultaneous = "simultaneous": "all speak at once on the same transcript",
    }
}

named! {
    /// Whether a speaker of `open_fight` may be interrupted.
    #[derive(Default)]
    pub enum Interruptions {
        #[default]
        Off = "off": "all speeches run to their end",
        TurnBoundary = "turn_boundary": "after a speech, a bid at the threshold becomes a short interjection",
        MidSpeech = "mid_speech": "in addition, the others see a running speech half-way, and such a bid interrupts it there",
    }
}

named! {
    /// Who criticises whom in `critique_revision`.
    #[derive(Default, PartialOrd, Ord)]
    pub enum Topology {
        #[default]
        AllToAll = "all_to_all": "every debater criticises every other one",
        RoundRobin = "round_robin": "every debater criticises one other, another one each round",
        Ring = "ring": "every debater criticises the next one in the file",
        Star = "star": "one persona, the `hub`, and the others; `direction` selects the critics",
        Sparse = "sparse": "a part of all pairs, drawn from the seed; `density` is the share",
    }
}

named! {
    /// Who criticises in a star.
    #[derive(Default)]
    pub enum Direction {
        #[default]
        HubCritiques = "hub_critiques": "the hub criticises all others",
        CritiqueHub = "critique_hub": "all others criticise the hub",
    }
}

/// One of the eight speakers of a British Parliamentary debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// `poll`: how many answers there are, 1 to [`MOST_SAMPLES`]; the personas give them in turn. 0 in other formats.
    #[serde(skip_serializing_if = "is_zero")]
    pub samples: u32,
}

/// Most samples of a poll.
pub const MOST_SAMPLES: u32 = 64;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(samples: &u32) -> bool {
    *samples == 0
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
            samples: 0,
        }
    }
}
