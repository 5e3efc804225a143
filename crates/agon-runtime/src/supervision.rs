//! How exits are read. ractor tells a kill like a normal stop, by its reason only.
use crate::shared::Common;
use agon_core::restart::{Exit, Restarts};
use ractor::{ActorId, SupervisionEvent};

/// Who ended and how; none for events that are no exits.
pub(crate) fn exit_of(event: &SupervisionEvent) -> Option<(ActorId, Exit)> {
    match event {
        SupervisionEvent::ActorFailed(who, error) => {
            tracing::warn!(actor = %who.get_id(), %error, "actor failed");
            Some((who.get_id(), Exit::Abnormal))
        }
        SupervisionEvent::ActorTerminated(who, _, reason) => {
            let cut = matches!(reason.as_deref(), Some("killed" | "actor_task_cancelled"));
            Some((who.get_id(), if cut { Exit::Abnormal } else { Exit::Normal }))
        }
        SupervisionEvent::ActorStarted(_) | SupervisionEvent::ProcessGroupChanged(_) => None,
    }
}

/// A fresh restart budget for an actor below the supervisors.
pub(crate) fn restarts(shared: &Common) -> Restarts {
    Restarts::new(shared.config.restarts)
}
