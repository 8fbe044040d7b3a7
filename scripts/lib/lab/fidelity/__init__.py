"""Headwind's paths held against real TCP over an emulated link, as linklab measures both."""
