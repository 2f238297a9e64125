//! `pergola`: everything is in the library, so that tests can come in by the same door.

fn main() -> std::process::ExitCode {
    pergola_node::cli::main()
}
