//! The embedded market that the demo and the tests run on.
