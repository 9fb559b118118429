#pragma once

#include <ashlar/host/processors.hpp>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace ashlar::io {

/// Calls work(0) to work(parts - 1), each on a thread of its own. Plain threads, so that files can be read before
/// Kokkos is initialised.
///
/// Throws   what the first part that failed, in the order of the parts, has thrown: the same one every time.
template <class Work>
void in_parallel(std::size_t parts, const Work& work) {
  std::vector<std::exception_ptr> failures(parts);
  const auto guarded = [&](std::size_t part) {
    try {
      work(part);
    } catch (...) {
      failures[part] = std::current_exception();
    }
  };
  const Processors processors = Processors::of_process();
  const auto elsewhere = [&](std::size_t part) {
    processors.take();
    guarded(part);
  };
  std::vector<std::thread> threads;
  threads.reserve(parts);
  for (std::size_t part = 1; part < parts; ++part) {
    try {
      threads.emplace_back(elsewhere, part);
    } catch (...) {  // No more threads, or no memory for one: this one does the work.
      guarded(part);
    }
  }
  if (parts > 0) guarded(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace ashlar::io
