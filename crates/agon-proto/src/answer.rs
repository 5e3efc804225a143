//! What a participant answers.
use crate::flat as pb;
use crate::mirror::oneof;
use agon_core::Answer;
use pb::answer;

mod rounds;
mod scores;
mod words;

oneof! {
    Answer as Answer in answer {
        Speech { text, cut, cut_at_limit } = Speech(answer::Speech),
        Text { text } = Text(answer::Text),
        Choice { choice, reasons, confidence } = Choice(answer::Choice),
        Choices { choices, reasons, confidence } = Choices(pb::Choices),
        RoundPlan(plan) = RoundPlan(_),
        RoundSummary(summary) = RoundSummary(_),
        Judgement(judgement) = Judgement(_),
        Ranking(ranked) = Ranking(pb::Ranking),
        Bid(bid) = Bid(_),
        PointReply(reply) = PointReply(_),
        Critique(critique) = Critique(_),
        Revision(revision) = Revision(_),
        Note(note) = Note(_),
        Interjection(interjection) = Interjection(_),
        SpeechScores(scores) = SpeechScores(pb::SpeechScores),
        DebaterScores(scores) = DebaterScores(pb::DebaterScores),
        Enough { enough, reasoning } = Enough(pb::Enough),
        Conclusion { verdict, reasoning } = Concluded(pb::Concluded),
        Measures(measures) = Measures(_),
        Synthesis(synthesis) = Synthesis(_),
    }
}
