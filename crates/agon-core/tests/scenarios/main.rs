//! Debates held with given answers, and the worked numbers of the guide.
#[cfg(test)]
mod agreement;
#[cfg(test)]
mod at_once;
#[cfg(test)]
mod ballots;
#[cfg(test)]
mod breakers;
#[cfg(test)]
mod budget;
#[cfg(test)]
mod combinations;
#[cfg(test)]
mod course;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod gates;
#[cfg(test)]
mod hold;
#[cfg(test)]
mod interrupted;
#[cfg(test)]
mod judging;
#[cfg(test)]
mod likeness;
#[cfg(test)]
mod losses;
#[cfg(test)]
mod lost_proposals;
#[cfg(test)]
mod mediating;
#[cfg(test)]
mod orders;
#[cfg(test)]
mod page;
#[cfg(test)]
mod scoring;
#[cfg(test)]
mod stopping;
#[cfg(test)]
mod summaries;
