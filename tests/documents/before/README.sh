# What the reader has: an export of another reader.
cat > subscriptions.opml <<LIST
<opml version="2.0"><body><outline text="Tech"><outline text="Island" xmlUrl="$SITE/island.example.org/rss"/></outline></body></opml>
LIST
cp "$WORKSPACE/deploy/mesh/mesh.toml" mesh.toml
