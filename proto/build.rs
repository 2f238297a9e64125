//! Compiles the contract with protox, so that nobody needs `protoc`.

const ADMIN: &str = "pergola/v1/admin.proto";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=pergola");
    let files = protox::compile(["pergola/v1/syndication.proto", ADMIN], ["."])?;
    let mut builder = tonic_prost_build::configure();
    // What the REST API answers is read into these, so there is one place that knows how to answer.
    let admin = files.file.iter().filter(|file| file.name() == ADMIN);
    for message in admin.flat_map(|file| &file.message_type) {
        let path = format!(".pergola.v1.{}", message.name());
        builder = builder.type_attribute(&path, "#[derive(serde::Deserialize)]");
        builder = builder.type_attribute(&path, "#[serde(default)]");
    }
    builder.compile_fds(files)?;
    Ok(())
}
