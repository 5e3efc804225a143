//! The formats in which the floor has to be won, given or kept.
use crate::rounds::highest;
use crate::walk::{DebateWalk, HeardTurn, Together, WalkHalt, WalkStep};
use std::collections::BTreeMap;

impl DebateWalk<'_> {
    /// A question to all, the answers, a follow-up, the answers to it.
    pub fn socratic(&mut self) -> WalkStep {
        let all = self.names();
        let mut tried: Vec<String> = Vec::new();
        let asker = loop {
            let Some(next) =
                all.get((self.round as usize - 1 + tried.len()) % all.len()).filter(|_| tried.len() < all.len())
            else {
                return Err(WalkHalt::Failed("quorum"));
            };
            if self.speeches(std::slice::from_ref(next), "question", "question", Together::OneByOne)? == 1 {
                break next.clone();
            }
            tried.push(next.clone());
            if tried.len() == all.len() {
                return Err(WalkHalt::Failed("quorum"));
            }
        };
        let others: Vec<String> = all.into_iter().filter(|name| *name != asker && !tried.contains(name)).collect();
        let order = self.ordered(&others, "answer");
        self.speeches(&order, "answer", "answer", Together::OneByOne)?;
        if self.speeches(&[asker], "follow-up", "follow_up", Together::OneByOne)? == 1 {
            let order = self.ordered(&others, "answer");
            self.speeches(&order, "answer", "answer", Together::OneByOne)?;
        }
        Ok(())
    }

    /// Eight speeches; after each the other side offers points, of which the speaker takes one at most.
    pub fn parliament(&mut self) -> WalkStep {
        let all = self.names();
        let before = self.said.len();
        let seats = if all.len() == 4 { [0, 1, 0, 1, 2, 3, 2, 3] } else { [0, 1, 2, 3, 4, 5, 6, 7] };
        for (bench, seat) in seats.iter().enumerate() {
            let spoke = self.speeches(&all[*seat..=*seat], "argument", "argument", Together::OneByOne)?;
            if !self.file.points || spoke == 0 {
                continue;
            }
            // the government's benches are the even ones
            let other = seats.iter().enumerate().filter(|(at, _)| at % 2 != bench % 2).map(|(_, seat)| *seat);
            let other: std::collections::BTreeSet<usize> = other.collect();
            let offers: Vec<_> =
                other.into_iter().map(|seat| (all[seat].clone(), "point of information", String::new())).collect();
            let offered = self.seats(&offers, Together::AtOnce, false)?;
            let points = offered
                .into_iter()
                .flatten()
                .filter(|at| !self.notes[*at].answer["point"].is_null() && self.notes[*at].answer["urgency"] != 0);
            let points: Vec<usize> = points.collect();
            if points.is_empty() {
                continue;
            }
            let Some(reply) = self.seat(&all[*seat], "answer points", "", false)? else { continue };
            let by = self.notes[reply].chosen("accept").to_owned();
            if let Some(point) = points.into_iter().find(|at| self.notes[*at].who == by) {
                self.said.push(HeardTurn { note: point, by, kind: "point", round: 1, to: Some(all[*seat].clone()) });
                self.said.push(HeardTurn {
                    note: reply,
                    by: all[*seat].clone(),
                    kind: "point_reply",
                    round: 1,
                    to: None,
                });
            }
        }
        self.heard_enough(before, &all)
    }

    /// The highest bidder speaks, nobody twice in a row while others bid, twice as many speeches as debaters at most.
    pub fn fight(&mut self) -> WalkStep {
        let all = self.names();
        let mut spoken: BTreeMap<String, usize> = BTreeMap::new();
        let mut holder: Option<String> = None;
        for turn in 0..2 * all.len() {
            let (bids, to) = self.bids(&all, "bid")?;
            if turn == 0 {
                self.quorate(bids.len(), all.len())?;
            }
            let count = |name: &str| spoken.get(name).copied().unwrap_or(0);
            let others: BTreeMap<_, _> =
                bids.iter().filter(|(name, _)| Some(*name) != holder.as_ref()).map(|(n, b)| (n.clone(), *b)).collect();
            let Some(next) = highest(&others, count).or_else(|| highest(&bids, count)) else { break };
            self.to = to.get(&next).filter(|to| **to != next).cloned();
            self.speeches(std::slice::from_ref(&next), "argument", "argument", Together::OneByOne)?;
            *spoken.entry(next.clone()).or_default() += 1;
            holder = Some(next);
        }
        Ok(())
    }

    /// One begins, another one each round; after each speech the others say whether they react.
    pub fn reactions(&mut self, who: &[String], task: &'static str) -> WalkStep {
        let mut spoken: BTreeMap<String, usize> = BTreeMap::new();
        let mut next = Some(who[(self.round as usize - 1) % who.len()].clone());
        // after a failed speech the last one that was heard is the one to react to
        let (mut heard, mut last, mut began) = (0, None, self.round as usize - 1);
        while let Some(speaker) = next.take() {
            let spoke = self.speeches(std::slice::from_ref(&speaker), task, "argument", Together::OneByOne)?;
            *spoken.entry(speaker.clone()).or_default() += 1;
            (heard, last) = (heard + spoke, if spoke == 1 { Some(speaker) } else { last });
            if last.is_none() {
                // nothing was said to react to: the next one begins
                began += 1;
                let tried = began - (self.round as usize - 1);
                next = (tried < who.len()).then(|| who[began % who.len()].clone());
                continue;
            }
            let count = |name: &str| spoken.get(name).copied().unwrap_or(0);
            let others: Vec<String> =
                who.iter().filter(|name| Some(*name) != last.as_ref() && count(name) < 2).cloned().collect();
            let (bids, to) = self.bids(&others, "reaction")?;
            next = highest(&bids, count);
            // a reaction to nobody in particular is one to the last speaker
            self.to = next.as_ref().and_then(|next| to.get(next).or(last.as_ref()).filter(|to| *to != next).cloned());
        }
        if heard == 0 { Err(WalkHalt::Failed("quorum")) } else { Ok(()) }
    }

    /// Critiques by the topology, then a revision of every proposal that was criticised.
    pub fn critiques(&mut self) -> WalkStep {
        let (all, authors) = (self.names(), self.authors());
        let next = |at: usize| all[(at + 1) % all.len()].clone();
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (at, critic) in all.iter().enumerate() {
            let of: Vec<String> = match self.file.topology {
                "all_to_all" => all.clone(),
                "ring" => vec![next(at)],
                "star" if *critic == all[0] => all.clone(),
                "star" => Vec::new(),
                _ => self.targets(critic),
            };
            pairs.extend(
                of.into_iter().filter(|of| of != critic && authors.contains(of)).map(|of| (critic.clone(), of)),
            );
        }
        let seats: Vec<_> = pairs.iter().map(|(critic, of)| (critic.clone(), "critique", of.clone())).collect();
        let given = self.seats(&seats, Together::AtOnce, true)?;
        let heard: Vec<(usize, &(String, String))> =
            given.into_iter().zip(&pairs).filter_map(|(at, pair)| Some((at?, pair))).collect();
        self.said.extend(heard.iter().map(|(note, (by, of))| HeardTurn {
            note: *note,
            by: by.clone(),
            kind: "critique",
            round: self.round,
            to: Some(of.clone()),
        }));
        let criticised: Vec<String> =
            authors.into_iter().filter(|author| heard.iter().any(|(_, (_, of))| of == author)).collect();
        let revised: Vec<_> = criticised.iter().map(|author| (author.clone(), "revision", String::new())).collect();
        let revisions = self.seats(&revised, Together::AtOnce, true)?;
        let severity = |at: usize| self.notes[at].answer["severity"].as_u64().unwrap_or(0);
        for (note, (critic, of)) in &heard {
            let revision = criticised.iter().position(|author| author == of).and_then(|at| revisions[at]);
            let answered = revision.is_some_and(|at| {
                self.notes[at].answer["accepted"].as_array().is_some_and(|all| all.iter().any(|name| name == critic))
            });
            self.severe |= severity(*note) >= 8 && !answered;
        }
        let mild = !heard.is_empty() && heard.iter().all(|(at, _)| severity(*at) <= 2);
        if mild {
            self.converged = true;
        }
        for (by, note) in criticised.into_iter().zip(revisions) {
            self.said.extend(note.map(|note| HeardTurn { note, by, kind: "revision", round: self.round, to: None }));
        }
        if self.said.iter().any(|said| said.round == self.round) { Ok(()) } else { Err(WalkHalt::Failed("quorum")) }
    }
}
