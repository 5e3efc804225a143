//! Which tasks a debate has, of those that are asked more than once and show what was said.
use agon_core::{
    BallotStage, Ballots, BidPurpose, ConsensusStrategy, DebateFormat, DebateSpec, Interruptions, Material, SpeechKind,
    Task, TurnMode, Voters, Work,
};

/// What debaters and moderator may be asked for. A task that is missing here is described when it is asked.
pub(super) fn of_debate(spec: &DebateSpec) -> Vec<Task> {
    let mut tasks: Vec<Task> = speeches(spec).into_iter().chain(asides(spec)).map(Task::from).collect();
    tasks.extend(ballots(spec).into_iter().map(Task::from));
    tasks.extend(votes(spec, Voters::Debaters));
    tasks.extend(duties(spec).into_iter().map(Task::from));
    tasks
}

/// What judges may be asked for.
pub(super) fn of_judges(spec: &DebateSpec) -> Vec<Task> {
    let Some(judge) = &spec.judge else { return Vec::new() };
    let mut tasks: Vec<Task> = wanted([
        (judge.ends_rounds, Work::EnoughSaid),
        (spec.consensus_strategy == ConsensusStrategy::Judge, Work::Judge { order: 0 }),
        (spec.consensus_strategy == ConsensusStrategy::RankedReasons, Work::Rank { order: 0 }),
    ])
    .map(Task::from)
    .collect();
    tasks.extend(votes(spec, Voters::Judges));
    tasks
}

fn wanted<const N: usize>(works: [(bool, Work); N]) -> impl Iterator<Item = Work> {
    works.into_iter().filter(|(wanted, _)| *wanted).map(|(_, work)| work)
}

fn statement(speech: SpeechKind) -> Work {
    Work::Statement { speech, to: None, about: None }
}

fn speeches(spec: &DebateSpec) -> Vec<Work> {
    let format = spec.debate_format;
    let argues = match format {
        DebateFormat::RoundRobin | DebateFormat::Fishbowl | DebateFormat::ChainOfThought | DebateFormat::OpenFight => {
            true
        }
        // the duties of British Parliamentary come once each
        DebateFormat::BpStyle | DebateFormat::Socratic | DebateFormat::CritiqueRevision | DebateFormat::Poll => false,
    };
    let moderator = |duty: fn(&agon_core::Moderator) -> bool| spec.moderator.as_ref().is_some_and(duty);
    let asks = format == DebateFormat::Socratic;
    wanted([
        (argues, Work::ARGUMENT),
        (asks, statement(SpeechKind::Question)),
        (asks, statement(SpeechKind::Answer)),
        (asks, statement(SpeechKind::FollowUp)),
        (spec.format.interruptions != Interruptions::Off, statement(SpeechKind::Interjection)),
        (moderator(|moderator| moderator.clarifies), statement(SpeechKind::Clarification)),
        (moderator(|moderator| moderator.reflects), statement(SpeechKind::Revision)),
        (spec.phases.final_statements, Work::Closing),
        (spec.phases.rebuttals, statement(SpeechKind::Rebuttal)),
    ])
    .collect()
}

/// What debaters say to one, to the program or to themselves.
fn asides(spec: &DebateSpec) -> Vec<Work> {
    let format = spec.debate_format;
    let bid = |purpose| Work::Bid { purpose, on: None, heard: None };
    let criticises = format == DebateFormat::CritiqueRevision;
    let points = format == DebateFormat::BpStyle && spec.format.points_of_information;
    let notes = spec.personas.iter().any(|persona| persona.reflection || persona.evolution);
    wanted([
        (format == DebateFormat::OpenFight, bid(BidPurpose::Floor)),
        (spec.turn_mode == TurnMode::ReactionTriggered, bid(BidPurpose::Reaction)),
        (format == DebateFormat::Fishbowl, bid(BidPurpose::Circle)),
        (spec.format.interruptions == Interruptions::MidSpeech, bid(BidPurpose::Interruption)),
        (points, bid(BidPurpose::Point)),
        (points, Work::AnswerPoints),
        (criticises, Work::Critique { of: "".into() }),
        (criticises, Work::Revise),
        (notes, Work::Reflect),
    ])
    .collect()
}

fn ballots(spec: &DebateSpec) -> Vec<Work> {
    let ballot = |stage| Work::Ballot { stage };
    match spec.ballots {
        Ballots::Both if spec.ballots_on_proposals() => vec![ballot(BallotStage::Initial), ballot(BallotStage::Final)],
        Ballots::Both => vec![ballot(BallotStage::Final)],
        Ballots::FinalOnly => vec![ballot(BallotStage::Final)],
        Ballots::None => Vec::new(),
    }
}

fn votes(spec: &DebateSpec, voters: Voters) -> Option<Task> {
    let voting = spec.voting.filter(|voting| voting.voters == voters)?;
    let work = if voting.rule.is_scored() { Work::ScoreDebaters } else { Work::Vote };
    Some(Task::new(work, Material { form: Some(voting.rule.form()), ..Material::default() }))
}

/// What the moderator does in each round; what it does once is described then.
fn duties(spec: &DebateSpec) -> Vec<Work> {
    let Some(moderator) = &spec.moderator else { return Vec::new() };
    wanted([
        (moderator.opens, Work::OpenRound),
        (moderator.closes, Work::CloseRound),
        (moderator.has_interjections(), Work::Interject),
        (moderator.scores, Work::ScoreSpeeches),
    ])
    .collect()
}
