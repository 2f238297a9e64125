start_node
pergola backup pergola.backup
