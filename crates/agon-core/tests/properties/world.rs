//! A world that answers, fails, repeats itself, comes late and crashes, as a script of numbers says.
use agon_core::*;
use proptest::prelude::*;

/// The numbers that the world acts on.
#[derive(Clone, Debug)]
pub struct Script {
    numbers: Vec<u32>,
    /// How many in a hundred answers go wrong in some way.
    trouble: u32,
}
impl Script {
    /// Everybody answers, well and at once.
    pub fn smooth(seed: u64) -> Self {
        let mut dice = seed::Dice::new(seed, seed::Purpose::Order, 0);
        Self { numbers: (0..97).map(|_| dice.next_u64() as u32).collect(), trouble: 0 }
    }
}

pub fn scripts() -> impl Strategy<Value = Script> {
    (proptest::collection::vec(any::<u32>(), 50..150), 0u32..101)
        .prop_map(|(numbers, trouble)| Script { numbers, trouble })
}

struct World<'a> {
    script: &'a Script,
    next: usize,
    now: Timestamp,
    log: Vec<Record>,
    debate: Debate,
    /// Results that were delivered before, to be delivered again.
    stale: Vec<Input>,
}

/// Plays a debate to its end.
pub fn play(admission: Admission, script: &Script) -> Result<Vec<Record>, String> {
    let bound = step_bound(&admission);
    play_from(vec![Debate::admit(admission)], bound, script)
}

/// Plays a debate that begins with these events.
pub fn play_from(events: Vec<Event>, bound: u32, script: &Script) -> Result<Vec<Record>, String> {
    let first = Record { first: Position(1), at: Timestamp(1_000), epoch: 0, nonce: 0, events };
    let debate = Debate::fold([&first]).ok_or("an admission does not make a debate")?;
    let mut world = World { script, next: 0, now: Timestamp(1_000), log: vec![first], debate, stale: Vec::new() };
    world.step(Input::Claim { writer: "w0".into() })?;
    for _ in 0..bound {
        if world.debate.ended().is_some() {
            return world.finish();
        }
        world.turn()?;
    }
    Err(format!("not ended after {bound} steps"))
}

/// Steps that a debate can take at the most: every seat with every try, two steps each, and what the world adds.
fn step_bound(admission: &Admission) -> u32 {
    let spec = &admission.spec;
    let n = spec.personas.len() as u32;
    let seats = 5 * n + spec.max_rounds * (2 * n + 2) + 2;
    let tries = 2 * admission.retry.max_attempts.max(2);
    seats * tries * 2 + 10
}

