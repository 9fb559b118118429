#include <ashlar/blas1/blas1.hpp>
#include <ashlar/device/probes/bandwidth.hpp>

#include "instrumentation/expect.hpp"

namespace ashlar::testing {
namespace {

constexpr std::int64_t n = 1000;

class Blas1Conduct : public ::testing::Test {
 protected:
  const Exec exec = other_instance();
  const Vector x = test_vector("x", n), y = test_vector("y", n);
  const Real a{"test::a"};
};

TEST_F(Blas1Conduct, Dot) {
  expect_enqueued(exec, [&] { dot(exec, x, y, a); });
}

TEST_F(Blas1Conduct, Norm2) {
  expect_enqueued(exec, [&] { norm2(exec, x, a); });
}

TEST_F(Blas1Conduct, ValuesOnTheHost) {
  expect_kept(exec, Promise::waits, [&] { return dot(exec, x, y); });
  expect_kept(exec, Promise::waits, [&] { return norm2(exec, x); });
}

TEST_F(Blas1Conduct, Axpby) {
  expect_enqueued(exec, [&] { axpby(exec, 2, x, 3, y); });
}

TEST_F(Blas1Conduct, DotInScratchMemoryOfTheCallers) {
  const TeamSums<Space> sums(exec);
  exec.fence();
  expect_enqueued(exec, [&] { dot(exec, x, y, sums.access(), a.data()); });
}

TEST_F(Blas1Conduct, Bandwidth) {
  expect_kept(exec, Promise::waits, [&] { return measure_read_bandwidth(exec, 1 << 20); });
  expect_kept(exec, Promise::waits, [&] { return measure_copy_bandwidth(exec, 1 << 20); });
}

}  // namespace
}  // namespace ashlar::testing
