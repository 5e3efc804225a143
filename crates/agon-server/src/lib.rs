//! The gateway: gRPC, REST and the admin port; the wiring of roles.
