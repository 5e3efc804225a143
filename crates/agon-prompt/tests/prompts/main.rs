//! Prompts and answers from outside: the layout as it is sent, what must never happen to it, and the reference text.
#[cfg(test)]
mod answers;
#[cfg(test)]
mod checks;
#[cfg(test)]
mod feeds;
#[cfg(test)]
mod foreign;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod history;
#[cfg(test)]
mod layout;
#[cfg(test)]
mod masks;
#[cfg(test)]
mod moderating;
#[cfg(test)]
mod page;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod sight;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tails;
#[cfg(test)]
mod tasks;
#[cfg(test)]
mod tools;
