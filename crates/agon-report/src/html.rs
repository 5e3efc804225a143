//! A debate as one self-contained page: no script, no request, one style whose hash the page's own policy names.
mod badges;
mod charts;
mod clean;
mod draft;
mod fold;
mod timeline;
mod view;
mod votes;

use crate::minutes::Minutes;
use askama::Template;
pub(crate) use charts::Chart;
pub use view::{PagePart, PartKind};

/// The page's style, which a page that shows [`page_parts`] needs, too.
pub const STYLE: &str = concat!(include_str!("../templates/palette.css"), include_str!("../templates/report.css"));
/// SHA-256 of [`STYLE`]; a test says the right one when the style has changed.
const STYLE_HASH: &str = "sha256-btzAzNmNI0NRewdXFLq1zpBqFFIuHQyEAu0o6S4sEwQ=";

/// Why a page could not be written.
#[derive(Debug, thiserror::Error)]
pub enum HtmlError {
    /// A template refused its data.
    #[error("the report page could not be filled in")]
    Template(#[from] askama::Error),
}

/// The debate as a page for any browser, for screen and paper.
pub fn html(minutes: &Minutes<'_>) -> Result<String, HtmlError> {
    Ok(view::ReportPage::of(minutes).render()?)
}

/// The same in pieces, for a page that grows with the debate.
pub fn page_parts(minutes: &Minutes<'_>) -> Result<Vec<PagePart>, HtmlError> {
    Ok(view::parts(minutes)?)
}

#[cfg(test)]
mod tests {
    use super::{STYLE, STYLE_HASH};
    use base64::Engine as _;
    use sha2::{Digest as _, Sha256};

    #[test]
    fn the_policy_names_the_hash_of_the_style() {
        let hash = base64::prelude::BASE64_STANDARD.encode(Sha256::digest(STYLE));
        assert_eq!(STYLE_HASH, format!("sha256-{hash}"));
    }

    #[test]
    fn the_style_asks_for_nothing_from_outside_and_cannot_end_its_element() {
        for word in ["url(", "@import", "</", "expression("] {
            assert!(!STYLE.contains(word), "{word}");
        }
    }
}
