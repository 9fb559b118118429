#include <cstdio>

int number();
int main() { std::printf("%d", number()); }
