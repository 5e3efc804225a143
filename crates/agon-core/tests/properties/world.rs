//! A world that answers, fails, repeats itself, comes late and crashes, as a script of numbers says.
mod answers;

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

struct PropertyWorld<'a> {
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
pub fn play_from(events: Vec<Event>, bound: u64, script: &Script) -> Result<Vec<Record>, String> {
    let first = Record { first: Position(1), at: Timestamp(1_000), epoch: 0, nonce: 0, events };
    let debate = Debate::fold([&first]).ok_or("an admission does not make a debate")?;
    let mut world =
        PropertyWorld { script, next: 0, now: Timestamp(1_000), log: vec![first], debate, stale: Vec::new() };
    world.step(Input::Claim { writer: "w0".into() })?;
    for _ in 0..bound {
        if world.debate.ended().is_some() {
            return world.finish();
        }
        world.turn()?;
    }
    Err(format!("not ended after {bound} steps"))
}

/// Steps that a debate can take at the most: every planned call with every try, and a wait before each.
fn step_bound(admission: &Admission) -> u64 {
    let tries = 2 * u64::from(admission.retry.max_attempts.max(2));
    CallPlan::of(&admission.spec).calls * tries * 2 + 1
}

impl PropertyWorld<'_> {
    fn number(&mut self) -> u32 {
        self.next += 1;
        self.script.numbers[self.next % self.script.numbers.len()]
            .wrapping_add((self.next / self.script.numbers.len()) as u32)
    }

    /// Takes an input in; says whether it changed anything.
    fn step(&mut self, input: Input) -> Result<bool, String> {
        let before = self.debate.clone();
        let events = match self.debate.decide(self.now, input) {
            Ok(events) => events,
            Err(_) if before == self.debate => return Ok(false),
            Err(_) => return Err("a rejection changed the debate".into()),
        };
        if events.is_empty() {
            return Err("an accepted input has no event".into());
        }
        let record = self.debate.record(self.now, 0, events);
        self.debate.apply_record(&record);
        self.log.push(record);
        self.debate.check()?;
        if self.number().is_multiple_of(16) {
            self.replayed()?;
        }
        Ok(true)
    }

    /// One thing happens, and perhaps some that change nothing.
    fn turn(&mut self) -> Result<(), String> {
        self.now = self.now.plus(1 + u64::from(self.number() % 40));
        let trouble = self.number() % 100 < self.script.trouble;
        if trouble && self.number().is_multiple_of(8) {
            self.crash()?;
        }
        if trouble && self.number().is_multiple_of(4) && !self.stale.is_empty() {
            let at = self.number() as usize % self.stale.len();
            if self.step(self.stale[at].clone())? {
                return Err("an input that came twice changed the debate".into());
            }
        }
        if trouble && self.number().is_multiple_of(120) {
            return self.step(Input::Cancel { reason: "enough".into() }).map(|_| ());
        }
        if trouble && self.number().is_multiple_of(300) {
            self.interrupt()?;
        }
        let owed = self.debate.outstanding();
        let at = self.number() as usize % owed.len();
        let input = match &owed[at] {
            Effect::Finish => return Ok(()),
            Effect::WakeAt { at, turn } => {
                self.now = self.now.max(*at);
                Input::RetryDue { turn: *turn }
            }
            Effect::Ask(ask) => {
                self.listen(ask)?;
                let cut = self.debate.outstanding().contains(&Effect::Cut { turn: ask.turn });
                Input::TurnDecided { turn: ask.turn, result: self.result(ask, trouble, cut) }
            }
            Effect::Cut { turn } => self.cut(*turn)?,
        };
        self.stale.push(input.clone());
        if !self.step(input)? {
            return Err("the debate rejected what it is owed".into());
        }
        Ok(())
    }

    /// The host tells what was heard half-way, perhaps twice, perhaps of a speech that may not be interrupted.
    fn listen(&mut self, ask: &Ask) -> Result<(), String> {
        let speaks = matches!(ask.task.work, Work::Argument { .. });
        let listens = may_be_interrupted(self.debate.spec()) && speaks;
        if !self.number().is_multiple_of(2) {
            return Ok(());
        }
        let heard = Input::SpeechHeard { turn: ask.turn, text: "half of it".into() };
        let taken = self.step(heard.clone())?;
        if taken && (!listens || self.step(heard)?) {
            return Err(format!("what was heard of {} was taken, twice or where none may interrupt", ask.turn));
        }
        Ok(())
    }

    fn cut(&mut self, turn: TurnId) -> Result<Input, String> {
        let owed = self.debate.outstanding();
        let running = owed.iter().any(|effect| matches!(effect, Effect::Ask(ask) if ask.turn == turn));
        let heard = |event: &Event| matches!(event, Event::SpeechHeard { turn: heard, .. } if *heard == turn);
        if !running || !self.log.iter().flat_map(|record| &record.events).any(heard) {
            return Err(format!("{turn} is to be cut, and does not run or was not heard"));
        }
        let answer = Answer::Speech { text: "half of it and".into(), cut: true, cut_at_limit: false };
        Ok(Input::TurnDecided { turn, result: TurnResult::Answered { answer, call: answers::call() } })
    }

    fn replayed(&self) -> Result<Debate, String> {
        let folded = Debate::fold(&self.log).ok_or("the log does not fold")?;
        if folded != self.debate || folded.outstanding() != self.debate.outstanding() {
            return Err("the replay differs from the live state".into());
        }
        Ok(folded)
    }

    /// The process dies and another one replays the log and takes over.
    fn crash(&mut self) -> Result<(), String> {
        self.debate = self.replayed()?;
        let owed = self.debate.outstanding();
        let writer = format!("w{}", self.log.len());
        self.step(Input::Claim { writer: writer.as_str().into() })?;
        if owed != self.debate.outstanding() {
            return Err("a debate that was taken over is owed something else".into());
        }
        Ok(())
    }

    /// The debate is given up for now, hears nothing meanwhile, and goes on where it was once it is resumed.
    fn interrupt(&mut self) -> Result<(), String> {
        let owed = self.debate.outstanding();
        self.step(Input::Interrupt { reason: Reason::of(ReasonCode::Poison) })?;
        if !self.debate.interrupted() || !self.debate.outstanding().is_empty() {
            return Err("an interrupted debate is owed something".into());
        }
        for input in self.stale.clone() {
            if self.step(input)? {
                return Err("an interrupted debate took something in".into());
            }
        }
        self.step(Input::Resume { by: None })?;
        if owed != self.debate.outstanding() {
            return Err("a debate that was resumed is owed something else".into());
        }
        self.crash()
    }

    fn result(&mut self, ask: &Ask, trouble: bool, cut: bool) -> TurnResult {
        if trouble {
            return self.trouble(ask);
        }
        let answer = match self.answer(ask) {
            Answer::Speech { text, .. } => Answer::Speech { text, cut, cut_at_limit: false },
            answer => answer,
        };
        TurnResult::Answered { answer, call: answers::call() }
    }

    fn trouble(&mut self, ask: &Ask) -> TurnResult {
        use FailureCause::*;
        const CAUSES: [FailureCause; 8] =
            [Timeout, Busy, NotFound, ContextOverflow, Truncated, Malformed, Transport, ServerError];
        let call = Box::new(Call { host: Some("h".into()), ..Call::default() });
        match self.number() % 6 {
            0 => {
                self.now = self.now.max(ask.deadline);
                TurnResult::Withdrawn
            }
            1 => {
                let choice = Answer::Choice { choice: "no such thing".into(), reasons: vec![], confidence: None };
                let bid = Answer::Bid(Bid { urgency: 11, to: None, text: None });
                let speech = Answer::Speech { text: "  ".into(), cut: false, cut_at_limit: false };
                let uncut = Answer::Speech { text: "I was cut off by nobody".into(), cut: true, cut_at_limit: false };
                let answer = [choice, bid, speech, uncut][self.number() as usize % 4].clone();
                TurnResult::Answered { answer, call }
            }
            2 => {
                // A tool was used, and then the answer failed.
                let tools = vec![answers::tool_use()];
                let failure = Failure::new(Transport, "it broke");
                TurnResult::Failed { failure, call: Box::new(Call { tools, ..*call }) }
            }
            _ => {
                let cause = CAUSES[self.number() as usize % CAUSES.len()];
                let retry_after_ms = self.number().is_multiple_of(3).then_some(700);
                TurnResult::Failed { failure: Failure { cause, detail: "it failed".into(), retry_after_ms }, call }
            }
        }
    }

    /// After the end nothing is accepted and nothing but the end is owed; every prefix of the log folds to what it was.
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
