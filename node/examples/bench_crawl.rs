//! temporary
use clap::Parser;
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: pergola_node::bench::crawl::Args,
}
fn main() -> anyhow::Result<()> {
    if let Some(report) = pergola_node::bench::crawl::run(&Cli::parse().args)? {
        println!("{report}");
    }
    Ok(())
}
