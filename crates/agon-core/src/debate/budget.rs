//! Budgets. The decision's share is reserved first, so that a debate that runs out is still decided.
use super::draft::Draft;
use crate::archive::PastDebate;
use crate::feed::FeedReading;
use crate::ids::{ParticipantId, SYNTHESIZER, Timestamp};
use crate::outcome::StopRule;
use crate::spec::{Ballots, ConsensusStrategy, DebateSpec, Mode};
use crate::stop::Figures;
use crate::task::BallotStage;
use crate::work::Work;

/// Characters of prompt text for one token, times two: 3.5 characters a token is the field's rule of thumb.
const CHARS_PER_TWO_TOKENS: u64 = 7;
/// How long the first turns of a debate may stand in line, in milliseconds: a busy host finishes the debates that it has begun first.
pub const FIRST_WAIT_MS: u64 = 24 * 60 * 60 * 1_000;

impl Draft<'_> {
    /// The rule that forbids to ask one more participant, given what is spent, what is under way and what the decision needs.
    pub fn budget_rule(&self, next_max_tokens: u64) -> Option<StopRule> {
        if self.is_out_of_time() {
            return Some(StopRule::TimeBudget);
        }
        let limit = self.spec().budget.tokens?;
        let wanted = self.control.spent_tokens + self.under_way() + self.estimate().with_decision(next_max_tokens);
        (wanted > limit).then_some(StopRule::TokenBudget)
    }

    /// Whether the time for all but the decision is over.
    pub fn is_out_of_time(&self) -> bool {
        let budget = self.spec().budget.seconds.zip(self.control.started);
        budget.is_some_and(|(limit, started)| self.at >= started.plus(self.time_for_debating(limit)))
    }

    /// The rule that leaves no room for one more speech, whoever's.
    pub fn speech_rule(&self) -> Option<StopRule> {
        let most = self.spec().personas.iter().map(|persona| u64::from(persona.voice.max_tokens)).max();
        self.budget_rule(most.unwrap_or(0))
    }

    /// When a turn asked now is given up: its own wait and generation time, and never later than the time budget allows.
    pub fn deadline(&self, decides: bool) -> Timestamp {
        let wait = self.admission.retry.wait_limit_ms;
        let wait = if self.control.usage.calls == 0 { wait.max(FIRST_WAIT_MS) } else { wait };
        let own = self.at.plus(wait).plus(self.spec().timeout_per_turn_ms);
        let Some(limit) = self.spec().budget.seconds else { return own };
        let started = self.control.started.unwrap_or(self.at);
        let time = match decides {
            false => self.time_for_debating(limit),
            // What decides may take one time-out longer, so that a debate that runs out is still decided.
            true => limit.saturating_mul(1_000).saturating_add(self.spec().timeout_per_turn_ms),
        };
        own.min(started.plus(time))
    }

    /// Milliseconds that all but the decision may take: the budget less one turn's time-out, a quarter at the most.
    fn time_for_debating(&self, seconds: u64) -> u64 {
        let whole = seconds.saturating_mul(1_000);
        whole - self.spec().timeout_per_turn_ms.min(whole / 4)
    }

    fn estimate(&self) -> TokenEstimate<'_> {
        let told = self.admission.history.iter().map(PastDebate::length).sum::<u64>()
            + self.admission.feeds.iter().map(FeedReading::length).sum::<u64>();
        let chars = told + self.control.transcript_chars;
        TokenEstimate { spec: self.spec(), chars, in_rounds: !self.control.loop_ended }
    }

    fn under_way(&self) -> u64 {
        let asked = self.control.stage.slots.iter().filter(|slot| matches!(slot.state, super::SlotState::Asked(_)));
        asked.map(|slot| self.estimate().call(&slot.participant)).sum()
    }

    /// Whether the budget keeps room for a seat's work: it decides, or names the answers that can win.
    pub fn decides(&self, work: &Work) -> bool {
        let names_answers = *work == Work::Ballot { stage: BallotStage::Final } && needs_final_ballots(self.spec());
        work.traits().decides && !self.spec().is_extra(work) || names_answers
    }

    /// Whether a seat's work is missed where it could not be had.
    pub fn misses(&self, work: &Work) -> bool {
        work.traits().missed && !self.spec().is_extra(work)
    }

    pub fn max_tokens(&self, participant: &ParticipantId) -> u64 {
        max_tokens(self.spec(), participant)
    }

    /// The figures that `terminate_when` reads.
    pub fn figures(&self) -> Figures {
        let budget = self.spec().budget;
        let elapsed_ms = self.control.started.map_or(0, |started| self.at.since(started));
        let elapsed_s = elapsed_ms as f64 / 1_000.0;
        let tokens = self.control.usage.tokens();
        Figures {
            round: self.control.rounds_held,
            turns: self.control.speeches,
            tokens,
            elapsed_s,
            agreement: self.control.measures.last().and_then(|measures| measures.agreement),
            stability: self.control.measures.last().and_then(|measures| measures.stability),
            failures: u32::try_from(self.control.missing.len()).unwrap_or(u32::MAX),
            tokens_left: budget.tokens.map(|limit| limit.saturating_sub(tokens)),
            seconds_left: budget.seconds.map(|limit| limit as f64 - elapsed_s),
            labels: self.spec().labels.clone(),
        }
    }
}

