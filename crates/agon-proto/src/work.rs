//! What seats are opened for.
use crate::flat as pb;
use crate::mirror::{mirror, oneof};
use agon_core::{Seat, Work};
use pb::{task, work};

mirror! {
    Seat as Seat { participant, work }
}

oneof! {
    Work as Work in work {
        Ballot { stage } = Ballot(work::Ballot),
        Opening {} = Opening(()),
        Argument { to, bench } = Argument(work::Argument),
        Statement { speech, to, about } = Statement(work::Statement),
        Closing {} = Closing(()),
        Bid { purpose, on, heard } = Bid(task::Bid),
        AnswerPoints {} = AnswerPoints(()),
        Critique { of } = Critique(task::Critique),
        Revise {} = Revise(()),
        Reflect {} = Reflect(()),
        OpenRound {} = OpenRound(()),
        CloseRound {} = CloseRound(()),
        Interject {} = Interject(()),
        ScoreSpeeches {} = ScoreSpeeches(()),
        Research {} = Research(()),
        Conclude { conclusion } = Conclude(task::Conclude),
        Summarise {} = Summarise(()),
        Measure {} = Measure(()),
        EnoughSaid {} = EnoughSaid(()),
        Judge { order } = Judge(work::Reading),
        Rank { order } = Rank(work::Reading),
        Vote {} = Vote(()),
        ScoreDebaters {} = ScoreDebaters(()),
        Synthesise {} = Synthesise(()),
    }
}
