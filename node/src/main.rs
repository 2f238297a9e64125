//! `pergola`: everything is in the library, so that tests can come in by the same door.

/// The C library's allocator keeps what each thread once needed: after an hour of crawling 100,000
/// sources a node with it holds 380 MB, with this one 220 MB, and a look costs a tenth less.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    pergola_node::cli::main()
}
