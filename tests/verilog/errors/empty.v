// Nothing is defined here.
