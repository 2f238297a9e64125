cp "$WORKSPACE/deploy/mesh/mesh.toml" mesh.toml
# What a friend has sent.
cat > friend.json <<MESH
{"sources": [{"name": "Island", "url": "https://island.example.org/rss", "keywords": ["volcano", "ash"], "items_per_day": 2}],
 "feeds": [{"name": "Ash", "node": "friend", "keywords": ["ash", "volcano"]}]}
MESH
start_node
pergola feed create 'CREATE FEED Volcanoes AS RETURN "https://volcanoes.example.org/rss";'
