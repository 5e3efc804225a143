//! The rounds: who speaks in which order, what comes between, and what ends them.
use crate::decide;
use crate::walk::{DebateWalk, HeardTurn, Together, WalkHalt, WalkStep};
use std::collections::BTreeMap;

impl DebateWalk<'_> {
    /// All rounds; whether the moderator called the vote.
    pub fn rounds(&mut self) -> WalkStep<bool> {
        let mut circle: Vec<(String, u32, usize)> = Vec::new();
        for round in 1..=self.file.rounds {
            self.round = round;
            let before = self.said.len();
            let (called, done) = self.opened()?;
            if self.file.format == "fishbowl" {
                self.admitted(&mut circle)?;
            }
            let who = if self.file.format == "fishbowl" { in_file_order(self, &circle) } else { called };
            let task = if self.file.format == "chain_of_thought" { "argument in steps" } else { "argument" };
            // who speaks at once has the order of the file
            let place = |at, name| if self.file.simultaneous { Some(at) } else { self.next_call(name, task) };
            let firsts: BTreeMap<String, Option<usize>> =
                who.iter().enumerate().map(|(at, name)| (name.clone(), place(at, name))).collect();
            self.spoken(&who, task)?;
            for seat in circle.iter_mut().filter(|seat| seat.1 == round) {
                seat.2 = firsts.get(&seat.0).copied().flatten().unwrap_or(usize::MAX);
            }
            if let Some(rule) = self.after(before, done)? {
                self.end.stopped = Some((rule, round));
                return Ok(rule == "moderator_vote");
            }
            if self.file.notes {
                let all: Vec<_> = self.names().into_iter().map(|name| (name, "reflection", String::new())).collect();
                self.seats(&all, Together::Either, false)?;
            }
        }
        Err(WalkHalt::Wrong("no rule ended the rounds".to_owned()))
    }

    /// The moderator's opening: whom it calls, and whether this is the last round.
    fn opened(&mut self) -> WalkStep<(Vec<String>, bool)> {
        let calls = self.file.turn_mode == "moderator";
        if !self.file.moderator.contains(&"opens") {
            return Ok((self.names(), false));
        }
        let Some(at) = self.seat("moderator", "open the round", "", true)? else { return Ok((self.names(), false)) };
        let answer = &self.notes[at].answer;
        let named =
            answer["next_speakers"].as_array().into_iter().flatten().filter_map(|name| Some(name.as_str()?.to_owned()));
        Ok((if calls { named.collect() } else { self.names() }, answer["done"] == true))
    }

    /// Before each round but the first the highest bidder replaces who has sat in the circle longest.
    fn admitted(&mut self, circle: &mut Vec<(String, u32, usize)>) -> WalkStep {
        if self.round == 1 {
            circle.extend(self.names().into_iter().take(self.file.inner_circle).map(|name| (name, 1, 0)));
            return Ok(());
        }
        let outside: Vec<String> =
            self.names().into_iter().filter(|name| circle.iter().all(|seat| seat.0 != *name)).collect();
        let (bids, _) = self.bids(&outside, "bid for the circle")?;
        let Some(enters) = highest(&bids, |_| 0) else { return Ok(()) };
        let leaves = circle.iter().enumerate().min_by_key(|(_, seat)| (seat.1, seat.2)).map_or(0, |(at, _)| at);
        circle.remove(leaves);
        circle.push((enters, self.round, 0));
        Ok(())
    }

    fn spoken(&mut self, who: &[String], task: &'static str) -> WalkStep {
        match self.file.format {
            "socratic" => self.socratic(),
            "bp_style" => self.parliament(),
            "open_fight" => self.fight(),
            "critique_revision" => self.critiques(),
            _ if self.file.turn_mode == "reaction_triggered" => self.reactions(who, task),
            _ => {
                let how = if self.file.simultaneous { Together::AtOnce } else { Together::OneByOne };
                let order = self.ordered(who, task);
                let before = self.said.len();
                self.speeches(&order, task, "argument", how)?;
                self.heard_enough(before, &order)
            }
        }
    }

    /// The speakers of a round by `turn_mode`. A random order is that of the calls, of which each speaker has one.
    pub fn ordered(&self, who: &[String], task: &str) -> Vec<String> {
        let mut order = who.to_vec();
        match self.file.turn_mode {
            "priority_order" => {
                order.sort_by_key(|name| -self.file.persona(name).map_or(0, |persona| persona.priority))
            }
            "random" => order.sort_by_key(|name| self.next_call(name, task)),
            _ => {}
        }
        order
    }

    /// What these bid, by name, and whom they want to answer.
    pub fn bids(
        &mut self,
        who: &[String],
        task: &'static str,
    ) -> WalkStep<(BTreeMap<String, u64>, BTreeMap<String, String>)> {
        let seats: Vec<_> = who.iter().map(|name| (name.clone(), task, String::new())).collect();
        let bids = self.seats(&seats, Together::AtOnce, false)?;
        let placed = || seats.iter().zip(&bids).filter_map(|((name, ..), at)| Some((name, &self.notes[(*at)?])));
        let to = placed().filter(|(_, note)| !note.chosen("to").is_empty());
        let to = to.map(|(name, note)| (name.clone(), note.chosen("to").to_owned())).collect();
        Ok((placed().filter_map(|(name, note)| Some((name.clone(), note.answer["urgency"].as_u64()?))).collect(), to))
    }

    /// What follows the speeches of a round; the rule that ends the rounds, if one does.
    fn after(&mut self, before: usize, done: bool) -> WalkStep<Option<&'static str>> {
        let moderator = &self.file.moderator;
        if moderator.contains(&"interjects") || moderator.contains(&"clarifies") {
            let at = self.seat("moderator", "interject", "", false)?;
            let questions =
                at.and_then(|at| self.notes[at].answer["questions"].as_array().cloned()).unwrap_or_default();
            let asked: Vec<String> =
                questions.iter().filter_map(|question| Some(question["name"].as_str()?.to_owned())).collect();
            self.speeches(&asked, "clarification", "clarification", Together::Either)?;
        }
        if moderator.contains(&"scores") && self.said.len() > before {
            self.seat("moderator", "score speeches", "", false)?;
        }
        if self.file.every_round {
            decide::vote(self)?;
        }
        let mut closing = None;
        if moderator.contains(&"closes") {
            closing = self.seat("moderator", "close the round", "", true)?;
        }
        let last = self.round == self.file.rounds;
        let asked = self.file.judge_ends && (!last || self.next_call("judge", "enough").is_some());
        let enough = if asked { self.seat("judge", "enough", "", false)? } else { None };
        let says =
            |at: Option<usize>, member: &str| at.map(|at| self.notes[at].answer[member].clone()).unwrap_or_default();
        let stops = [
            (!last && self.file.every_round && decide::settled(self), "mathematically_decided"),
            (self.file.stops_on_agreement && self.agree(before), "consensus_reached"),
            (self.converged, "converged"),
            (says(closing, "vote_now") == true, "moderator_vote"),
            (says(closing, "status") == "settled", "moderator_settled"),
            (last, "max_rounds"),
            (done, "moderator_done"),
            (says(enough, "enough") == true, "judge_enough"),
            (self.file.stops_after.is_some_and(|after| self.round >= after), "terminate_when"),
        ];
        Ok(stops.into_iter().find_map(|(holds, rule)| holds.then_some(rule)))
    }

    /// Whether enough pairs of the speakers of a round state the same answer.
    fn agree(&self, before: usize) -> bool {
        let mut stated: BTreeMap<&str, Option<&str>> = BTreeMap::new();
        for said in self.said[before..].iter().filter(|said| said.by != "moderator") {
            let answers = |said: &HeardTurn| stated_answer(&self.notes[said.note].text);
            let earlier = || self.said[..before].iter().rev().filter(|old| old.by == said.by).find_map(answers);
            let answer = answers(said).or_else(|| *stated.get(said.by.as_str()).unwrap_or(&None)).or_else(earlier);
            stated.insert(&said.by, answer);
        }
        let answers: Vec<Option<&str>> = stated.into_values().collect();
        let pairs: Vec<bool> = (0..answers.len())
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .map(|(a, b)| answers[a] == answers[b])
            .collect();
        let same = pairs.iter().filter(|same| **same).count();
        !pairs.is_empty() && answers.iter().all(Option::is_some) && same as f64 / pairs.len() as f64 >= 0.85
    }
}

pub fn stated_answer(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("My answer: "))
}

fn in_file_order(walk: &DebateWalk<'_>, circle: &[(String, u32, usize)]) -> Vec<String> {
    walk.names().into_iter().filter(|name| circle.iter().any(|seat| seat.0 == *name)).collect()
}

/// The highest bid above 0; of equal ones that of whoever spoke less, then the first in the file.
pub fn highest(bids: &BTreeMap<String, u64>, spoken: impl Fn(&str) -> usize) -> Option<String> {
    // names are in the order of the file
    let best = bids.iter().filter(|(_, bid)| **bid > 0).min_by_key(|(name, bid)| (u64::MAX - **bid, spoken(name)));
    best.map(|(name, _)| name.clone())
}
