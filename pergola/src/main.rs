//! `pergola`: everything is in the library, so that tests can come in by the same door.

/// A node has a dozen threads that free what others have allocated, which the C library's allocator pays for
/// with locks and with memory that it does not give back: with it, 100,000 sources took half as much again
/// (`pergola bench scale`), and every refresh a tenth more time (`pergola bench crawl`).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    pergola_commands::cli::main()
}
