//! Progress messages of what takes longer than a second.

/// The callback for progress messages, one line each.
pub type ProgressCallback<'a> = &'a dyn Fn(&str);
