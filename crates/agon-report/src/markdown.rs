//! Markdown: the whole debate, its summary, and the whole debate with every call.
mod analysis;
mod decision;
pub(crate) mod escape;
mod full;
mod judges;
mod page;
mod verbose;

use crate::minutes::Minutes;
use page::Page;

/// The whole debate: topic, configuration, speakers, rounds, decision, ballots, failures, tokens and times.
pub fn full_markdown(minutes: &Minutes<'_>) -> String {
    let mut page = Page::default();
    full::write(&mut page, minutes);
    page.finish()
}

/// One screen: what came out, why, who disagrees, and what it cost.
pub fn summary_only(minutes: &Minutes<'_>) -> String {
    let mut page = Page::default();
    page.heading(1, &minutes.admission.spec.topic);
    page.banner(minutes);
    decision::outcome(&mut page, minutes);
    decision::reasoning(&mut page, minutes, 2);
    judges::objections(&mut page, minutes, 2);
    decision::dissent(&mut page, minutes, 2);
    analysis::insights(&mut page, minutes);
    full::warnings(&mut page, minutes);
    full::identity(&mut page, minutes);
    page.finish()
}

/// [`full_markdown`] with placements, takeovers, and every ask and call with all that is known of it.
pub fn verbose(minutes: &Minutes<'_>) -> String {
    let mut page = Page::default();
    full::write(&mut page, minutes);
    verbose::write(&mut page, minutes);
    page.finish()
}
