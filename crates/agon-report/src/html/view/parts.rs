//! The page in pieces, for a page that grows with its debate.
use super::*;

/// A piece of a debate's page: one element with this id, which a live page can replace by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagePart {
    /// The id of its element, unique on the page.
    pub id: String,
    /// The element. Safe to be put into a page as it is: without script, style or request.
    pub html: String,
}

/// The page of a debate in pieces, in their order: its head, its contents, and its sections.
pub(in crate::html) fn parts(minutes: &Minutes<'_>) -> Result<Vec<PagePart>, askama::Error> {
    let page = ReportPage::of(minutes);
    let mut parts = vec![
        PagePart { id: "top".to_owned(), html: HeadPart(&page).render()? },
        PagePart { id: "outline".to_owned(), html: OutlinePart(&page).render()? },
    ];
    for section in page.sections() {
        parts.push(PagePart { id: section.id.clone(), html: SectionPart { page: &page, section }.render()? });
    }
    Ok(parts)
}

#[derive(Template)]
#[template(path = "parts/head.html")]
struct HeadPart<'a, 'm>(&'a ReportPage<'m>);

#[derive(Template)]
#[template(path = "parts/outline.html")]
struct OutlinePart<'a, 'm>(&'a ReportPage<'m>);

#[derive(Template)]
#[template(path = "parts/section.html")]
struct SectionPart<'a, 'm> {
    page: &'a ReportPage<'m>,
    section: &'a ReportSection<'m>,
}

/// The templates of pieces are those of the whole page, and ask for the same.
impl<'m> std::ops::Deref for HeadPart<'_, 'm> {
    type Target = ReportPage<'m>;
    fn deref(&self) -> &Self::Target {
        self.0
    }
}
impl<'m> std::ops::Deref for OutlinePart<'_, 'm> {
    type Target = ReportPage<'m>;
    fn deref(&self) -> &Self::Target {
        self.0
    }
}
impl<'m> std::ops::Deref for SectionPart<'_, 'm> {
    type Target = ReportPage<'m>;
    fn deref(&self) -> &Self::Target {
        self.page
    }
}
