//! What the cluster offers a debate. Every writer may know it: the plan of a debate says it.
use crate::site::ConsoleSite;
use crate::visitor::PageVisitor;
use agon_proto::pb::v1 as pb;
use pb::create_debate_request::Source;

/// A debate with a model that no server has.
const PROBE: &str = r#"{"topic": "?", "model": "no such model:0", "persona_count": 2}"#;

/// What there is to speak with.
#[derive(Clone, Debug, Default)]
pub(super) struct Offer {
    /// The models that hosts list.
    pub models: Vec<String>,
    /// Some host plays models.
    pub plays: bool,
    /// Some host rehearses.
    pub rehearses: bool,
}

impl Offer {
    /// What live hosts offer; nothing where that is not known.
    pub async fn of(site: &ConsoleSite, visitor: &PageVisitor) -> Self {
        let (played, rehearsed) = (plan(site, visitor, false).await, plan(site, visitor, true).await);
        let models: Vec<String> =
            played.iter().flat_map(|plan| &plan.unserved).flat_map(|one| one.offered.clone()).collect();
        Self { plays: !models.is_empty() || has_host(played.as_ref()), rehearses: has_host(rehearsed.as_ref()), models }
    }
    /// What somebody would most likely want.
    pub fn suggests_rehearsal(&self) -> bool {
        self.rehearses && !self.plays
    }
    /// The model to suggest where the usual one is not served.
    pub fn model_instead_of(&self, usual: &str) -> Option<String> {
        let is_usual = |model: &String| model.strip_suffix(":latest").unwrap_or(model) == usual;
        if self.models.iter().any(is_usual) { None } else { self.models.first().cloned() }
    }
}

fn has_host(plan: Option<&pb::Plan>) -> bool {
    plan.is_some_and(|plan| plan.models.iter().any(|model| !model.hosts.is_empty()))
}

async fn plan(site: &ConsoleSite, visitor: &PageVisitor, rehearsal: bool) -> Option<pb::Plan> {
    let file = pb::DebateFile { text: PROBE.to_owned(), format: pb::FileFormat::Json.into(), file_name: None };
    let request = pb::CreateDebateRequest {
        source: Some(Source::File(file)),
        validate_only: true,
        rehearsal,
        ..pb::CreateDebateRequest::default()
    };
    site.api().create(&visitor.call, &request).await.ok()?.plan
}
