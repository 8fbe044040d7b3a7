"""What scripts/measure and scripts/bench share: child processes, the daemon, its peers, reports."""
