cmake -B build -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH="$HOME/ashlar"
cmake --build build
build/mine
