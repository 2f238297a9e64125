//! Failures at sources, in queries and at the start: each is reported clearly and counted, and affects nothing
//! else.

mod sources;
mod start;
