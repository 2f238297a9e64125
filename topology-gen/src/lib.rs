//! Meshes from their files to a running system: reads what sources publish and what feeds want, has
//! `pergola-wiring` decide who subscribes to whom, describes and draws the result, writes a folder that
//! starts it, and asks the nodes of a running mesh what they read.
//!
//! The same input gives the same output on every machine, except for the tokens of a bundle and the answers
//! of running nodes.
//!
//! # Modules, from the bottom up
//!
//! - `count`: counts as text: `1 feed`, `2 feeds`
//! - `names`: suggestions for a wrong name, and an unused name in place of one that is taken
//! - `file`: reads text files; errors name the file
//! - `folder`: writes a folder that appears whole or not at all
//! - `power_law`: fits a power law to the tail of a distribution
//! - `forest`: for each feed the subscription that carries most
//! - `hosts`: puts feeds on nodes
//! - `stats`: a graph in numbers
//! - `draw`: pictures of graphs
//! - `mesh_file`: reads meshes from TOML and JSON
//! - `graph_file`: reads and writes graphs
//! - `observe`: asks the nodes of a running mesh and makes a graph of the answers
//! - `bundle`: writes the configurations of a mesh and what starts it

pub mod bundle;
mod count;
pub mod draw;
pub mod file;
pub mod folder;
pub mod forest;
pub mod graph_file;
pub mod hosts;
pub mod mesh_file;
mod names;
pub mod observe;
pub mod power_law;
pub mod stats;
