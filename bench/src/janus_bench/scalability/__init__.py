"""How time, memory and quality grow with columns and with rows, beside the paper's table and sequential CART."""
