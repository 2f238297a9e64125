//! What goes wrong at sources, in queries and at the start: each is said clearly and counted, and
//! nothing else is touched by it.

mod sources;
mod start;
