//! Whole debates over in-memory ports and a scripted model, in paused time.
#[cfg(test)]
mod away;
#[cfg(test)]
mod cast;
#[cfg(test)]
mod checked;
#[cfg(test)]
mod cluster;
#[cfg(test)]
mod contexts;
#[cfg(test)]
mod crashes;
#[cfg(test)]
mod cut_at_limit;
#[cfg(test)]
mod deaths;
#[cfg(test)]
mod debates;
#[cfg(test)]
mod durable;
#[cfg(test)]
mod equipped;
#[cfg(test)]
mod evals;
#[cfg(test)]
mod fleet;
#[cfg(test)]
mod full_queue;
#[cfg(test)]
mod fuse;
#[cfg(test)]
mod interrupted;
#[cfg(test)]
mod kept_evals;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod log_lines;
#[cfg(test)]
mod measured;
#[cfg(test)]
mod observed;
#[cfg(test)]
mod outage;
#[cfg(test)]
mod permit_order;
#[cfg(test)]
mod permitted;
#[cfg(test)]
mod recall;
#[cfg(test)]
mod roles;
#[cfg(test)]
mod scheduled;
#[cfg(test)]
mod seats;
#[cfg(test)]
mod slow;
#[cfg(test)]
mod solo;
#[cfg(test)]
mod takeover;
#[cfg(test)]
mod test_bench;
#[cfg(test)]
mod tooled;
#[cfg(test)]
mod waiting;
#[cfg(test)]
mod wired;
