//! What the cast can say. Slots: `{a}` my side, `{b}` the other side, `{t}` the matter, `{opp}` who is answered, `{quote}` its words,
//! `{fact}` a line of the context, `{thesis}` my claim as a clause, `{angle}` what the moderator asked.
//!
//! Side slots stand only where a noun or a gerund of either number fits ("the case for {a}"), so that any stance reads well.

use std::sync::LazyLock;

/// One line of thought: how it argues, how it answers, how it sums up.
pub struct Lens {
    /// What it is about, as a topic a moderator may set.
    pub name: &'static str,
    /// Two ways to put it as an argument.
    pub claims: [&'static str; 2],
    /// How it answers somebody else's point.
    pub rebuttal: &'static str,
    /// A clause that sums it up.
    pub gist: &'static str,
}

/// The lines of thought.
pub const LENSES: &[Lens] = &[
    Lens {
        name: "the whole bill",
        claims: [
            "count the whole bill. The price of {b} is never the figure on the first page; it is the upkeep, the training and the meeting in which somebody explains the overrun.",
            "money has a memory. Whatever a bet on {b} saves in the first quarter it borrows from the second, at a rate nobody has quoted us.",
        ],
        rebuttal: "That is a price tag and not a total: it counts the purchase and forgets the upkeep, which is where the money goes.",
        gist: "the cheaper option is the one we can still afford in its third year",
    },
    Lens {
        name: "what can be undone",
        claims: [
            "prefer the mistake you can undo. If the case for {a} turns out wrong we notice early and walk back; the trouble with {b} is that the exit gets its price after we need it.",
            "ask what it takes to turn round. A step towards {a} can be retraced in an afternoon of embarrassment; a step towards {b} takes a project, a budget and a new set of managers.",
        ],
        rebuttal: "It treats a one-way door as a revolving one. I would like to see the handle on the inside before we all step through.",
        gist: "when two roads look alike, take the one with a turning place",
    },
    Lens {
        name: "evidence we could collect",
        claims: [
            "look at what can be observed and not at what can be imagined. The case for {a} makes a prediction that somebody could check within a month; the case for {b} mostly makes an atmosphere.",
            "a claim earns its keep by what it forbids. I can say which result would embarrass the case for {a}. I have yet to hear which result would embarrass the case for {b}.",
        ],
        rebuttal: "It is a fine sentence and an untested one. Which measurement would have to come out differently for it to be wrong?",
        gist: "a position that no result could embarrass is a mood",
    },
    Lens {
        name: "who carries it",
        claims: [
            "ask who carries it. The people who argue for {b} are seldom the people who live with it on a wet Monday, and that gap has sunk better plans than this one.",
            "every option here has an owner, and the owner is rarely in the room. The case for {a} can name the person who keeps it running; the case for {b} names a department.",
        ],
        rebuttal: "That is easy to say for anybody who will not be holding it when it breaks. Put a name next to it and see whether the sentence survives.",
        gist: "an option without an owner is a wish",
    },
    Lens {
        name: "simplicity",
        claims: [
            "simple things fail in simple ways. With {a} we could explain to a newcomer in ten minutes what happens and why; with {b} we need a diagram, and then a second diagram to explain the first.",
            "every moving part is a promise that somebody has to keep. The case for {b} adds parts and calls them flexibility; the case for {a} makes fewer promises and can keep them.",
        ],
        rebuttal: "That buys elegance in one corner with clutter in all the others. I have met this kind of elegance; it does not clean up after itself.",
        gist: "whatever we cannot explain to a newcomer we do not understand ourselves",
    },
    Lens {
        name: "the people who have to do it",
        claims: [
            "plans are carried out by people who are tired, busy and right to be suspicious. A bet on {a} asks them for one new habit; a bet on {b} asks for five and files the shortfall under resistance.",
            "habits outvote strategies. Whatever we decide about {t}, it has to survive the third week, when the posters have come down, and that is the week the case for {b} never mentions.",
        ],
        rebuttal: "It works for people with time, goodwill and no other work. I should like to see it tried on the people we have.",
        gist: "the third week decides, and not the launch",
    },
    Lens {
        name: "timing",
        claims: [
            "the calendar gets a vote. We do not decide about {t} in a vacuum; we decide this year, with the attention we have left, and attention is what a bet on {b} spends first.",
            "being early and being wrong look alike for a long time. The case for {a} pays off on a date we can write down; the case for {b} has been two years away for as long as I can remember.",
        ],
        rebuttal: "Perhaps one day. But a good answer to next decade's question is still the wrong answer to ours.",
        gist: "a right answer that comes too late is a footnote",
    },
    Lens {
        name: "second effects",
        claims: [
            "the second effect is larger than the first. Once a decision for {b} is made, everything near it bends to fit, and in two years nobody will remember that it was ever a choice.",
            "watch what the decision teaches. A move towards {a} tells everybody that we finish what we have; a move towards {b} tells them that the next idea is always more welcome than the last.",
        ],
        rebuttal: "True on the first day. On the second day everyone adapts to it, and the neat effect we were promised goes the way of neat effects.",
        gist: "what a choice makes normal matters more than what it makes possible",
    },
    Lens {
        name: "the worst day",
        claims: [
            "judge by the bad day and not by the average one. On an ordinary afternoon either answer behaves; on the worst afternoon of the year a bet on {b} has more ways to go wrong and fewer people who know them all.",
            "averages are kind to everybody. What I fear about {b} is not the typical outcome but the tail of it, because the tail is what the rest of us get to clean up.",
        ],
        rebuttal: "That describes the average day, and the average day was never in danger. Tell me about the worst one.",
        gist: "we will be remembered for our worst day and should choose for it",
    },
    Lens {
        name: "precedent",
        claims: [
            "we have met the case for {b} before under other names. Each time the pitch was that this one is special, and each time the special case turned out to have an ordinary budget.",
            "history is short of miracles. When others stood where we stand with {t}, those who chose something like {a} are hard to find in the news, and that is the compliment I would like us to earn.",
        ],
        rebuttal: "So said everyone who tried it last, nearly word for word. I should like to know what is different this time, other than the slides.",
        gist: "\"this time is different\" is the most expensive sentence in any language",
    },
    Lens {
        name: "what to measure",
        claims: [
            "whatever cannot be counted will be argued about for ever. I would settle for two numbers: what {t} costs us today and what it would cost after a change. So far the case for {b} has offered adjectives.",
            "choose the yardstick first and the winner second. Measured by what people notice at the end of the week, the case for {a} does well; the case for {b} does best on yardsticks that its friends brought along.",
        ],
        rebuttal: "By which yardstick? Change it from effort to result and the point quietly changes sides.",
        gist: "pick the yardstick before you pick the winner",
    },
    Lens {
        name: "fairness",
        claims: [
            "somebody who is not in this room pays for what we decide about {t}. The case for {a} at least tells them what it costs; the case for {b} sends the invoice later, to a different address.",
            "a fair rule is one you would sign before knowing which end of it you will hold. I could sign for {a} blindfolded. For {b} I would want to know my place in the queue.",
        ],
        rebuttal: "It is a good bargain for whoever proposes it. Ask the other end of the table, and leave the room while they answer.",
        gist: "whoever pays should be in the room when the order is placed",
    },
    Lens {
        name: "scale",
        claims: [
            "size changes the answer. What works in the famous example works because of everything around the example, and a bet on {b} borrows the result without borrowing the conditions.",
            "most arguments about {t} are imported from somebody ten times our size, or a tenth of it. Measured at our own scale, the case for {a} needs no heroics, and that is its whole charm.",
        ],
        rebuttal: "At some scale that is surely right. It has not been shown for ours, and examples do not shrink in the wash.",
        gist: "borrow a result and you owe the conditions",
    },
    Lens {
        name: "what we learn",
        claims: [
            "whichever way we go we shall learn something; the question is the tuition. A bet on {a} teaches us early and in small sums. A bet on {b} teaches us once, in front of everybody.",
            "I would rather be corrected cheaply than be confident at length. The case for {a} leaves room for a second opinion in a month; the case for {b} has already booked the celebration.",
        ],
        rebuttal: "That assumes we already know what we are about to find out. If we did, we should not need the experiment.",
        gist: "the best plan is the one that finds out cheaply that it is wrong",
    },
    Lens {
        name: "what each side concedes",
        claims: [
            "a good plan says what it is bad at. The case for {a} loses on glamour, and I concede that without a struggle; the case for {b} has not yet admitted to losing anywhere, which is how one can tell that it has not been costed.",
            "let me argue against myself for a moment. The honest weakness of {a} is that it asks for patience. The honest weakness of {b} is still waiting for somebody to be honest about it.",
        ],
        rebuttal: "I notice what it leaves out. A case with no drawbacks is a case nobody has looked at from behind.",
        gist: "trust the side that told you its price",
    },
];

/// First sentences of an opening.
pub const OPENERS: &[&str] = &[
    "I will spare you the suspense: {thesis}.",
    "There is a version of this debate that lasts all week. Here is the one that fits into two minutes: {thesis}.",
    "The question is plain enough that we should be suspicious of complicated answers. Mine is not complicated: {thesis}.",
    "I have turned the question over, looking for the trick, and I keep coming down in the same place: {thesis}.",
    "Everybody here means well by {t}; we differ on what that will cost. My answer, so that you can hold me to it: {thesis}.",
    "Let me put my cards on the table face up, since they are good enough to survive it: {thesis}.",
    "I was asked for an opinion and brought reasons as well, in case one of them is needed: {thesis}.",
    "If I had only one line, I would spend it like this: {thesis}. Happily I have a few more.",
    "Some questions get easier when one says the answer aloud. I say: {thesis}.",
    "Before the adjectives arrive, here is the noun and the verb of it: {thesis}.",
];

/// Positions for those who were given none: the claim as a clause, and what to call it.
pub const POSITIONS: &[(&str, &str)] = &[
    ("we should try it small before we do it large", "a small trial"),
    ("yes, with a date in the calendar on which we look again", "a dated yes"),
    ("not yet, and not without a figure that somebody will sign", "a signed figure first"),
    ("no, unless somebody in this room will carry it", "a plain no"),
    ("yes, and sooner than is comfortable", "an early yes"),
    ("we should fix what we have before we shop for more", "repair before purchase"),
    ("it depends on who pays for the mistakes, so let us settle that first", "settling who pays"),
    ("we should let those decide who live with the result", "a choice by those concerned"),
];

/// First sentences of an answer to somebody.
pub const ANSWERS: &[&str] = &[
    "{opp} puts it well: \"{quote}\". It is the strongest thing said against me so far, so let me meet it head on.",
    "I wrote down one line from {opp}: \"{quote}\". I wrote it down because it nearly persuades me, and then stops one step short.",
    "According to {opp}, \"{quote}\". Granted, as far as it goes; the trouble is how far that is.",
    "The best point on the table is {opp}'s: \"{quote}\". It deserves more than a nod, so it shall get an answer.",
    "I would be a poor opponent if I walked past what {opp} just said: \"{quote}\". I would be a worse one if I left it standing.",
    "When {opp} says \"{quote}\", half of this room nods. I nodded too, and then I did the sum.",
    "Let me borrow {opp}'s own words: \"{quote}\". I mean to return them in a different condition.",
    "{opp} has found the soft spot: \"{quote}\". Before anybody leans on it, here is what holds it up.",
];

/// First sentences when nobody has said anything to answer.
pub const CONTINUATIONS: &[&str] = &[
    "Nobody has laid a glove on the main point yet, so let me make it easier to hit: {thesis}.",
    "In the absence of an objection I shall supply the next reason. I still say: {thesis}.",
    "Let me go one layer down, since the top one seems to hold: {thesis}.",
];

/// Ways to bring in a fact of the context.
pub const FACTS: &[&str] = &[
    "The brief itself says it: \"{fact}\". I did not write that line, but I would sign it.",
    "And we need not guess at everything, because one thing was handed to us in writing: \"{fact}\".",
    "Keep this on the table while we talk: \"{fact}\". Any answer that does not fit it is an answer to some other question.",
    "I keep returning to a single line of the brief: \"{fact}\". It is the least rhetorical thing anybody has said here.",
];

/// Ways to take up what the moderator asked.
pub const ANGLES: &[&str] = &[
    "The chair asks us to look at {angle}. Gladly: seen from there, the gap between {a} and {b} gets wider and not narrower.",
    "On the chair's point, {angle}: I take it as a fair test, and it is one that the case for {a} can pass in daylight.",
];

/// Last sentences of an opening.
pub const INVITATIONS: &[&str] = &[
    "Show me a result that the case for {b} would have to explain away, and I shall listen with both ears.",
    "That is my case. It has a weak spot somewhere, and I am curious who will find it first.",
    "If I am wrong, I should like to be wrong about something specific. Please be specific.",
    "I shall now sit down and be disagreed with.",
];

/// Last sentences of an argument.
pub const CHALLENGES: &[&str] = &[
    "So one question for {opp}: what would you have to see to change your mind? I have told you mine.",
    "I invite {opp} to answer that one thing, and I promise not to count the adjectives.",
    "Until {opp} deals with that, the case for {a} stands where it stood, only a little better lit.",
    "If {opp} can grant me that much, we disagree about less than it sounds. If not, we have found the real disagreement.",
    "None of this makes {opp} unreasonable. It makes {opp} early, late or lucky, and I would not build on any of the three.",
    "That leaves {opp} with the harder half of the argument, and I say so with sympathy.",
];

/// First sentences of a closing.
pub const SUMMARIES: &[&str] = &[
    "Let me sweep up. After all that was said, my answer has lost some paint and none of its shape: {thesis}.",
    "We have used our time better than most. What is left standing, as I see it, is this: {thesis}.",
    "I came with one claim and leave with the same one, better tested: {thesis}.",
    "If you keep one sentence of mine, keep this one: {thesis}.",
];

/// How a closing deals with the other side.
pub const CONCESSIONS: &[&str] = &[
    "{opp} made me work for it, above all with \"{quote}\". I concede the sentence and contest the conclusion.",
    "I take one thing home from {opp}: \"{quote}\". It changes how I would go about it, though not where I would go.",
    "Credit where it is due: {opp}'s \"{quote}\" was the best line against me, and I had no quick answer to it. I have a slow one, which is this.",
];

/// How a closing leads to what it wants remembered.
pub const WEIGH: &str = "What I ask you to weigh is short";

/// Last sentences of a closing.
pub const FAREWELLS: &[&str] = &[
    "I ask for your agreement, and failing that for your second thoughts.",
    "Decide as if you had to live next door to the decision. Most of you will.",
    "I rest my case; it has earned a chair.",
    "The rest is yours to weigh. Please use a scale and not a drum.",
];

/// Filler sentences that bring a speech up to its length.
pub const BRIDGES: &[&str] = &[
    "None of this needs a crystal ball; it needs a pencil, and somebody willing to use it before the meeting and not after.",
    "I say this without drama, because drama is what one reaches for when the sums do not help.",
    "You may object that this is a modest way to argue. It is, and modest arguments have the useful habit of still being true on Thursday.",
    "Notice that nothing here depends on anybody being clever, which is lucky, since cleverness is the first thing to be reorganised.",
    "I know how this sounds from the other side of the table. I have sat there, and the chairs are the same.",
    "That is not a slogan. A slogan would be shorter and would have a better picture.",
    "Put differently: what we want from {t} is not in dispute; what we are ready to give up for it is.",
    "I would add a footnote here, but footnotes are where arguments go to hide, so let us keep it in the main text.",
];

/// What a persuader says; whoever votes or judges recognises it.
pub const PERSUASION: &str = "I have yet to hear an answer to this, and I have listened for one with some hope.";

/// What a sycophant says.
pub const AGREEMENT: &[&str] = &[
    "{opp} is right, and I wish I had said it first: \"{quote}\". I came in holding something else, and I find I am holding it rather loosely.",
    "I can only applaud {opp}: \"{quote}\". If my earlier position disagrees with that, so much the worse for my earlier position.",
];

/// How a sycophant goes on.
pub const APPLAUSE: &[&str] = &[
    "What strikes me most is how little there is to add. The reasons are clear, the examples are apt, and the tone is exactly what I would have chosen.",
    "Some will say that I am giving way too easily. To them I say that they, too, have a point, and that I look forward to agreeing with it in more detail.",
    "I had prepared an objection. In the light of what {opp} said it looks less like an objection and more like a footnote, so I withdraw it with thanks.",
    "Let the record show that I hold a view on {t}, that I hold it sincerely, and that it is whichever view {opp} finds most convenient.",
];

/// Everything that is said around the arguments: nobody quotes it if there is anything better.
pub const SMALL_TALK: &[&[&str]] = &[
    OPENERS,
    ANSWERS,
    CONTINUATIONS,
    FACTS,
    ANGLES,
    INVITATIONS,
    CHALLENGES,
    SUMMARIES,
    CONCESSIONS,
    FAREWELLS,
    BRIDGES,
    AGREEMENT,
    APPLAUSE,
    &[PERSUASION, WEIGH],
];

/// Whether a sentence is small talk, or a rebuttal, which means little without what it answers.
pub fn is_small_talk(sentence: &str) -> bool {
    static PARTS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let banks = SMALL_TALK.iter().chain(super::phrases::ASIDES).copied();
        let lines = banks.flatten().copied().chain(LENSES.iter().map(|lens| lens.rebuttal));
        let parts = lines.flat_map(crate::words::sentences).filter_map(fixed_part);
        parts.filter(|part| part.len() > 5).collect()
    });
    PARTS.iter().any(|part| sentence.contains(part))
}

/// The longest stretch of a line between its slots.
pub fn fixed_part(line: &str) -> Option<&str> {
    line.split(['{', '}']).step_by(2).map(str::trim).max_by_key(|part| part.len())
}
