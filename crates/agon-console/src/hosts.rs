//! The cluster: hosts, models, coordinators, streams.
