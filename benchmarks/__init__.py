"""What is claimed about speed: ratios within one run."""
