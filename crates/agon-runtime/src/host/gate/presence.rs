//! Whether a model's server is there. One that restarts is waited for; it fails nothing and is punished for nothing.
use agon_core::Timestamp;
use std::fmt;

/// How often a server that is away is looked for while a turn waits, in milliseconds.
const PROBE_EVERY: u64 = 2_000;
/// A look that says nothing for so long is given up, in milliseconds: another call may look.
const PROBE_LEASE: u64 = 300_000;
/// For so long after it was seen to be away a host is left alone by those who can go elsewhere, in milliseconds.
const QUIET: u64 = 10_000;

/// What a call saw of its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerSight {
    /// Nothing: it was not made, or given up by this side.
    Nothing,
    /// It answers.
    There,
    /// It is away, or has no room.
    Away(Absence),
    /// It broke off: the connection was lost.
    Broke,
}

/// In what way a server is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Absence {
    pub(crate) why: Why,
    /// How long it asks to be left alone, in milliseconds.
    pub(crate) pause: u64,
}

/// The kinds of absence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Nobody listens there, or its name is not known.
    Refused,
    Loading,
    /// It says that it cannot serve.
    Unavailable,
}
impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused => "no connection",
            Self::Loading => "loading the model",
            Self::Unavailable => "unavailable (503)",
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ServerAway {
    /// In what way it was, when it was last looked for.
    pub(crate) why: Why,
    pub(crate) since: Timestamp,
    /// When it was last seen to be away.
    pub(crate) seen: Timestamp,
    /// Not before this moment it is looked for again.
    again: Timestamp,
    /// A call is looking, and has until this moment.
    probing: Option<Timestamp>,
}
impl ServerAway {
    /// Not before this moment it is looked for again.
    pub(crate) fn next_look(&self) -> Timestamp {
        self.again
    }
    /// Whether a call is looking for it now.
    pub(crate) fn is_looked_for(&self, now: Timestamp) -> bool {
        self.probing.is_some_and(|until| now < until)
    }
}

/// What is known of a server's presence.
#[derive(Debug, Default)]
pub(super) struct Presence {
    away: Option<ServerAway>,
    /// When a call was last seen to break off.
    broke: Option<Timestamp>,
    /// From when to when it was away the last time.
    absence: Option<(Timestamp, Timestamp)>,
}

/// What the end of a call means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Noted {
    pub(super) away: bool,
    /// The breaker is to count it.
    pub(super) counts: bool,
    /// The server is back after nobody listened there: it was started anew.
    pub(super) fresh: bool,
}

impl Presence {
    pub(super) fn away(&self) -> Option<ServerAway> {
        self.away
    }

    pub(super) fn quiet_until(&self) -> Option<Timestamp> {
        self.away.map(|away| away.seen.plus(QUIET))
    }

    /// Of the time from `from` to `to`, how much the server was away, in milliseconds, as far as its last absence goes.
    pub(super) fn absent(&self, from: Timestamp, to: Timestamp) -> u64 {
        let now = self.away.map(|away| (away.since, to));
        let overlap = |(since, until): (Timestamp, Timestamp)| until.min(to).since(since.max(from));
        now.into_iter().chain(self.absence).map(overlap).fold(0, u64::saturating_add)
    }

    /// Lets one call at a time look for a server that is away; else says until when a call has to wait.
    pub(super) fn admit(&mut self, now: Timestamp) -> Result<(), Timestamp> {
        let Some(away) = &mut self.away else { return Ok(()) };
        match away.probing {
            Some(until) if now < until => Err(until),
            _ if now < away.again => Err(away.again),
            _ => {
                away.probing = Some(now.plus(PROBE_LEASE));
                Ok(())
            }
        }
    }

    /// Takes in what a call saw that began at `began`.
    pub(super) fn note(&mut self, now: Timestamp, began: Timestamp, sight: ServerSight) -> Noted {
        match sight {
            ServerSight::Nothing => {
                if let Some(away) = &mut self.away {
                    away.probing = None;
                }
                Noted { away: false, counts: true, fresh: false }
            }
            ServerSight::There => {
                let was = self.away.take();
                // it was back when it took the call, however long the answer took
                let until = |away: ServerAway| if began < away.since { now } else { began };
                self.absence = was.map(|away| (away.since, until(away))).or(self.absence);
                let fresh = was.is_some_and(|away| away.why == Why::Refused);
                Noted { away: false, counts: true, fresh }
            }
            ServerSight::Away(absence) => {
                // one that took a call and then refused it was not back
                let same = self.absence.take_if(|(_, until)| self.away.is_none() && *until >= began);
                let since = self.away.map(|away| away.since).or(same.map(|(since, _)| since)).unwrap_or(now);
                let again = now.plus(absence.pause.max(PROBE_EVERY));
                self.away = Some(ServerAway { why: absence.why, since, seen: now, again, probing: None });
                Noted { away: true, counts: false, fresh: false }
            }
            ServerSight::Broke => self.broke(now, began),
        }
    }

