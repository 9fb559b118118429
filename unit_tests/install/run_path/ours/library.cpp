int number_elsewhere();
int number() { return number_elsewhere() + 2; }
