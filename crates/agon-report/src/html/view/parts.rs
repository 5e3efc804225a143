//! The page in pieces, for a page that grows with its debate.
use super::*;

/// A piece of a debate's page: one element with this id, which a live page can replace by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagePart {
    /// The id of its element, unique on the page.
    pub id: String,
    /// What it is of the page.
    pub kind: PartKind,
    /// The element. Safe to be put into a page as it is: without script, style or request.
    pub html: String,
}

/// What a piece is of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Its head: question and result.
    Head,
    /// The list of its sections.
    Contents,
    /// What was said and done.
    Floor,
    /// Another section: what it came to, or what is known about it.
    About,
}

/// The page of a debate in pieces, in their order: its head, its contents, and its sections.
pub(in crate::html) fn parts(minutes: &Minutes<'_>) -> Result<Vec<PagePart>, askama::Error> {
    let page = ReportPage::of(minutes);
    let mut parts = vec![
        PagePart { id: "top".to_owned(), kind: PartKind::Head, html: HeadPart(&page).render()? },
        PagePart { id: "outline".to_owned(), kind: PartKind::Contents, html: OutlinePart(&page).render()? },
    ];
    for section in page.sections() {
        let kind = if section.kind == SectionKind::Rounds { PartKind::Floor } else { PartKind::About };
        parts.push(PagePart { id: section.id.clone(), kind, html: SectionPart { page: &page, section }.render()? });
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
