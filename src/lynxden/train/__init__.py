"""Self-play training on a GPU: the extra `lynxden[train]`. Nothing else in the package needs PyTorch."""
