# Neither Miniflux nor FreshRSS is here: files in their shapes stand for what they export.
curl() { only_checked another-machine curl "$@"; }
KEY=the-key
feed=$SITE/geology.example.org/feed.xml
list="<opml version=\"2.0\"><body><outline text=\"Earth\"><outline text=\"Geology\" xmlUrl=\"$feed\"/></outline></body></opml>"
entry() {
    printf '{"entries":[{"feed_id":1,"status":"read","starred":%s,"title":"Ash","url":"https://news.example/1",' "$1"
    printf '"published_at":"2026-11-01T08:00:00Z","feed":{"feed_url":"%s","title":"Geology"}}]}\n' "$feed"
}
echo "$list" | tee miniflux.opml subscriptions.opml > feeds.opml.xml
entry true > starred.json
entry false > read.json
command "$PYTHON" -m zipfile -c freshrss.zip feeds.opml.xml starred.json
