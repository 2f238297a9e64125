//! Compiles the contract with protox, so that nobody needs `protoc`.

use prost::Message;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=pergola");
    let files = protox::compile(["pergola/v1/syndication.proto"], ["."])?;
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo names no folder for what is built")?;
    // Server reflection tells clients what is in here.
    std::fs::write(std::path::Path::new(&folder).join("contract.bin"), files.encode_to_vec())?;
    tonic_prost_build::configure().compile_fds(files)?;
    Ok(())
}
