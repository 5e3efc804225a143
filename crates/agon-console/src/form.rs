//! What browsers send: the fields of a form, and whether the form is ours.
use crate::refusal::RefusedPage;
use crate::site::ConsoleSite;
use crate::visitor::PageBrowser;
use agon_server::Problem;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};

/// The field that every form has.
const FORMS: &str = "forms";

/// The fields of a form that was sent from a page of ours.
#[derive(Debug)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// The value of a field, empty where it is not there.
    pub fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }
    /// The value of a field that is there and not empty.
    pub fn filled(&self, name: &str) -> Option<String> {
        Some(self.text(name).trim()).filter(|text| !text.is_empty()).map(str::to_owned)
    }
    /// Whether a box is ticked.
    pub fn ticked(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }
}

impl FromRequest<ConsoleSite> for Fields {
    type Rejection = RefusedPage;
    async fn from_request(request: Request, site: &ConsoleSite) -> Result<Self, RefusedPage> {
        let (parts, body) = request.into_parts();
        let browser = PageBrowser::of(&parts, site.tls());
        let refused = |problem| RefusedPage::of(problem, &browser);
        let body = Bytes::from_request(Request::from_parts(parts, body), site).await.map_err(|refusal| {
            let limit = site.most_bytes();
            refused(match refusal.status() {
                http::StatusCode::PAYLOAD_TOO_LARGE => Problem::TooLarge { what: "request", limit },
                _ => Problem::invalid("body", "the body ended before it was whole"),
            })
        })?;
        let fields = Self(form_urlencoded::parse(&body).into_owned().collect());
        let sent = blake3::hash(fields.text(FORMS).as_bytes());
        // hashes are compared in constant time
        if browser.new_forms || sent != blake3::hash(browser.forms.as_bytes()) {
            let text = "the form is from an earlier page, or from another site: load its page again and repeat";
            return Err(refused(Problem::CrossSite(text.to_owned())));
        }
        Ok(fields)
    }
}