impl World<'_> {
    fn number(&mut self) -> u32 {
        self.next += 1;
        self.script.numbers[self.next % self.script.numbers.len()]
            .wrapping_add((self.next / self.script.numbers.len()) as u32)
    }

    fn step(&mut self, input: Input) -> Result<(), String> {
        let before = self.debate.clone();
        let events = match self.debate.decide(self.now, input) {
            Ok(events) => events,
            Err(_) => return if before == self.debate { Ok(()) } else { Err("a rejection changed the debate".into()) },
        };
        if events.is_empty() {
            return Err("an accepted input has no event".into());
        }
        let record = self.debate.record(self.now, 0, events);
        self.debate.apply_record(&record);
        self.log.push(record);
        self.debate.check()
    }

    /// One thing happens.
    fn turn(&mut self) -> Result<(), String> {
        self.now = self.now.plus(1 + u64::from(self.number() % 40));
        let trouble = self.number() % 100 < self.script.trouble;
        if trouble && self.number().is_multiple_of(8) {
            self.crash()?;
        }
        if trouble && self.number().is_multiple_of(4) && !self.stale.is_empty() {
            let at = self.number() as usize % self.stale.len();
            let again = self.stale[at].clone();
            self.step(again)?;
            if self.debate.ended().is_some() {
                return Ok(());
            }
        }
        if trouble && self.number().is_multiple_of(400) {
            return self.step(Input::Cancel { reason: "enough".into() });
        }
        let owed = self.debate.outstanding();
        let at = self.number() as usize % owed.len();
        let input = match &owed[at] {
            Effect::Finish => return Ok(()),
            Effect::WakeAt { at, turn } => {
                self.now = self.now.max(*at);
                Input::RetryDue { turn: *turn }
            }
            Effect::Ask(ask) => Input::TurnDecided { turn: ask.turn, result: self.result(ask, trouble) },
        };
        self.stale.push(input.clone());
        self.step(input)
    }

    /// The process dies and another one replays the log and takes over.
    fn crash(&mut self) -> Result<(), String> {
        let folded = Debate::fold(&self.log).ok_or("the log does not fold")?;
        if folded != self.debate {
            return Err("the replay differs from the state before the crash".into());
        }
        let owed = (folded.outstanding(), self.debate.outstanding());
        if owed.0 != owed.1 {
            return Err("a replayed debate is owed something else".into());
        }
        self.debate = folded;
        let writer = format!("w{}", self.log.len());
        self.step(Input::Claim { writer: writer.as_str().into() })
    }

    fn result(&mut self, ask: &Ask, trouble: bool) -> TurnResult {
        if trouble {
            return self.trouble(ask);
        }
        let call = Box::new(Call {
            host: Some("h".into()),
            usage: Usage { prompt_tokens: Some(40), cached_tokens: None, completion_tokens: Some(20) },
            ..Call::default()
        });
        TurnResult::Answered { answer: self.answer(ask), call }
    }

    fn trouble(&mut self, ask: &Ask) -> TurnResult {
        use FailureCause::*;
        const CAUSES: [FailureCause; 8] =
            [Timeout, Busy, NotFound, ContextOverflow, Truncated, Malformed, Transport, ServerError];
        let call = Box::new(Call { host: Some("h".into()), ..Call::default() });
        match self.number() % 5 {
            0 => {
                self.now = self.now.max(ask.deadline);
                TurnResult::Withdrawn
            }
            1 => TurnResult::Answered {
                answer: Answer::Choice { choice: "no such thing".into(), reasons: vec![] },
                call,
            },
            2 => TurnResult::Answered { answer: Answer::Speech { text: "  ".into() }, call },
            _ => {
                let cause = CAUSES[self.number() as usize % CAUSES.len()];
                let retry_after_ms = self.number().is_multiple_of(3).then_some(700);
                TurnResult::Failed { failure: Failure { cause, detail: "it failed".into(), retry_after_ms }, call }
            }
        }
    }

    fn answer(&mut self, ask: &Ask) -> Answer {
        let pick = |choices: &[String], number: u32| choices[number as usize % choices.len()].clone();
        let number = self.number();
        match &ask.task {
            Task::Ballot { choices, .. } if choices.is_empty() => {
                Answer::Choice { choice: format!("Answer {}.", number % 3), reasons: vec![] }
            }
            Task::Ballot { choices, .. } => Answer::Choice { choice: pick(choices, number), reasons: vec!["r".into()] },
            Task::Vote { candidates } => Answer::Choice { choice: pick(candidates, number), reasons: vec![] },
            Task::Opening | Task::Argument { .. } | Task::Closing => {
                Answer::Speech { text: format!("Speech {number}").into() }
            }
            Task::OpenRound => {
                let personas = &self.debate.spec().personas;
                let next_speakers =
                    (0..1 + number as usize % 3).map(|n| personas[n % personas.len()].name.clone()).collect();
                Answer::RoundPlan(RoundPlan {
                    next_speakers,
                    briefing: Some("b".into()),
                    new_angle: None,
                    done: number.is_multiple_of(5),
                })
            }
            Task::CloseRound => {
                let status = if number.is_multiple_of(4) { RoundStatus::Settled } else { RoundStatus::Continue };
                Answer::RoundSummary(RoundSummary { summary: "s".into(), status, decision: None })
            }
            Task::Judge { candidates, .. } => {
                let winner = (!number.is_multiple_of(3) && !candidates.is_empty()).then(|| candidates[0].clone());
                let citations = vec![CitedEntry { entry: 1, quote: "Speech".into() }];
                Answer::Judgement(Judgement { verdict: "v".into(), winner, reasoning: "r".into(), citations })
            }
        }
    }

    /// After the end nothing is accepted and nothing but the end is owed.
    fn finish(mut self) -> Result<Vec<Record>, String> {
        let length = self.log.len();
        for input in std::mem::take(&mut self.stale) {
            self.step(input)?;
        }
        self.step(Input::Cancel { reason: "too late".into() })?;
        let folded = Debate::fold(&self.log).ok_or("the log does not fold")?;
        match self.log.len() == length && folded == self.debate && folded.outstanding() == [Effect::Finish] {
            true => Ok(self.log),
            false => Err("something happened after the end".into()),
        }
    }
}
