"""scripts/bench: headwind side by side with other proxies, and what it promises of itself."""
