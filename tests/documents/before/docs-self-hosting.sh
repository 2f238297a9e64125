# What the reader has: exports of another reader, and files with a password and a header.
list() { printf '<opml version="2.0"><body><outline text="%s" xmlUrl="%s"/></body></opml>\n' "$1" "$SITE/$2"; }
list Island island.example.org/rss > subscriptions.opml
list More more.example.org/rss > more.opml
printf 'a secret of bob\n' > bob.txt
printf 'X-Token: abc\n' > token.txt
