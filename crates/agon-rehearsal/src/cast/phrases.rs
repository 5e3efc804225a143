//! What the cast says in the turns that are neither opening, argument nor closing. Slots as in [`super::lines`], and `{asked}` a question
//! word for word, `{bench}` and `{office}` of a bench, `{found}` words of a tool's result, `{lens}` a line of thought.

/// First sentences of a proposal.
pub const PROPOSALS: &[&str] = &[
    "My proposal fits on a postcard: {thesis}.",
    "I propose one thing and shall defend it as long as it lasts: {thesis}.",
    "Here is something to take apart: {thesis}. Please begin with the hinges.",
    "What I would do, if somebody gave me the keys on Monday: {thesis}.",
    "A draft, written to be corrected: {thesis}.",
];

/// Last sentences of a proposal.
pub const TESTS: &[&str] = &[
    "Give it a month and two figures; if neither moves, I withdraw it and thank you for the month.",
    "It fails if nobody can name its owner by Friday, and I would rather hear that now.",
    "What I do not know is how it behaves on a bad week, and I would spend the first week finding out.",
    "Its weakest joint is the hand-over. Whoever wants to break it should pull there.",
];

/// How a question begins when there is something to quote.
pub const QUESTION_LEADS: &[&str] = &[
    "{opp}, you said \"{quote}\".",
    "I take one line from {opp}: \"{quote}\".",
    "{opp} rests a good deal on this: \"{quote}\".",
    "Let us stay with a single sentence of {opp}'s: \"{quote}\".",
];

/// Questions; each ends with its mark.
pub const QUESTIONS: &[&str] = &[
    "What would we have to observe, and by when, for that to turn out wrong?",
    "Who exactly carries the cost of that, and have they been asked?",
    "Which part of it would still stand if the context were half as friendly as you assume?",
    "If it is as plain as you say, why has nobody done it yet?",
    "What do you give up for it, in a currency that somebody here would miss?",
    "Does it follow from {lens}, or did it arrive first and get its reasons later?",
    "How would you tell the case for {a} from the case for {b} on an ordinary Tuesday?",
];

/// Questions that follow an answer.
pub const FOLLOW_UPS: &[&str] = &[
    "That answers a neighbour of my question. What of the case in which {lens} points the other way?",
    "Granted; and where does it stop being true?",
    "Then which of the two do you keep when you cannot have both?",
    "I hear a condition in that. What happens when the condition fails?",
    "Suppose I accept it. What am I then obliged to accept along with it?",
];

/// First sentences of an answer to a question that can be quoted.
pub const ANSWER_LEADS: &[&str] = &[
    "You ask: \"{asked}\". I shall answer that and nothing easier.",
    "The question was \"{asked}\", and it deserves a straight line in reply.",
    "\"{asked}\" is the right thing to ask, and I had hoped to be asked it later.",
    "To \"{asked}\" I have a short answer and an honest one; they turn out to be the same.",
];

/// First sentences of an answer to a question that cannot be quoted.
pub const PLAIN_LEADS: &[&str] = &[
    "A fair question, so here is a plain answer.",
    "I would rather answer that than talk round it.",
    "Let me answer first and explain afterwards.",
];

/// How an answer says what it says.
pub const ANSWER_CORES: &[&str] = &[
    "In one line: {thesis}, and I would say so to whoever pays for it.",
    "It comes to this: {thesis}. The reason is less grand than the claim.",
    "Yes to the worry and no to the conclusion: {thesis}.",
];

/// Last sentences of an answer.
pub const ANSWER_ENDS: &[&str] = &[
    "If that is not an answer, tell me which word was missing.",
    "That is what I know; the rest I would have to look up, and I would look it up before deciding.",
    "I have left the door open there on purpose. Ask again if the draught bothers you.",
];

/// First sentences of a clarification for the chair.
pub const CLARIFICATIONS: &[&str] = &[
    "The chair asks \"{asked}\". I meant the narrower thing.",
    "To put \"{asked}\" to rest: I overstated it by about a third.",
    "On \"{asked}\", the chair is right to stop me there.",
];

/// First sentences of a speech for a bench.
pub const BENCHES: &[&str] = &[
    "I rise for {bench}, as {office}, to carry our case one step further than my colleagues could.",
    "As {office} I owe this house the view of {bench}, and I shall pay in reasons.",
    "{bench} has sent its {office} with one job, which is to be clear.",
];

/// Offers of a point of information.
pub const POINTS: &[&str] = &[
    "On that point: who pays for it in the third year?",
    "Would the speaker say the same if {lens} were the test?",
    "Is there a single figure behind that sentence?",
    "Does the speaker accept that \"{quote}\" cuts both ways?",
    "Which bench, in the speaker's view, is not entitled to that argument?",
];

/// Answers to a point that was accepted.
pub const REPLIES: &[&str] = &[
    "I thank the honourable member. The answer is yes, and it was budgeted for, which is why we can be calm about {t}.",
    "The point is well made and misplaced: it would be fatal if we had claimed it, and we claimed something smaller.",
    "Taken. It costs me a clause and leaves me the sentence.",
];

