//! The fixed wording, and how values come into it.
use agon_core::fence::{Part, Written};

macro_rules! templates {
    ($($name:ident = $file:literal;)+) => {
        $(pub(crate) const $name: &str = include_str!(concat!("../templates/", $file, ".txt"));)+
        #[cfg(test)]
        const ALL: &[(&str, &str)] = &[$(($file, $name)),+];
    };
}
templates! {
    SYSTEM = "system";
    JUDGE_SYSTEM = "judge_system";
    RULES_ADVERSARIAL = "rules_adversarial";
    RULES_DELIBERATIVE = "rules_deliberative";
    RULES_ADVERSARIAL_OPENING = "rules_adversarial_opening";
    RULES_DELIBERATIVE_OPENING = "rules_deliberative_opening";
    OPENING = "task_opening";
    ARGUMENT = "task_argument";
    CLOSING = "task_closing";
    CLOSING_ASSIGNED = "task_closing_assigned";
    BALLOT_INITIAL = "task_ballot_initial";
    BALLOT_FINAL = "task_ballot_final";
    BALLOT_PROPOSALS = "task_ballot_proposals";
    BALLOT_REVISIONS = "task_ballot_revisions";
    VOTE = "task_vote";
    OPEN_ROUND = "task_open_round";
    OPEN_ROUND_FIXED = "task_open_round_fixed";
    CLOSE_ROUND = "task_close_round";
    CLOSE_ROUND_VOTE = "task_close_round_vote";
    LAST_CLOSING = "last_closing";
    DECIDED = "decided";
    JUDGE = "task_judge";
    AGREEMENT = "agreement";
    AGREEMENT_ASSIGNED = "agreement_assigned";
    STYLE = "style";
    CORRECTION = "correction";
    CHOICE = "choice";
    WINNER = "winner";
    SUMMARIZER_SYSTEM = "summarizer_system";
    SYNTHESIZER_SYSTEM = "synthesizer_system";
    PROPOSAL = "task_proposal";
    QUESTION = "task_question";
    FOLLOW_UP = "task_follow_up";
    ANSWER = "task_answer";
    CLARIFICATION = "task_clarification";
    REVISED_POSITION = "task_revised_position";
    REVISED_CASE = "task_revised_case";
    REBUTTAL = "task_rebuttal";
    INTERJECTION = "task_interjection";
    ARGUMENT_TO = "task_argument_to";
    FISHBOWL = "task_fishbowl";
    OPEN_FIGHT = "task_open_fight";
    STEPS = "task_steps";
    BENCH = "bench";
    GUIDED = "guided";
    MY_ANSWER = "my_answer";
    MY_POSITION = "my_position";
    MY_OPTION = "my_option";
    MY_NUMBER = "my_number";
    MY_SIDE = "my_side";
    MY_CONFIDENCE = "my_confidence";
    BID_FLOOR = "bid_floor";
    BID_REACTION = "bid_reaction";
    BID_CIRCLE = "bid_circle";
    BID_INTERRUPTION = "bid_interruption";
    BID_FORM = "bid_form";
    POINT = "task_point";
    ANSWER_POINTS = "task_answer_points";
    CRITIQUE = "task_critique";
    REVISE = "task_revise";
    REVISE_WITHIN = "revise_within";
    REFLECT = "task_reflect";
    REFLECT_MEMBERS = "reflect_members";
    REFLECT_ASSIGNED = "reflect_assigned";
    RESEARCH = "task_research";
    INTERJECT = "task_interject";
    INTERJECT_MEMBERS = "interject_members";
    INTERJECT_SUMMARY = "interject_summary";
    SCORE_SPEECHES = "task_score_speeches";
    RECONCILE = "task_reconcile";
    CLOSING_SUMMARY = "task_closing_summary";
    MEDIATOR_DECISION = "task_mediator_decision";
    SUMMARY_STYLE = "summary_style";
    CONCLUSION_STYLE = "conclusion_style";
    SUMMARISE = "task_summarise";
    ENOUGH = "task_enough";
    RANK = "task_rank";
    RANKED_VOTE = "task_ranked_vote";
    APPROVAL_VOTE = "task_approval_vote";
    SCORE_DEBATERS = "task_score_debaters";
    SYNTHESISE = "task_synthesise";
    TOOLS = "tools";
    TOOLS_BRIEFING = "tools_briefing";
    WITHOUT_RESULT = "without_result";
    CANDIDATES = "candidates";
    TOOL_LOOP = "tool_loop";
    HISTORY = "history";
    FEEDS = "feeds";
    CONFIDENCE = "confidence";
    CHECKED = "checked";
    MARK_CLAIMS = "mark_claims";
    RULES = "rules";
    JUDGE_RULES = "judge_rules";
    SUMMARIZER_RULES = "summarizer_rules";
    SYNTHESIZER_RULES = "synthesizer_rules";
    STATED_ANSWER = "stated_answer";
    SPEAK_NOW = "speak_now";
    ANSWER_NOW = "answer_now";
    INSTRUCTIONS = "instructions";
    REVISED_BY = "revised_by";
    COMMENT_WITHIN = "comment_within";
    MAY_CHOOSE = "may_choose";
    SCORED = "scored";
}

/// A wording with each `{{name}}` replaced by its value.
pub(crate) fn fill(template: &'static str, values: &[(&str, Part<'_>)]) -> Written {
    Part::from(template).fill(values)
}

/// One line of a template that lists alternatives.
pub(crate) fn line(template: &'static str, index: usize) -> &'static str {
    template.lines().nth(index).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_wording_uses_only_values_that_are_filled_in() {
        const KNOWN: [&str; 18] = [
            "kind",
            "confidence",
            "form",
            "stays",
            "marker",
            "words",
            "choice",
            "choices",
            "intensity",
            "style",
            "to",
            "critics",
            "labels",
            "calls",
            "tools",
            "threshold",
            "verifier",
            "verifiers",
        ];
        for (file, template) in ALL {
            for part in template.split("{{").skip(1) {
                let (name, _) = part.split_once("}}").unwrap();
                assert!(KNOWN.contains(&name), "{file}: {name}");
            }
            assert!(template.ends_with('\n') && !template.ends_with("\n\n"), "{file}");
        }
    }
}
