cmake --preset openmp -B build/library -D ASHLAR_ENABLE_TESTS=OFF -D ASHLAR_ENABLE_PERF_TESTS=OFF
cmake --build build/library
cmake --install build/library --prefix "$HOME/ashlar"
