//! Two terminals at random: run, Ctrl-C, other runs, resume, `kill -9` and a server beside, all on one store.
//!
//! No debate continues that nobody resumed, none is lost, none is played by two processes: the logs say so.
use super::sequence::Sequence;
use super::served::ServeServer;
use crate::support::World;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Sequences at once: each waits for its processes most of the time.
const AT_ONCE: usize = 6;

/// Plays that many sequences, whose choices follow from their number.
fn play(count: usize) {
    let world = World::new();
    let served = ServeServer::start(&world, "beside", &["--token-interval", "1ms"]);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    Sequence::new(&world, &served.address, number).play();
                }
            });
        }
    });
}

#[test]
fn whatever_two_terminals_do_no_debate_continues_unasked_is_lost_or_is_played_by_two() {
    play(20);
}

mod slow {
    #[test]
    fn in_200_random_sequences_no_debate_continues_unasked_is_lost_or_is_played_by_two() {
        super::play(200);
    }
}
