ln -s "$WORKSPACE/proto" proto
