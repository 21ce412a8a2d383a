//! What the operator of the server can do, from the same machine and with the rights to the data folder, and what
//! there is to see.

pub mod client;
pub mod collection_draft;
pub mod credit_id;
pub mod decimal;
pub mod listener;
pub mod page;
pub mod request;
