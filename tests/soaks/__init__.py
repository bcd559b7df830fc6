"""Long tests of what the product promises, one module per part."""
