print("headwind")
