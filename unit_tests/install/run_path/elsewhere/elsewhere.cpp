int number_elsewhere() { return 40; }