/// Why somebody wants the floor.
pub const URGES: &[&str] = &[
    "{opp} has just said something that does not survive {lens}.",
    "I was quoted, and I should like to finish the sentence.",
    "Nobody has mentioned {lens} yet.",
    "{opp} owes an answer, and I can say which.",
    "There is a figure in the context that {opp} steps round.",
    "I agree with half of that and can say which half.",
];

/// Why somebody breaks into a running speech.
pub const BREAKS_IN: &[&str] = &[
    "That was not what I said, and the record should have it right before it sets.",
    "{opp} is building on a figure that nobody has given.",
];

/// How a speaker says that it has come round.
pub const CHANGES: &[&str] = &[
    "I change my answer, and owe you the step that failed: I had taken {lens} for granted, and it does not hold.",
    "I no longer stand where I stood. The flaw was mine and early: I never tested my case against {lens}.",
    "Something in my own chain broke while I listened. It was the step from {lens} to my conclusion, so the conclusion goes.",
];

/// Conclusions of an argument in steps.
pub const CONCLUSIONS: &[&str] = &[
    "So, until somebody breaks a step, the case for {a} stands.",
    "Taken together, that carries the case for {a}, and it names the step at which to stop me.",
    "If the two steps before hold, {a} follows; if one does not, say which.",
    "Hence the case for {a}, no wider than its steps.",
];

/// First sentences of a revised proposal.
pub const REVISIONS: &[&str] = &[
    "After the critiques I keep the aim and change the order of the steps: {thesis}.",
    "I have taken out what did not hold. What holds is this: {thesis}.",
    "Second draft, with the corrections of those who read the first: {thesis}.",
];

/// Why a critique is declined.
pub const DECLINES: &[&str] = &[
    "It asks for a figure that nobody can have before the first month.",
    "It answers a larger claim than the one I made.",
    "It is true of every option here, so it cannot decide between them.",
];

/// What worked in a round, for a speaker's own notes.
pub const WORKED: &[&str] = &[
    "Quoting {opp} before answering kept the quarrel about one sentence.",
    "The figure from the context was left standing by everybody.",
    "Arguing from {lens} drew no reply.",
];

/// What did not work.
pub const FAILED: &[&str] = &[
    "The second reason was heard as the first one again.",
    "I conceded the example and they took the principle with it.",
    "{opp} was not moved by {lens}, and neither was I when I heard myself.",
];

/// What comes next.
pub const NEXT: &[&str] = &[
    "Lead with {lens} and leave the rest for the closing.",
    "Ask {opp} for the one figure the other case needs.",
    "Concede the smallest point early and hold the larger one.",
];

/// Contradictions that a speaker finds in itself.
pub const SLIPS: &[&str] = &[
    "I called it cheap in one turn and worth its price in the next.",
    "I asked {opp} for evidence and offered an example in its place.",
];

/// What a moderator warns of.
pub const WARNINGS: &[&str] = &[
    "Please come back to {t}; the last point was about something else.",
    "You have made that argument before. Add to it or leave it.",
    "Answer what was said and not who said it.",
];

/// What a moderator asks to have cleared up.
pub const CHAIR_QUESTIONS: &[&str] = &[
    "What exactly do you mean by that, in one case that could happen next month?",
    "Which of your two reasons would you keep if you could keep one?",
    "What figure would change your mind about {t}?",
];

/// What a moderator asks to have revised.
pub const CHAIR_REVISIONS: &[&str] = &[
    "State your claim again with the strongest objection built in.",
    "Take out the part that nobody attacked and defend the part that everybody did.",
    "Say what you no longer hold after this round.",
];

/// How a moderator brings common ground and difference together.
pub const COMMON_GROUND: &[&str] = &[
    "Under the noise there is agreement: all of you want {t} to hold on a bad day, and all of you would rather find out early.",
    "Nobody here disputes the aim. The quarrel is over who carries the risk while we find out about {t}.",
];

/// How a comment on a speech goes.
pub const REMARKS: &[&str] = &[
    "Clear in the claim and thin in the middle.",
    "Answered the objection where it was raised.",
    "The example did most of the work.",
    "Repeats itself towards the end.",
    "One figure, well placed.",
    "Strong on {lens}, silent on the cost.",
];

/// How a speaker brings in what a tool has found.
pub const FINDINGS: &[&str] = &[
    "I looked before I spoke, and found this: \"{found}\".",
    "What can be looked up says \"{found}\", and I would rather start from that than from a mood.",
    "One thing is on record: \"{found}\".",
];

/// All banks of this file that are no arguments in themselves.
pub const ASIDES: &[&[&str]] = &[
    PROPOSALS,
    TESTS,
    QUESTION_LEADS,
    ANSWER_LEADS,
    PLAIN_LEADS,
    ANSWER_CORES,
    ANSWER_ENDS,
    CLARIFICATIONS,
    BENCHES,
    CHANGES,
    CONCLUSIONS,
    REVISIONS,
    COMMON_GROUND,
    FINDINGS,
];
