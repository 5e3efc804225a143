//! What holds of every log of a format: who spoke when, who saw what, in which order the phases came.
mod orders;

use agon_core::{Bench, steps};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A log as the program prints it.
pub struct EventLog {
    name: String,
    pub events: Vec<Value>,
}

const PHASES: [&str; 8] = [
    "initial_ballots",
    "opening_statements",
    "rounds",
    "final_statements",
    "rebuttals",
    "final_ballots",
    "decision",
    "synthesis",
];

impl EventLog {
    /// Reads JSON lines.
    pub fn read(name: &str, lines: &str) -> Self {
        let events = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Self { name: name.to_owned(), events }
    }

    pub fn of<'a>(&'a self, kind: &'a str) -> impl DoubleEndedIterator<Item = &'a Value> {
        self.events.iter().filter(move |event| event["type"] == kind)
    }

    /// Everything that holds of a log of this format, order and strategy.
    pub fn holds(&self, format: &str, order: &str, strategy: &str) {
        self.begins_and_ends();
        self.phases_come_in_order(format);
        self.nobody_sees_the_future();
        self.is_opened_in_the_order(format, order);
        match format {
            "socratic" => self.is_socratic(),
            "bp_style" => self.is_british_parliamentary(),
            "fishbowl" => self.is_a_fishbowl(),
            "chain_of_thought" => self.has_steps(),
            "open_fight" => self.goes_to_the_highest_bid(),
            "critique_revision" => self.criticises_and_revises(),
            _ => {}
        }
        if order == "reaction_triggered" {
            self.goes_to_the_strongest_reaction();
        } else if ["round_robin", "chain_of_thought", "fishbowl"].contains(&format) {
            self.is_spoken_in_the_order_that_was_opened();
        }
        self.is_decided_by(strategy);
    }

    fn fail(&self, what: &str) -> ! {
        panic!("{}: {what}", self.name)
    }
    fn want(&self, holds: bool, what: &str) {
        if !holds {
            self.fail(what);
        }
    }

    fn begins_and_ends(&self) {
        self.want(self.events.first().unwrap()["type"] == "debate_admitted", "the first event admits no debate");
        let last = self.events.last().unwrap();
        self.want(last["type"] == "debate_ended" && last["state"] == "succeeded", &format!("it ended so: {last}"));
        self.want(self.of("debate_ended").count() == 1, "it ends more than once");
        self.want(self.of("turn_failed").count() == 0, &format!("{:?}", self.of("turn_failed").collect::<Vec<_>>()));
    }

    fn phases_come_in_order(&self, format: &str) {
        let mut order = PHASES;
        if format == "critique_revision" {
            // one votes on proposals that were made
            order.swap(0, 1);
        }
        let place = |event: &Value| order.iter().position(|phase| event["phase"] == *phase).unwrap();
        let phases: Vec<usize> = self.of("phase_entered").map(place).collect();
        self.want(phases.is_sorted_by(|one, other| one < other), &format!("phases {phases:?}"));
    }

    /// What a turn is shown lies before it is asked; those who are asked at once are shown the same.
    fn nobody_sees_the_future(&self) {
        for asked in self.of("turn_asked") {
            self.want(asked["sees"].as_u64() < asked["seq"].as_u64(), &format!("it sees too much: {asked}"));
        }
        for stage in self.of("stage_opened").filter(|stage| stage["parallel"] == true) {
            let seats = stage["seats"].as_array().unwrap();
            let after = self.of("turn_asked").filter(|asked| asked["seq"].as_u64() > stage["seq"].as_u64());
            let seen: BTreeSet<u64> = after.take(seats.len()).map(|asked| asked["sees"].as_u64().unwrap()).collect();
            self.want(seen.len() == 1, &format!("one stage, several views: {stage}"));
        }
    }

    /// The speeches of a round, in the order in which they were held.
    fn speeches(&self, round: u64) -> Vec<&Value> {
        self.of("speech_recorded").filter(|speech| speech["turn"]["round"] == round).collect()
    }
    fn rounds(&self) -> Vec<&Value> {
        self.of("round_opened").collect()
    }
    fn personas(&self) -> Vec<String> {
        let personas = self.events[0]["spec"]["personas"].as_array().unwrap();
        personas.iter().map(|persona| text(&persona["name"])).collect()
    }
    fn spec(&self) -> &Value {
        &self.events[0]["spec"]
    }

