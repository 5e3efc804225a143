//! Tests of the model clients against servers made of exact bytes.

#[cfg(test)]
mod access;
#[cfg(test)]
mod bounds;
#[cfg(test)]
mod contract;
#[cfg(test)]
mod corrections;
#[cfg(test)]
mod ends;
#[cfg(test)]
mod framing;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod known;
#[cfg(test)]
mod metadata;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod stub;
#[cfg(test)]
mod timing;
#[cfg(test)]
mod withheld;
#[cfg(test)]
mod within;
