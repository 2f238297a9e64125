# The page is read in the folder of a mesh.
cp "$WORKSPACE/deploy/mesh/mesh.toml" .
mkdir secrets
printf 'a token\n' > secrets/airports.token
