// The main of tests under mpiexec. All ranks run all tests; rank 0 reports for all.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/mpi/communicator.hpp>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "support/mpi_world.hpp"

namespace ashlar::testing {

namespace {

const Communicator* all_ranks = nullptr;

/// Failures are said at once by the rank that has them, for it may be that no other word of it is ever heard. The ranks
/// meet once at the end of each test: then a test that failed on one has failed on all.
class Merger : public ::testing::EmptyTestEventListener {
 public:
  explicit Merger(Communicator comm) : comm_(std::move(comm)), results_(static_cast<std::size_t>(comm_.size())) {
    meeting_ = comm_.gathering(&mine_, sizeof mine_, results_.data());
  }

  int num_run() const { return num_run_; }

 private:
  enum Result : char { passed, skipped, failed };

  void OnTestPartResult(const ::testing::TestPartResult& part) override {
    if (!part.failed() || comm_.rank() == 0 || is_merging_) return;
    const std::string line = text("rank ", comm_.rank(), ": ", part.file_name() ? part.file_name() : "", ":",
                                  part.line_number(), ": Failure\n", part.message(), "\n");
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
  }

  void OnTestEnd(const ::testing::TestInfo& test) override {
    const ::testing::TestResult& result = *test.result();
    mine_ = result.Failed() ? failed : result.Skipped() ? skipped : passed;
    meet(text(test.test_suite_name(), ".", test.name()));
    std::string ranks;
    for (std::size_t r = 0; r < results_.size(); ++r) {
      if (results_[r] == failed) ranks += text(ranks.empty() ? "" : ", ", r);
    }
    is_merging_ = true;
    if (!ranks.empty() && mine_ != failed) ADD_FAILURE() << "failed on rank " << ranks << ", which said why";
    is_merging_ = false;
    if (std::count(results_.begin(), results_.end(), skipped) < comm_.size()) ++num_run_;
  }

  /// Ranks that never come, since they wait in the test for one that has left it, would hold up all for ever.
  void meet(const std::string& test) {
    meeting_->start();
    const auto begin = std::chrono::steady_clock::now();
    while (!meeting_->is_done()) {
      if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(60)) {
        comm_.abort(text(test, " has ended here (", mine_ == failed ? "failed" : "passed",
                         "), and has not on another rank within 60 s"));
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    meeting_->wait();
  }

  Communicator comm_;
  char mine_ = passed;
  std::vector<char> results_;
  std::unique_ptr<Message> meeting_;
  int num_run_ = 0;
  bool is_merging_ = false;
};

}  // namespace

const Communicator& world() { return *all_ranks; }

}  // namespace ashlar::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const ashlar::MpiSession mpi;
  const ashlar::Communicator world = mpi.world();
  ashlar::testing::all_ranks = &world;
  Kokkos::ScopeGuard kokkos(argc, argv);

  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (world.rank() != 0) {
    delete listeners.Release(listeners.default_result_printer());
    GTEST_FLAG_SET(output, "");  // one file, of rank 0
  }
  auto* const merger = new ashlar::testing::Merger(world.duplicate());
  listeners.Append(merger);
  const bool failed = RUN_ALL_TESTS() != 0;
  // For CTest: a program whose every test was skipped was skipped.
  const int none = merger->num_run() == 0 ? 77 : 0;
  delete listeners.Release(merger);
  return failed ? 1 : none;
}
