start_node
pergola feed create 'CREATE FEED Volcanoes AS RETURN "https://volcanoes.example.org/rss";'
