//! Who is to speak in a round, and who did.
use super::{EventLog, text};
use serde_json::Value;

impl EventLog {
    /// Speakers stand in the order that was asked for; in a fishbowl those who sit in the circle do.
    pub(super) fn is_opened_in_the_order(&self, format: &str, order: &str) {
        let personas = self.spec()["personas"].as_array().unwrap();
        let mut ranked: Vec<&Value> = personas.iter().collect();
        ranked.sort_by_key(|persona| std::cmp::Reverse(persona["priority"].as_i64().unwrap_or_default()));
        for opened in self.rounds() {
            let speakers: Vec<String> = opened["speakers"].as_array().unwrap().iter().map(text).collect();
            let sits = |name: &String| format != "fishbowl" || speakers.contains(name);
            let due: Vec<String> = match order {
                "priority_order" => ranked.iter().map(|persona| text(&persona["name"])).filter(sits).collect(),
                "round_robin" | "reaction_triggered" => self.personas().into_iter().filter(sits).collect(),
                // the moderator's choice, or one that is drawn: of those who are there
                _ => speakers.clone(),
            };
            self.want(speakers == due, &format!("{speakers:?} are to speak, in {order} it is {due:?}"));
            if order == "random" {
                let mut all = speakers.clone();
                all.sort();
                all.dedup();
                self.want(all.len() == speakers.len(), &format!("somebody twice: {speakers:?}"));
                self.want(format == "fishbowl" || all.len() == personas.len(), &format!("not all: {speakers:?}"));
            }
            if order == "moderator" {
                let plan = self.of("moderator_decided").find(|decided| {
                    decided["decision"]["duty"] == "opens" && decided["turn"]["round"] == opened["round"]
                });
                let plan = plan.map(|decided| &decided["decision"]["next_speakers"]);
                self.want(plan == Some(&opened["speakers"]), &format!("the moderator named {plan:?}: {opened}"));
            }
        }
    }

    /// Where a round is one speech of each, all who were to speak did, in that order.
    pub(super) fn is_spoken_in_the_order_that_was_opened(&self) {
        for opened in self.rounds() {
            let mut spoke = self.speeches(opened["round"].as_u64().unwrap());
            spoke.retain(|speech| speech["kind"] == "argument");
            spoke.sort_by_key(|speech| speech["turn"]["seat"].as_u64());
            let spoke: Vec<&Value> = spoke.into_iter().map(|speech| &speech["participant"]).collect();
            let planned: Vec<&Value> = opened["speakers"].as_array().unwrap().iter().collect();
            self.want(spoke == planned, &format!("{spoke:?} spoke, {planned:?} were to"));
        }
    }
}
