//! The gateway: debates over gRPC and REST, events as streams, and the port of operators.
//!
//! [`Gateway`] listens; every call passes the same door ([`AuthConfig`]), is one operation over the process's node and
//! stores, and fails in the same words and details over either interface ([`Problem`]). [`Admin`] is for probes and metrics.
//!
//! Invariant: a gateway keeps no state of debates. Whatever it answers comes from the log, the registers of requests and
//! orders, or, for lists, from the catalogue; any other gateway answers the same.

mod admin;
mod api;
mod auth;
mod cluster_metrics;
mod config;
mod error;
mod gateway;
mod grpc;
mod health;
mod net;
mod pages;
mod rest;

pub use admin::{Admin, AdminError, AdminPorts};
pub use agon_eval::EVAL_LABEL;
pub use agon_telemetry::{ClusterFigures, DebateFigures, StreamFigures};
pub use api::{Api, CallContext, ClusterOverview, CoordinatorLoad, WatchPlace, WatchStep, WatchStream, WholeLog};
pub use auth::{
    AuthConfig, AuthStartError, Caller, CertificateAuth, CertificateName, CertificateTenant, CredentialHealth,
    JwksPlace, JwksSource, JwtAuth, Scope, Stay, TokenFile, TokenLineError, new_token, token_line,
};
pub use config::{GatewayConfig, GatewayPorts, GatewayTimes, RequestLimits};
pub use error::{ERROR_DOMAIN, EvalProblem, Problem, Violation};
pub use gateway::{Addresses, Gateway, GatewayError};
pub use health::{ListenerGate, ROOM_SERVICE, StoreNeed};
pub use net::{ConnectionLimits, SitePolicy, TlsConfig, TlsError};
pub use pages::{Door, PagePorts, SitePages, call_id};
