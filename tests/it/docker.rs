//! Containers: the image that `deploy/` makes, and a mesh of seven nodes on a Docker engine.
//!
//! Everything here is torn down when its test ends, however it ends, and has names of its own, so that
//! several runs can share an engine.

mod engine;
mod image;
mod mesh;
mod project;
