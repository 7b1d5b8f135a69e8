"""Pictures of client stores: what their examples look like, and how they are split across clients."""
