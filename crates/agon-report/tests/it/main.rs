//! Reports of logs that are written by hand.
#[cfg(test)]
mod analysis;
#[cfg(test)]
mod big;
#[cfg(test)]
mod block;
#[cfg(test)]
mod checks;
#[cfg(test)]
mod deciding;
#[cfg(test)]
mod details;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod earlier;
#[cfg(test)]
mod eval;
#[cfg(test)]
mod every;
#[cfg(test)]
mod facts;
#[cfg(test)]
mod feeds;
#[cfg(test)]
mod formats;
#[cfg(test)]
mod gates;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod json;
#[cfg(test)]
mod log;
#[cfg(test)]
mod markdown;
#[cfg(test)]
mod moderating;
#[cfg(test)]
mod page;
#[cfg(test)]
mod palette;
#[cfg(test)]
mod polls;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod remedies;
#[cfg(test)]
mod scenes;
#[cfg(test)]
mod shown;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod tree;
