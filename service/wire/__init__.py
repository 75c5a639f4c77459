"""What goes over the wire: the request and response bodies of every door, checked at the edge."""