    fn is_socratic(&self) {
        let personas = self.personas();
        for (at, opened) in self.rounds().into_iter().enumerate() {
            let asks = &personas[at % personas.len()];
            let spoke = self.speeches(opened["round"].as_u64().unwrap());
            let kinds: Vec<String> = spoke.iter().map(|speech| text(&speech["kind"])).collect();
            let answers = vec!["answer"; personas.len() - 1];
            let wanted = [vec!["question"], answers.clone(), vec!["follow_up"], answers].concat();
            self.want(kinds == wanted, &format!("{kinds:?}"));
            for speech in spoke {
                let questions = speech["kind"] != "answer";
                let by_questioner = speech["participant"] == asks.as_str();
                self.want(questions == by_questioner, &format!("{asks} asks in round {}: {speech}", at + 1));
            }
        }
    }

    fn is_british_parliamentary(&self) {
        let personas = self.personas();
        let spoke = self.speeches(1);
        let benches: Vec<&Value> = spoke.iter().map(|speech| &speech["bench"]).collect();
        let wanted: Vec<Value> = Bench::ALL.iter().map(|bench| serde_json::to_value(bench).unwrap()).collect();
        self.want(benches.into_iter().eq(&wanted), "the benches do not speak in order");
        for (bench, speech) in Bench::ALL.iter().zip(&spoke) {
            let who = &personas[bench.speaker(personas.len())];
            self.want(speech["participant"] == who.as_str(), &format!("{} is {who}: {speech}", bench.title()));
            self.want(speech["stance"] == Bench::TEAMS[bench.team()], &format!("another team: {speech}"));
        }
        for points in self.of("points_answered") {
            let side = |who: &Value| {
                let at = personas.iter().position(|name| *who == name.as_str()).unwrap();
                Bench::ALL.iter().find(|bench| bench.speaker(personas.len()) == at).unwrap().is_government()
            };
            let offered = points["points"].as_array().unwrap();
            self.want(!offered.is_empty(), "nothing was offered, and it was answered");
            let rivals = offered.iter().all(|point| side(&point["by"]) != side(&points["participant"]));
            self.want(rivals, &format!("a point from one's own side: {points}"));
        }
    }

    fn is_a_fishbowl(&self) {
        let size = self.spec()["inner_circle"].as_u64().unwrap() as usize;
        let circles: Vec<BTreeSet<String>> = self
            .rounds()
            .into_iter()
            .map(|opened| opened["speakers"].as_array().unwrap().iter().map(text).collect())
            .collect();
        self.want(circles.iter().all(|circle| circle.len() == size), &format!("circles {circles:?}"));
        for pair in circles.windows(2) {
            self.want(pair[1].difference(&pair[0]).count() <= 1, &format!("more than one came in: {pair:?}"));
        }
        for (circle, opened) in circles.iter().zip(self.rounds()) {
            for speech in self.speeches(opened["round"].as_u64().unwrap()) {
                let inside = circle.contains(&text(&speech["participant"]));
                self.want(inside, &format!("it spoke from outside: {speech}"));
            }
        }
        for bid in self.of("bid_placed").filter(|bid| bid["purpose"] == "circle") {
            let round = bid["turn"]["round"].as_u64().unwrap() as usize;
            self.want(!circles[round - 2].contains(&text(&bid["participant"])), "one inside bid to come in");
        }
    }

    fn has_steps(&self) {
        let arguments: Vec<&Value> = self.of("speech_recorded").filter(|speech| speech["kind"] == "argument").collect();
        self.want(!arguments.is_empty(), "nobody argued");
        for speech in arguments {
            let checked = steps::check(speech["text"].as_str().unwrap());
            self.want(checked.is_ok(), &format!("{checked:?}: {speech}"));
        }
    }

    /// The bids between a speech and the one before it.
    fn bids_before(&self, speech: &Value) -> Vec<&Value> {
        let seq = speech["seq"].as_u64();
        let before: Vec<&Value> = self.events.iter().take_while(|event| event["seq"].as_u64() < seq).collect();
        let since = before.iter().rev().take_while(|event| event["type"] != "speech_recorded");
        // a bid to cut the speech that runs is no bid for the floor
        let for_the_floor = |event: &&&Value| event["type"] == "bid_placed" && event["purpose"] != "interruption";
        since.filter(for_the_floor).copied().collect()
    }

