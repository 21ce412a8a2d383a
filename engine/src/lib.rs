//! The matching engine: one actor per collection group around the pure state machines of the domain.

pub mod journal;
