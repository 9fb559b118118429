// What the command does about the process that it is: how its threads wait, and the limits that it has.
#include <gmock/gmock.h>

#include <Kokkos_Macros.hpp>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace ashlar::testing {

namespace {

using ::testing::HasSubstr;

class Process : public CommandTest {
 protected:
  /// The spins of a thread before it sleeps, as GCC's OpenMP tells them when it is loaded: the last time it was.
  static std::string spin_count(const std::string& err) {
    const std::string name = "GOMP_SPINCOUNT = '";
    const std::size_t at = err.rfind(name);
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size();
    return err.substr(begin, err.find('\'', begin) - begin);
  }

  /// What comes before the command to run it with \p kib KiB of addresses. The allocator has one arena: of glibc's,
  /// each thread may have one of 64 MiB of addresses or none, as it comes, and the same limit is enough in one run
  /// only.
  static std::string with_limit(int kib) { return "ulimit -v " + std::to_string(kib) + "; MALLOC_ARENA_MAX=1"; }

  /// KiB of addresses with which a small system is solved, in some MiB more than it takes.
  int least_limit() const {
    int failing = 0, enough = 1 << 21;
    while (enough - failing > 8000) {
      const int limit = (failing + enough) / 2;
      const CommandResult result = run("solve --problem cantilever --nodes 4 --no-probe", with_limit(limit));
      (result.exit_code == 0 ? enough : failing) = limit;
    }
    return enough;
  }
};

/// Threads that spin while they wait take the processors of those that work.
TEST_F(Process, ThreadsWaitPassivelyUnlessToldOtherwise) {
#ifndef KOKKOS_ENABLE_OPENMP
  GTEST_SKIP() << "no OpenMP in this build";
#endif
  const std::string none = "env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT OMP_DISPLAY_ENV=verbose ";
  const CommandResult untold = run("--version", none);
  EXPECT_EQ(untold.exit_code, 0);
  EXPECT_THAT(untold.out, HasSubstr("ashlar "));
  if (spin_count(untold.err).empty()) GTEST_SKIP() << "not GCC's OpenMP";
  EXPECT_EQ(spin_count(untold.err), "0");
  EXPECT_EQ(spin_count(run("--version", none + "GOMP_SPINCOUNT=1234").err), "1234");
  EXPECT_NE(spin_count(run("--version", none + "OMP_WAIT_POLICY=active").err), "0");
}

#ifndef __SANITIZE_ADDRESS__  // whose shadow of the memory is larger than any limit

/// `ulimit -v` is a limit of memory like that of the machine, and told beforehand.
TEST_F(Process, LimitOfAddressesIsToldBeforehand) {
  // The matrix alone has 97^3 blocks of 6 x 6: 266 MB.
  const std::string solve = "solve --problem cantilever --nodes 33 --dof 6 --report r.json --max-iterations 1";
  expect_refused(solve, {"33 x 33 x 33 nodes", " needs ", " are available"}, with_limit(least_limit() + 100000));
}

/// OpenMP would end the program with a line of its own.
TEST_F(Process, ThreadsThatCannotBeStartedAreToldInOneLine) {
#ifndef KOKKOS_ENABLE_OPENMP
  GTEST_SKIP() << "no OpenMP in this build";
#endif
  // Each thread has a stack of 4 GB, of 2 that there are.
  const CommandResult result =
      run("solve --problem cantilever --nodes 4 --no-probe", "ulimit -s 4000000; ulimit -v 2000000; OMP_NUM_THREADS=3");
  EXPECT_EQ(result.exit_code, 1);
  expect_message(result.err, {"thread 1 of 2 cannot be started", "OMP_NUM_THREADS"});
}

/// However small the limit is: what the check of memory does not know of is one line all the same.
TEST_F(Process, AllocationsThatFailAreToldInOneLine) {
  const int least = least_limit();
  for (int limit = least; limit < least + 75000; limit += 5000) {
    SCOPED_TRACE(limit);
    const CommandResult result =
        run("solve --problem cantilever --nodes 26 --max-iterations 3 --no-probe --stream on --transfer half "
            "--vtk v.vtu --trace t.json",
            with_limit(limit));
    if (result.exit_code == 2) continue;  // it stops after 3 iterations
    EXPECT_EQ(result.exit_code, 1);
    expect_message(result.err, {});
    EXPECT_EQ(result.err.find("report"), std::string::npos) << result.err;
  }
}

/// Which leaves less room than its usual array takes, whatever the size of the processor's last cache.
TEST_F(Process, ProbeKeepsToTheLimitOfAddresses) {
  const CommandResult result =
      run("solve --problem cantilever --nodes 4 --report r.json", with_limit(least_limit() + 60000));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(read_file(folder() / "r.json"));
  EXPECT_GT(json["read_bandwidth_gb_s"].get<double>(), 0);
}

#endif

}  // namespace

}  // namespace ashlar::testing
