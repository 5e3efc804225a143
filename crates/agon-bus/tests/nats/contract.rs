//! What every bus does.
agon_bus::bus_contract!(#[tokio::test], crate::servers::buses().await, std::time::Duration::from_secs(2));
