//! Containers: the image that `deploy/` makes, and a mesh of seven nodes on a Docker engine.
//!
//! Everything is removed when its test ends, also after a failure, and has unique names, so that several runs can
//! share an engine.

mod engine;
mod image;
mod mesh;
mod project;