    /// A server that dies breaks off all its calls at once, which counts as one failure.
    fn broke(&mut self, now: Timestamp, began: Timestamp) -> Noted {
        if let Some(away) = &mut self.away {
            (away.seen, away.again, away.probing) = (now, now.plus(PROBE_EVERY), None);
            return Noted { away: true, counts: false, fresh: false };
        }
        let counts = self.broke.is_none_or(|before| began > before);
        self.broke = Some(now);
        Noted { away: false, counts, fresh: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(presence: &mut Presence, at: u64) -> Noted {
        let absence = Absence { why: Why::Refused, pause: 0 };
        presence.note(Timestamp(at), Timestamp(at), ServerSight::Away(absence))
    }

    #[test]
    fn a_server_that_is_away_is_looked_for_by_one_call_every_two_seconds() {
        let mut presence = Presence::default();
        assert_eq!(presence.admit(Timestamp(0)), Ok(()));
        assert_eq!(refused(&mut presence, 10), Noted { away: true, counts: false, fresh: false });

        assert_eq!(presence.admit(Timestamp(20)), Err(Timestamp(2_010)));
        assert_eq!(presence.admit(Timestamp(2_010)), Ok(()));
        assert_eq!(presence.admit(Timestamp(2_010)), Err(Timestamp(302_010)));
        refused(&mut presence, 2_020);
        assert_eq!(presence.admit(Timestamp(2_100)), Err(Timestamp(4_020)));
        assert_eq!(presence.away().map(|away| away.since), Some(Timestamp(10)));
    }

    #[test]
    fn a_wish_to_be_left_alone_is_heeded() {
        let mut presence = Presence::default();
        let busy = Absence { why: Why::Unavailable, pause: 7_000 };
        presence.note(Timestamp(0), Timestamp(0), ServerSight::Away(busy));

        assert_eq!(presence.admit(Timestamp(6_999)), Err(Timestamp(7_000)));
    }

    #[test]
    fn whoever_hears_of_it_again_lets_everybody_in_and_knows_that_it_was_started_anew() {
        let mut presence = Presence::default();
        refused(&mut presence, 10);

        let noted = presence.note(Timestamp(50), Timestamp(0), ServerSight::There);

        assert_eq!(noted, Noted { away: false, counts: true, fresh: true });
        assert_eq!(presence.admit(Timestamp(50)), Ok(()));
    }

    #[test]
    fn how_long_it_was_away_is_known_of_any_stretch_of_time_while_it_is_and_afterwards() {
        let mut presence = Presence::default();
        refused(&mut presence, 1_000);
        let absent = |presence: &Presence, from, to| presence.absent(Timestamp(from), Timestamp(to));
        assert_eq!((absent(&presence, 0, 3_000), absent(&presence, 2_000, 3_000)), (2_000, 1_000));

        presence.note(Timestamp(5_000), Timestamp(4_900), ServerSight::There);

        assert_eq!((absent(&presence, 0, 9_000), absent(&presence, 4_000, 9_000)), (3_900, 900));
        assert_eq!(absent(&presence, 6_000, 9_000), 0);
    }

    #[test]
    fn a_server_that_took_a_call_and_then_refused_it_was_away_all_the_time() {
        let mut presence = Presence::default();
        refused(&mut presence, 1_000);
        presence.note(Timestamp(8_000), Timestamp(3_000), ServerSight::There);
        assert_eq!((presence.away(), presence.absent(Timestamp(0), Timestamp(9_000))), (None, 2_000));

        let absence = Absence { why: Why::Unavailable, pause: 0 };
        presence.note(Timestamp(9_000), Timestamp(3_000), ServerSight::Away(absence));

        assert_eq!(presence.away().map(|away| away.since), Some(Timestamp(1_000)));
        assert_eq!(presence.absent(Timestamp(0), Timestamp(9_000)), 8_000);
    }

    #[test]
    fn calls_that_break_off_together_count_once_and_those_of_a_server_that_is_away_not_at_all() {
        let mut presence = Presence::default();
        let broke = |presence: &mut Presence, now, began| {
            presence.note(Timestamp(now), Timestamp(began), ServerSight::Broke).counts
        };
        assert!(broke(&mut presence, 100, 10));
        assert!(!broke(&mut presence, 101, 20));
        assert!(broke(&mut presence, 300, 200));

        refused(&mut presence, 400);
        assert!(!broke(&mut presence, 401, 350));
    }

    #[test]
    fn a_look_that_was_given_up_leaves_the_next_one_free() {
        let mut presence = Presence::default();
        refused(&mut presence, 0);
        assert_eq!(presence.admit(Timestamp(2_000)), Ok(()));

        presence.note(Timestamp(2_500), Timestamp(2_000), ServerSight::Nothing);

        assert_eq!(presence.admit(Timestamp(2_500)), Ok(()));
    }
}
