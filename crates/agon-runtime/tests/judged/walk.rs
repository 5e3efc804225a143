//! The debate once more, by what the documents say, over the notes of the model.
use crate::decide;
use crate::file::{ANSWERS, File, TEAMS};
use crate::model::{CallNote, Fate, TRIES};
use crate::sight;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Why the walk goes no further.
pub enum WalkHalt {
    /// The debate is not what the documents say.
    Wrong(String),
    /// The debate has failed here, as it has to.
    Failed(&'static str),
}
pub type WalkStep<T = ()> = Result<T, WalkHalt>;

/// What the log and the result have to say in the end.
#[derive(Debug, Default)]
pub struct End {
    pub state: &'static str,
    pub outcome: Option<&'static str>,
    pub reason: Option<&'static str>,
    pub winner: Option<String>,
    pub counts: Option<decide::ForetoldCount>,
    pub stopped: Option<(&'static str, u32)>,
    pub consensus: Option<decide::ForetoldConsensus>,
    pub majority: Option<&'static str>,
    pub moved: BTreeSet<String>,
}

/// Something that others hear.
#[derive(Clone, Debug)]
pub struct HeardTurn {
    pub note: usize,
    pub by: String,
    pub kind: &'static str,
    pub round: u32,
    pub to: Option<String>,
}

/// How the seats of a step see each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Together {
    OneByOne,
    AtOnce,
    /// The documents do not say.
    Either,
}

pub struct DebateWalk<'a> {
    pub file: &'a File,
    pub notes: &'a [CallNote],
    queues: BTreeMap<(String, String, String), VecDeque<usize>>,
    /// The last call so far.
    clock: Option<usize>,
    pub said: Vec<HeardTurn>,
    /// Whose seats have no answer, of those that a verdict needs.
    pub lost: Vec<String>,
    /// Whether the debate failed for want of speakers, as its log says; used where the documents do not say who counts.
    void: bool,
    pub round: u32,
    pub ballots: [BTreeMap<String, String>; 2],
    pub votes: Vec<(String, usize)>,
    pub voted_rounds: u64,
    pub severe: bool,
    /// Whom the next speech is addressed to.
    pub to: Option<String>,
    pub converged: bool,
    pub end: End,
}

impl<'a> DebateWalk<'a> {
    pub fn new(file: &'a File, notes: &'a [CallNote], void: bool) -> Self {
        let mut queues: BTreeMap<_, VecDeque<usize>> = BTreeMap::new();
        for (at, note) in notes.iter().enumerate() {
            queues.entry((note.who.clone(), note.task.clone(), note.target.clone())).or_default().push_back(at);
        }
        let (said, lost, votes, ballots) = Default::default();
        let (round, voted_rounds, severe, clock, end) = Default::default();
        let (to, converged) = Default::default();
        Self {
            file,
            notes,
            void,
            queues,
            clock,
            said,
            lost,
            round,
            ballots,
            votes,
            voted_rounds,
            severe,
            to,
            converged,
            end,
        }
    }

    pub fn names(&self) -> Vec<String> {
        self.file.personas.iter().map(|persona| persona.name.to_owned()).collect()
    }

    /// Walks through the whole debate.
    pub fn whole(&mut self) -> Result<End, String> {
        match self.run() {
            Ok(()) => {
                self.end.state = "succeeded";
                self.nothing_left()?;
            }
            Err(WalkHalt::Failed(reason)) => {
                (self.end.state, self.end.reason, self.end.outcome) = ("failed", Some(reason), None)
            }
            Err(WalkHalt::Wrong(problem)) => return Err(problem),
        }
        Ok(std::mem::take(&mut self.end))
    }

    fn run(&mut self) -> WalkStep {
        let (all, file) = (self.names(), self.file);
        let proposals = file.format == "critique_revision";
        if file.format == "poll" {
            return self.poll();
        }
        if !proposals {
            self.balloted(0)?;
        }
        if file.openings {
            let (task, kind) = if proposals { ("proposal", "proposal") } else { ("opening statement", "opening") };
            self.speeches(&all, task, kind, Together::AtOnce)?;
            self.heard_enough(0, &all)?;
        }
        if proposals {
            self.balloted(0)?;
        }
        if file.gated && self.gated() {
            return self.synthesis();
        }
        let called = self.rounds()?;
        if !called {
            self.after_rounds(&all)?;
        }
        self.balloted(1)?;
        decide::decide(self)?;
        self.synthesis()
    }

    /// Final statements and rebuttals, and what the moderator says to them.
    fn after_rounds(&mut self, all: &[String]) -> WalkStep {
        let file = self.file;
        let how = if file.simultaneous { Together::AtOnce } else { Together::OneByOne };
        if file.closings {
            self.speeches(all, "closing statement", "closing", how)?;
        }
        if file.rebuttals {
            self.speeches(all, "rebuttal", "rebuttal", how)?;
        }
        for (duty, task) in [("reconciles", "reconcile"), ("concludes", "closing summary")] {
            if file.moderator.contains(&duty) {
                self.seat("moderator", task, "", true)?;
            }
        }
        Ok(())
    }