    fn goes_to_the_highest_bid(&self) {
        let personas = self.personas();
        for opened in self.rounds() {
            let spoke = self.speeches(opened["round"].as_u64().unwrap());
            self.want(spoke.len() <= 2 * personas.len(), "a round without end");
            for (at, speech) in spoke.iter().enumerate() {
                let bids = self.bids_before(speech);
                let holder = at.checked_sub(1).map(|before| &spoke[before]["participant"]);
                let others = |bid: &&&Value| Some(&bid["participant"]) != holder;
                let highest = bids.iter().filter(others).filter_map(|bid| bid["urgency"].as_u64()).max();
                let own = bids.iter().find(|bid| bid["participant"] == speech["participant"]);
                let cut = at > 0 && spoke[at - 1]["cut_by"] == speech["participant"];
                let own = own.and_then(|bid| bid["urgency"].as_u64());
                let again = Some(&speech["participant"]) == holder && highest.unwrap_or(0) == 0;
                self.want(cut || again || own == highest && own > Some(0), &format!("not the highest bid: {speech}"));
            }
        }
    }

    fn goes_to_the_strongest_reaction(&self) {
        for opened in self.rounds() {
            let spoke = self.speeches(opened["round"].as_u64().unwrap());
            let mut times: BTreeMap<String, u32> = BTreeMap::new();
            for (at, speech) in spoke.iter().filter(|speech| speech["kind"] == "argument").enumerate() {
                *times.entry(text(&speech["participant"])).or_default() += 1;
                let bids = self.bids_before(speech);
                let highest = bids.iter().filter_map(|bid| bid["urgency"].as_u64()).max();
                let own = bids.iter().find(|bid| bid["participant"] == speech["participant"]);
                let own = own.and_then(|bid| bid["urgency"].as_u64());
                self.want(at == 0 || own == highest && own > Some(0), &format!("not the strongest: {speech}"));
            }
            self.want(times.values().all(|times| *times <= 2), &format!("{times:?}"));
        }
    }

    fn criticises_and_revises(&self) {
        let personas = self.personas();
        let proposals = self.speeches(0).iter().filter(|speech| speech["kind"] == "proposal").count();
        self.want(proposals == personas.len(), "not everybody proposed");
        for opened in self.rounds() {
            let round = &opened["round"];
            let critiques: Vec<&Value> =
                self.of("critique_recorded").filter(|critique| critique["turn"]["round"] == *round).collect();
            let own = critiques.iter().any(|critique| critique["participant"] == critique["of"]);
            self.want(!critiques.is_empty() && !own, "nobody is criticised, or somebody by itself");
            let criticised: BTreeSet<String> = critiques.iter().map(|critique| text(&critique["of"])).collect();
            let speeches = self.speeches(round.as_u64().unwrap());
            let revised: BTreeSet<String> = speeches
                .iter()
                .filter(|speech| speech["kind"] == "revision")
                .map(|speech| text(&speech["participant"]))
                .collect();
            self.want(revised == criticised, &format!("{revised:?} revised, {criticised:?} were criticised"));
        }
    }

    fn is_decided_by(&self, strategy: &str) {
        let ended = self.events.last().unwrap();
        let judge = &self.spec()["judge"];
        let readings = judge["orders"].as_u64().unwrap_or(0) * judge["panel"].as_u64().unwrap_or(1);
        let count = |kind: &str| self.of(kind).count() as u64;
        let decided = match strategy {
            "judge" => count("judgement_recorded") == readings && readings > 0,
            "ranked_reasons" => count("ranking_recorded") == readings && readings > 0,
            "vote" => count("vote_tallied") == 1 && count("vote_cast") == self.personas().len() as u64,
            "mediator_summary" => {
                let decides = |event: &&Value| event["conclusion"] == "decision";
                self.of("moderator_concluded").filter(decides).count() == 1 && ended["outcome"] == "decided"
            }
            _ => ended["outcome"] == "inconclusive" && ended["reason"]["code"] == "no_decision_wanted",
        };
        self.want(decided, &format!("not decided by {strategy}: {ended}"));
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
