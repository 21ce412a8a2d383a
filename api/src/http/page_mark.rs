//! Marks in the extensions of a response, which middleware reads.

/// A page whose content policy names the origins that may frame it; every other response refuses all frames.
#[derive(Clone, Copy, Debug)]
pub struct Framed;

/// A page for people, which keeps its body whatever its status.
#[derive(Clone, Copy, Debug)]
pub struct Page;
