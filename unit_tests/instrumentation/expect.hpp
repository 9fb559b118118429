#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "support/watcher.hpp"

namespace ashlar::testing {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Matrix = BcsrMatrix<double>;
using Vector = Kokkos::View<double*, Space>;
using Real = Kokkos::View<double, Space>;

inline const Vector test_vector(const std::string& name, std::int64_t n, double value = 1) {
  const Vector result("test::" + name, n);
  Kokkos::deep_copy(result, value);
  return result;
}

/// Runs `call` on `exec` and fails where it breaks a promise. What it returns is freed unwatched. It has to run a
/// kernel or copy something: a call that does nothing keeps every promise.
template <class Call>
void expect_kept(const Exec& exec, Promise promise, const Call& call) {
  exec.fence();
  const Watcher watcher;
  if constexpr (std::is_void_v<std::invoke_result_t<Call>>) {
    call();
    EXPECT_THAT(faults(watcher.seen(), exec, promise), ::testing::IsEmpty());
  } else {
    [[maybe_unused]] const auto result = call();
    EXPECT_THAT(faults(watcher.seen(), exec, promise), ::testing::IsEmpty());
  }
  EXPECT_FALSE(kernels(watcher).empty() && labels(watcher.seen(), Happening::Kind::copy).empty()) << "nothing was run";
}

/// The same for what enqueues (or sends): run twice, and the second time nothing may be allocated.
template <class Call>
void expect_enqueued(const Exec& exec, const Call& call, Promise promise = Promise::enqueues) {
  expect_kept(exec, promise, call);
  exec.fence();
  const Watcher watcher;
  call();
  EXPECT_THAT(faults(watcher.seen(), exec, promise), ::testing::IsEmpty());
  EXPECT_THAT(allocations(watcher), ::testing::IsEmpty());
}

}  // namespace ashlar::testing
