#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <string>

#include "support/watcher.hpp"

namespace ashlar::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Vector = Kokkos::View<double*, Space>;

void run_kernel(const Exec& exec, const std::string& label) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, 10), KOKKOS_LAMBDA(int){});
}

void reduce_to_host(const Exec& exec, const std::string& label) {
  double sum = 0;
  Kokkos::parallel_reduce(
      label, Kokkos::RangePolicy<Exec>(exec, 0, 10), KOKKOS_LAMBDA(int, double& s) { s += 1; }, sum);
}

/// Tells the tools of a kernel on an instance that is not there: on the host all instances of a backend have one
/// number.
void pretend_kernel(std::uint32_t device_id) {
  std::uint64_t id = 0;
  Kokkos::Tools::beginParallelFor("ashlar::pretend", device_id, &id);
  Kokkos::Tools::endParallelFor(id);
}

void pretend_copy(const std::string& to, const std::string& from) {
  const auto space = [](const std::string& name) { return Kokkos::Tools::make_space_handle(name.c_str()); };
  Kokkos::Tools::beginDeepCopy(space(to), "ashlar::to", nullptr, space(from), "ashlar::from", nullptr, 8);
  Kokkos::Tools::endDeepCopy();
}

TEST(Watcher, GoodConductHasNoFaults) {
  const Exec exec = other_instance();
  const Vector x("test::x", 10), y("ashlar::y", 10);
  reduce_to_host(exec, "ashlar::warm up");
  exec.fence();
  const Watcher watcher;
  {
    const Kokkos::Profiling::ScopedRegion region("ashlar::region");
    run_kernel(exec, "ashlar::kernel");
    Kokkos::deep_copy(exec, y, x);
    Kokkos::deep_copy(exec, y, 1.0);
  }
  EXPECT_THAT(faults(watcher.seen(), exec, Promise::enqueues), IsEmpty());
  EXPECT_EQ(labels(watcher.seen(), Happening::Kind::copy).size(), 2u);
  reduce_to_host(exec, "ashlar::reduce");
  exec.fence("ashlar::fence");
  EXPECT_THAT(faults(watcher.seen(), exec, Promise::waits), IsEmpty());
  EXPECT_THAT(fences(watcher), ::testing::Contains("ashlar::fence"));
}

TEST(Watcher, CatchesAKernelOnAnotherInstance) {
  const Exec exec = other_instance();
  const Watcher watcher;
  pretend_kernel(Kokkos::Tools::Experimental::device_id(exec) + 1);
  for (const Promise promise : {Promise::enqueues, Promise::allocates, Promise::waits, Promise::on_host}) {
    EXPECT_THAT(faults(watcher.seen(), exec, promise), ElementsAre(HasSubstr("another instance")));
  }
}

TEST(Watcher, CatchesTheDefaultInstanceWhereInstancesHaveNumbers) {
  const Exec exec = other_instance();
  if (Kokkos::Tools::Experimental::device_id(exec) == Kokkos::Tools::Experimental::device_id(Exec())) {
    GTEST_SKIP() << Exec::name() << " gives one number to all its instances";
  }
  const Watcher watcher;
  run_kernel(Exec(), "ashlar::kernel");
  EXPECT_THAT(faults(watcher.seen(), exec, Promise::waits), ElementsAre(HasSubstr("another instance")));
}

TEST(Watcher, CatchesLabelsThatAreNobodys) {
  const Exec exec = other_instance();
  const Watcher watcher;
  run_kernel(exec, "kernel");
  run_kernel(exec, "");
  { const Kokkos::Profiling::ScopedRegion region("region"); }
  const auto found = faults(watcher.seen(), exec, Promise::waits);
  EXPECT_THAT(found,
              ElementsAre(HasSubstr("kernel without"), HasSubstr("kernel without"), HasSubstr("region without")));
}

TEST(Watcher, CatchesAnAnonymousAllocation) {
  const Exec exec = other_instance();
  const Watcher watcher;
  const Vector anonymous(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing), 10);
  const Vector named(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::named"), 10);
  const auto found = faults(watcher.seen(), exec, Promise::on_host);
  EXPECT_THAT(found, ::testing::Contains(HasSubstr("allocation without")).Times(1));
  EXPECT_THAT(allocations(watcher), ElementsAre("", "ashlar::named"));
}

TEST(Watcher, CatchesACopyOfAnonymousViews) {
  const Exec exec = other_instance();
  const Vector anonymous("", 10), another("", 10);
  const Watcher watcher;
  Kokkos::deep_copy(exec, another, anonymous);
  EXPECT_THAT(faults(watcher.seen(), exec, Promise::waits), ElementsAre(HasSubstr("copy without")));
}

TEST(Watcher, CatchesKokkosFreeingMemoryWhereNothingIsAllocated) {
  const Exec exec = other_instance();
  const Watcher watcher;
  { const Vector scratch(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::scratch"), 10); }
  const auto fenced = fences(watcher).size();
  EXPECT_EQ(faults(watcher.seen(), exec, Promise::enqueues).size(), fenced);
  EXPECT_THAT(faults(watcher.seen(), exec, Promise::allocates), IsEmpty());
}

TEST(Watcher, CatchesGlobalFences) {
  const Exec exec = other_instance();
  const Watcher watcher;
  Kokkos::fence("ashlar::everything");
  const auto found = faults(watcher.seen(), exec, Promise::waits);
  EXPECT_THAT(found, ::testing::Each(HasSubstr("global fence")));
  EXPECT_GE(found.size(), 1u);
}

TEST(Watcher, CatchesAFenceWhereNoneWasPromised) {
  const Exec exec = other_instance();
  const Watcher watcher;
  exec.fence("ashlar::fence");
  EXPECT_THAT(faults(watcher.seen(), exec, Promise::waits), IsEmpty());
  EXPECT_THAT(faults(watcher.seen(), exec, Promise::enqueues), ElementsAre(HasSubstr("fence")));
}

TEST(Watcher, CatchesAHiddenFence) {
  const Exec exec = other_instance();
  reduce_to_host(exec, "ashlar::warm up");
  const Watcher watcher;
  reduce_to_host(exec, "ashlar::reduce");
  const auto found = faults(watcher.seen(), exec, Promise::enqueues);
  EXPECT_THAT(found, ::testing::Each(HasSubstr("fence")));
  EXPECT_GE(found.size(), 1u);  // GPUs fence twice
}

TEST(Watcher, CatchesACopyBetweenMemorySpaces) {
  const Exec exec = other_instance();
  const Watcher watcher;
  pretend_copy("Cuda", "Host");
  EXPECT_THAT(faults(watcher.seen(), exec, Promise::waits), IsEmpty());
  EXPECT_THAT(faults(watcher.seen(), exec, Promise::enqueues), ElementsAre(HasSubstr("between memory spaces")));
}

TEST(Watcher, PutsBackTheCallbacksThatWereThere) {
  const auto before = Kokkos::Tools::Experimental::get_callbacks();
  {
    const Watcher watcher;
    EXPECT_NE(Kokkos::Tools::Experimental::get_callbacks().begin_parallel_for, before.begin_parallel_for);
  }
  EXPECT_EQ(Kokkos::Tools::Experimental::get_callbacks().begin_parallel_for, before.begin_parallel_for);
  EXPECT_EQ(Kokkos::Tools::Experimental::get_callbacks().allocate_data, before.allocate_data);
}

}  // namespace
}  // namespace ashlar::testing
