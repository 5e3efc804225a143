//! What the events of a log have in common.
use agon_core::*;

/// Fails with a message unless a rule holds.
#[macro_export]
macro_rules! require {
    ($holds:expr, $($message:tt)*) => {
        if !$holds {
            return Err(format!($($message)*));
        }
    };
}

/// The turn that an event settles, if it settles one.
pub fn settles(event: &Event) -> Option<TurnId> {
    event.settled().map(|(turn, _)| turn)
}

/// The call that an event records, where one reached a host.
pub fn call(event: &Event) -> Option<&Call> {
    match event {
        Event::TurnFailed { call, .. } => Some(&**call).filter(|call| call.host.is_some()),
        event => event.answered().map(|answered| answered.call.as_ref()),
    }
}

/// All events of a log.
pub fn all(log: &[Record]) -> impl Iterator<Item = &Event> {
    log.iter().flat_map(|record| &record.events)
}

/// What each seat was first asked, in order.
pub fn first_asks(log: &[Record]) -> impl Iterator<Item = &Ask> {
    all(log).filter_map(|event| match event {
        Event::TurnAsked(ask) if ask.turn.attempt == 1 => Some(ask),
        _ => None,
    })
}
