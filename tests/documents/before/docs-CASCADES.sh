cp "$WORKSPACE/deploy/mesh/mesh.toml" mesh.toml
ln -s "$WORKSPACE/deploy" deploy
