//! Tools against real sockets, files and processes, good ones and bad ones.

#[cfg(test)]
mod feeds;
#[cfg(test)]
mod files;
#[cfg(test)]
mod kit;
#[cfg(test)]
mod mcp_http;
#[cfg(test)]
mod mcp_stdio;
#[cfg(test)]
mod models;
#[cfg(test)]
mod one_shot;
#[cfg(test)]
mod search;
#[cfg(test)]
mod verifiers;