    fn poll(&mut self) -> WalkStep {
        let all = self.names();
        let mut heard = 0;
        for at in 0..self.file.samples as usize {
            // the samples of one persona are asked at once: its answers belong to any of them
            heard += u64::from(self.seat_of_many(&all[at % all.len()], "opening statement")?.is_some_and(|note| {
                self.said.push(HeardTurn {
                    note,
                    by: all[at % all.len()].clone(),
                    kind: "opening",
                    round: 0,
                    to: None,
                });
                true
            }));
        }
        self.quorate(heard as usize, self.file.samples as usize)?;
        decide::decide(self)?;
        self.synthesis()
    }

    fn synthesis(&mut self) -> WalkStep {
        if self.file.synthesizer {
            let lost = self.seat("synthesizer", "synthesise", "", true)?.is_none();
            if lost && self.end.outcome == Some("decided") {
                self.end.outcome = Some("degraded");
            }
            self.end.reason = self.end.reason.or(lost.then_some("synthesis_failed"));
        }
        Ok(())
    }

    /// One ballot of each debater, about the stances, the options, the proposals or whatever it thinks.
    fn balloted(&mut self, stage: usize) -> WalkStep {
        let wanted = if stage == 0 { self.file.ballots == "both" } else { self.file.ballots != "none" };
        if !wanted {
            return Ok(());
        }
        let choices = self.choices();
        let task = ["private ballot (initial)", "private ballot (final)"][stage];
        let all = self.names().into_iter().map(|name| (name, task, String::new())).collect::<Vec<_>>();
        let cast = self.seats(&all, Together::AtOnce, true)?;
        for ((who, ..), note) in all.iter().zip(cast) {
            let Some(note) = note.map(|at| &self.notes[at]) else { continue };
            self.same(&format!("choices of {who}"), &note.allowed("/properties/choice/enum"), &choices)?;
            self.ballots[stage].insert(who.clone(), note.chosen("choice").to_owned());
        }
        Ok(())
    }

    /// What ballots choose from; empty where anything goes.
    fn choices(&self) -> Vec<String> {
        match self.file.format {
            "critique_revision" => self.authors(),
            "bp_style" => TEAMS.map(str::to_owned).to_vec(),
            _ if self.file.options => ANSWERS.map(str::to_owned).to_vec(),
            _ => self.stances(),
        }
    }
    pub fn stances(&self) -> Vec<String> {
        let distinct: BTreeSet<String> = self.names().iter().filter_map(|name| self.file.side(name)).collect();
        distinct.into_iter().collect()
    }
    pub fn authors(&self) -> Vec<String> {
        self.said.iter().filter(|said| said.kind == "proposal").map(|said| said.by.clone()).collect()
    }

    pub fn same(&self, what: &str, found: &[String], wanted: &[String]) -> WalkStep {
        let [found, wanted] = [found, wanted].map(|all| all.iter().collect::<BTreeSet<_>>());
        if found == wanted {
            Ok(())
        } else {
            Err(WalkHalt::Wrong(format!("{what}: {found:?} where {wanted:?} are due")))
        }
    }

    /// Three debaters or more who all cast the same ballot need no rounds.
    fn gated(&mut self) -> bool {
        let answers: BTreeSet<&String> = self.ballots[0].values().collect();
        let all = self.file.personas.len();
        let skipped = all > 2 && self.ballots[0].len() == all && answers.len() == 1;
        if skipped {
            self.end.stopped = Some(("not_contested", 0));
            self.end.winner = answers.first().map(|answer| (*answer).clone());
            self.end.outcome = Some("decided");
            self.end.majority = Some("kept");
            let (top, answer) = (all as u64, self.end.winner.clone());
            let unanimous = decide::ForetoldConsensus {
                answer,
                top,
                eligible: top,
                strength: "unanimous",
                contested: Some(false),
                source: "first_ballots",
            };
            self.end.consensus = Some(unanimous);
        }
        skipped
    }

    /// Speeches of one kind; the number of those that were heard.
    pub fn speeches(
        &mut self,
        who: &[String],
        task: &'static str,
        kind: &'static str,
        how: Together,
    ) -> WalkStep<usize> {
        let mut heard = Vec::new();
        for name in who {
            if let Some(note) = self.seat_in(name, task, "", true, how)? {
                let said = HeardTurn { note, by: name.clone(), kind, round: self.round, to: self.to.clone() };
                heard.push(said.clone());
                if how == Together::OneByOne {
                    self.said.push(said);
                }
            }
        }
        if how != Together::OneByOne {
            self.said.extend(heard.clone());
        }
        self.to = None;
        Ok(heard.len())
    }

    /// Fails the debate if too few of the speakers of a round were heard, in what was said since then.
    pub fn heard_enough(&self, since: usize, who: &[String]) -> WalkStep {
        let speakers: BTreeSet<&String> = who.iter().collect();
        let heard = speakers.iter().filter(|name| self.said[since..].iter().any(|said| said.by == ***name)).count();
        self.quorate(heard, speakers.len())
    }

