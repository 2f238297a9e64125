# The page is read in the folder deploy/.
cp -r "$WORKSPACE/deploy/mesh" "$WORKSPACE/deploy/pergola.service" .
