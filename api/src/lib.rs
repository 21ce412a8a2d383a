//! The Lienbook server: configuration, wiring, HTTP, feed, sessions, and the web app in one binary.
