#include "require_threads.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstddef>
#include <latch>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace ashlar::app {

void require_threads(int count) {
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  // (All at once: one that has ended leaves its place to the next.)
  std::latch all_there(1);
  std::string why;
  try {
    for (int i = 0; i < count; ++i) threads.emplace_back([&all_there] { all_there.wait(); });
  } catch (const std::system_error& error) {
    why = error.what();
  }
  all_there.count_down();
  const std::size_t started = threads.size();
  threads.clear();
  if (why.empty()) return;
  throw Error(text("thread ", started + 1, " of ", count, " cannot be started beside the first"),
              text(why, ": limits of the process or of the machine do not allow it"),
              "raise ulimit -v or ulimit -u, lower ulimit -s, or set OMP_NUM_THREADS to fewer");
}

}  // namespace ashlar::app