/// The tokens from which a budget has room for a speech: a smaller one asks nobody to speak.
pub fn least_token_budget(spec: &DebateSpec) -> u64 {
    let shortest = spec.personas.iter().map(|persona| u64::from(persona.voice.max_tokens)).min();
    TokenEstimate { spec, chars: 0, in_rounds: true }.with_decision(shortest.unwrap_or(0))
}

/// What calls cost at most.
struct TokenEstimate<'a> {
    spec: &'a DebateSpec,
    /// Characters that everybody reads beside what the file says.
    chars: u64,
    in_rounds: bool,
}

impl TokenEstimate<'_> {
    /// Tokens that a prompt with the whole transcript takes.
    fn prompt(&self) -> u64 {
        let text = |part: &Option<String>| part.as_ref().map_or(0, |text| text.len() as u64);
        let head = self.spec.topic.len() as u64 + text(&self.spec.context) + text(&self.spec.materials) + 1_500;
        (head + self.chars) * 2 / CHARS_PER_TWO_TOKENS
    }

    fn call(&self, participant: &ParticipantId) -> u64 {
        self.prompt() + max_tokens(self.spec, participant)
    }

    /// One more answer, and the decision after it.
    fn with_decision(&self, next_max_tokens: u64) -> u64 {
        let read = self.prompt().saturating_add(next_max_tokens);
        // Where every round votes, the votes of a round decide.
        let each_round = self.spec.voting.is_some_and(|voting| voting.every_round && self.in_rounds);
        let voters = if each_round { super::apply::voters(self.spec) } else { Vec::new() };
        let deciders = super::apply::deciders(self.spec).into_iter().chain(voters).map(|(participant, _)| participant);
        let named = self.spec.personas.iter().filter(|_| needs_final_ballots(self.spec));
        let ballots = named.map(|persona| persona.name.clone());
        let synthesis = self.spec.synthesizer.iter().map(|_| SYNTHESIZER.into());
        let decide = ballots.chain(deciders).chain(synthesis);
        decide.map(|participant| read + max_tokens(self.spec, &participant)).sum::<u64>() + read
    }
}

fn max_tokens(spec: &DebateSpec, participant: &ParticipantId) -> u64 {
    let voice = spec.role(participant).and_then(|role| role.voice());
    voice.map_or(0, |voice| u64::from(voice.max_tokens))
}

/// Whether the decision is among answers that only the final ballots name.
fn needs_final_ballots(spec: &DebateSpec) -> bool {
    let chooses = match spec.consensus_strategy {
        ConsensusStrategy::Judge | ConsensusStrategy::Vote => true,
        ConsensusStrategy::RankedReasons
        | ConsensusStrategy::MediatorSummary
        | ConsensusStrategy::AgentClosing
        | ConsensusStrategy::NoConsensus => false,
    };
    let by_answers = spec.mode == Mode::Deliberative && !spec.elects_debaters();
    chooses && by_answers && spec.ballots == Ballots::FinalOnly
}
