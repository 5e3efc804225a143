//! What a turn needs of its host besides the model.
use agon_core::{Ask, DebateSpec, ModelName, Work, WorkGroup};
use agon_proto::HostTools;

/// Tools and verifiers, by the names of the settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TurnNeeds {
    tools: Vec<String>,
    verifiers: Vec<String>,
}

impl TurnNeeds {
    /// Those of one turn.
    pub(crate) fn of(spec: &DebateSpec, ask: &Ask) -> Self {
        let tools = match ask.task.work {
            // no participant speaks
            Work::Measure => Vec::new(),
            _ => spec.role(&ask.participant).map(|role| role.tools().to_vec()).unwrap_or_default(),
        };
        let verifiers = if is_speech(&ask.task.work) { spec.verifiers.clone() } else { Vec::new() };
        Self { tools, verifiers }
    }

    /// Those of the speeches and other turns of everybody whose first model this is, each once.
    pub(crate) fn of_model(spec: &DebateSpec, model: &ModelName) -> Vec<Self> {
        let debaters = spec.personas.iter().map(|persona| (&persona.voice, &persona.tools, spec.verifiers.as_slice()));
        let moderator = spec.moderator.iter().map(|moderator| (&moderator.voice, &moderator.tools, [].as_slice()));
        let equipped = debaters.chain(moderator).filter(|(voice, _, _)| voice.model == *model);
        let equipped =
            equipped.map(|(_, tools, verifiers)| Self { tools: tools.clone(), verifiers: verifiers.to_vec() });
        let mut needs: Vec<Self> = Vec::new();
        for one in equipped {
            if !needs.contains(&one) {
                needs.push(one);
            }
        }
        if needs.is_empty() {
            needs.push(Self::default());
        }
        needs
    }

    /// Whether the turn can be played anywhere.
    pub(crate) fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.verifiers.is_empty()
    }

    /// Whether a host with these can play the turn.
    pub(crate) fn are_met_by(&self, there: &HostTools) -> bool {
        self.tools.iter().all(|name| there.tools.contains(name))
            && self.verifiers.iter().all(|name| there.verifiers.contains(name))
    }
}

/// Whether a turn is a speech, whose claims are checked.
pub(crate) fn is_speech(work: &Work) -> bool {
    work.traits().group == WorkGroup::Speech
}
