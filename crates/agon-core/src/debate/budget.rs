//! Budgets. The decision's share is reserved first, so that a debate that runs out is still decided.
use super::draft::Draft;
use crate::archive::PastDebate;
use crate::feed::FeedReading;
use crate::ids::{SYNTHESIZER, Timestamp};
use crate::outcome::StopRule;
use crate::spec::{Ballots, ConsensusStrategy, Mode};
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
        let next = self.prompt_estimate().saturating_add(next_max_tokens);
        let wanted = self.control.spent_tokens + self.under_way() + next + self.decision_reserve(next_max_tokens);
        (wanted > limit).then_some(StopRule::TokenBudget)
    }

    /// Whether the time for all but the decision is over.
    pub fn is_out_of_time(&self) -> bool {
        let budget = self.spec().budget.seconds.zip(self.control.started);
        budget.is_some_and(|(limit, started)| self.at >= started.plus(self.time_for_debating(limit)))
    }

    /// Whether the budget leaves no room for one more speech, whoever's.
    pub fn is_spent(&self) -> bool {
        let most = self.spec().personas.iter().map(|persona| u64::from(persona.voice.max_tokens)).max();
        self.budget_rule(most.unwrap_or(0)).is_some()
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

    /// Tokens that a prompt with the whole transcript takes.
    fn prompt_estimate(&self) -> u64 {
        let spec = self.spec();
        let text = |part: &Option<String>| part.as_ref().map_or(0, |text| text.len() as u64);
        let head = spec.topic.len() as u64 + text(&spec.context) + text(&spec.materials) + 1_500;
        let head = head + self.admission.history.iter().map(PastDebate::length).sum::<u64>();
        let head = head + self.admission.feeds.iter().map(FeedReading::length).sum::<u64>();
        (head + self.control.transcript_chars) * 2 / CHARS_PER_TWO_TOKENS
    }

    fn under_way(&self) -> u64 {
        let asked = self.control.stage.slots.iter().filter(|slot| matches!(slot.state, super::SlotState::Asked(_)));
        asked.map(|slot| self.prompt_estimate() + self.max_tokens(&slot.participant)).sum()
    }

    /// Whether the budget keeps room for a seat's work: it decides, or names the answers that can win.
    pub fn decides(&self, work: &Work) -> bool {
        let names_answers = *work == Work::Ballot { stage: BallotStage::Final } && self.needs_final_ballots();
        work.traits().decides || names_answers
    }

    /// Whether the decision is among answers that only the final ballots name.
    fn needs_final_ballots(&self) -> bool {
        let spec = self.spec();
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

    /// What the decision will cost at most, after one more answer.
    fn decision_reserve(&self, next_max_tokens: u64) -> u64 {
        let prompt = self.prompt_estimate().saturating_add(next_max_tokens);
        // Where every round votes, the votes of a round decide.
        let each_round = self.spec().voting.is_some_and(|voting| voting.every_round && !self.control.loop_ended);
        let voters = if each_round { super::apply::voters(self.spec()) } else { Vec::new() };
        let deciders =
            super::apply::deciders(self.spec()).into_iter().chain(voters).map(|(participant, _)| participant);
        let named = self.spec().personas.iter().filter(|_| self.needs_final_ballots());
        let ballots = named.map(|persona| persona.name.clone());
        let synthesis = self.spec().synthesizer.iter().map(|_| SYNTHESIZER.into());
        ballots.chain(deciders).chain(synthesis).map(|participant| prompt + self.max_tokens(&participant)).sum()
    }

    pub fn max_tokens(&self, participant: &crate::ParticipantId) -> u64 {
        let voice = self.spec().role(participant).and_then(|role| role.voice());
        voice.map_or(0, |voice| u64::from(voice.max_tokens))
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