    pub fn quorate(&self, heard: usize, of: usize) -> WalkStep {
        if !self.quorum_is_told() {
            return if heard == 0 { Err(WalkHalt::Failed("quorum")) } else { Ok(()) };
        }
        let least = self.file.quorum.map_or(of / 2 + 1, |least| usize::try_from(least).unwrap_or(of).min(of));
        if heard < least { Err(WalkHalt::Failed("quorum")) } else { Ok(()) }
    }

    /// Whether the documents say whom the quorum counts.
    fn quorum_is_told(&self) -> bool {
        let free = matches!(self.file.format, "socratic" | "open_fight" | "critique_revision");
        !free && self.file.turn_mode != "reaction_triggered"
    }

    pub fn seat(&mut self, who: &str, task: &str, target: &str, matters: bool) -> WalkStep<Option<usize>> {
        self.seat_in(who, task, target, matters, Together::OneByOne)
    }
    pub fn seats(
        &mut self,
        all: &[(String, &'static str, String)],
        how: Together,
        matters: bool,
    ) -> WalkStep<Vec<Option<usize>>> {
        all.iter().map(|(who, task, target)| self.seat_in(who, task, target, matters, how)).collect()
    }

    /// The tries of one seat: the good answer, or a lost seat.
    fn seat_in(
        &mut self,
        who: &str,
        task: &str,
        target: &str,
        matters: bool,
        how: Together,
    ) -> WalkStep<Option<usize>> {
        let since = self.clock;
        for attempt in 1..=TRIES {
            let key = (who.to_owned(), task.to_owned(), target.to_owned());
            let due = self.queues.get_mut(&key).and_then(VecDeque::pop_front);
            let Some(at) = due else {
                if self.void && !self.quorum_is_told() && !self.lost.is_empty() {
                    return Err(WalkHalt::Failed("quorum"));
                }
                return Err(WalkHalt::Wrong(format!(
                    "round {}: {who} was not asked for {task} {target} (try {attempt})",
                    self.round
                )));
            };
            if how == Together::OneByOne && since.is_some_and(|since| at < since) {
                return Err(WalkHalt::Wrong(format!("round {}: {who} was asked for {task} out of order", self.round)));
            }
            let note = &self.notes[at];
            if note.round.is_some_and(|round| round != self.round) {
                return Err(WalkHalt::Wrong(format!("{who}: {task} in round {:?}, not {}", note.round, self.round)));
            }
            sight::check(self, note, how).map_err(WalkHalt::Wrong)?;
            self.clock = self.clock.max(Some(at));
            match note.fate {
                Fate::Good => return Ok(Some(at)),
                Fate::Refused => break,
                Fate::Malformed => {}
            }
        }
        self.lose(who, matters)
    }

    fn lose(&mut self, who: &str, matters: bool) -> WalkStep<Option<usize>> {
        if matters {
            self.lost.push(who.to_owned());
        }
        if self.file.aborts && matters { Err(WalkHalt::Failed("turn_failed")) } else { Ok(None) }
    }

    /// A seat of several that one participant has at once: any answer may be its.
    pub fn seat_of_many(&mut self, who: &str, task: &str) -> WalkStep<Option<usize>> {
        let key = (who.to_owned(), task.to_owned(), String::new());
        let queue =
            self.queues.get_mut(&key).ok_or_else(|| WalkHalt::Wrong(format!("{who} was not asked for {task}")))?;
        let good = queue.iter().position(|at| self.notes[*at].fate == Fate::Good);
        if let Some(at) = good.and_then(|good| queue.remove(good)) {
            sight::check(self, &self.notes[at], Together::AtOnce).map_err(WalkHalt::Wrong)?;
            self.clock = self.clock.max(Some(at));
            return Ok(Some(at));
        }
        self.lose(who, true)
    }

    /// The index of the next call for this, without taking it.
    pub fn next_call(&self, who: &str, task: &str) -> Option<usize> {
        self.queues.get(&(who.to_owned(), task.to_owned(), String::new()))?.front().copied()
    }
    /// Whose proposals this critic is asked about in this round.
    pub fn targets(&self, who: &str) -> Vec<String> {
        let this = |at: &usize| self.notes[*at].round == Some(self.round);
        let of = |((by, task, target), queue): (&(String, String, String), &VecDeque<usize>)| {
            (by == who && task == "critique" && queue.front().is_some_and(this)).then(|| target.clone())
        };
        self.queues.iter().filter_map(of).collect()
    }

    fn nothing_left(&self) -> Result<(), String> {
        let many = |task: &str| matches!(task, "judge" | "rank") || self.file.format == "poll";
        let left = |((who, task, _), queue): (&(String, String, String), &VecDeque<usize>)| {
            let good = queue.iter().any(|at| self.notes[*at].fate == Fate::Good);
            (!queue.is_empty() && (good || !many(task))).then(|| format!("{who} was asked for {task} for nothing"))
        };
        self.queues.iter().find_map(left).map_or(Ok(()), Err)
    }
}
