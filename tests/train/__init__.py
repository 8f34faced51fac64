"""Training, where PyTorch is installed."""
