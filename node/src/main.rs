//! `pergola`: everything is in the library, so that tests can come in by the same door.

/// With the C library's allocator a node that has crawled 100,000 sources was seen to hold 380 MB, with
/// this one 220 to 230 MB (`pergola bench scale`). It is not the default because building it takes `make`.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    pergola_node::cli::main()
}
