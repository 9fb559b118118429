#include "support/thread_ranks.hpp"

#include <exception>
#include <numeric>
#include <thread>
#include <vector>

#include "support/thread_ranks_transport.hpp"
#include "support/thread_ranks_turn.hpp"

namespace ashlar::testing {

void let_others_run(std::chrono::microseconds duration) {
  thread_ranks::Turn::end();
  std::this_thread::sleep_for(duration);  // a yield alone may give the turn back at once
  thread_ranks::Turn::take();
}

void run_ranks(int ranks, const std::function<void(Communicator&)>& work, const ThreadRanksOptions& options) {
  using namespace thread_ranks;
  const auto job = std::make_shared<Job>(ranks, options);
  std::vector<int> everyone(static_cast<std::size_t>(ranks));
  std::iota(everyone.begin(), everyone.end(), 0);
  const auto group = std::make_shared<Group>(job, everyone);

  std::vector<std::exception_ptr> causes(everyone.size()), consequences(everyone.size());
  {
    std::vector<std::jthread> threads;
    for (const int rank : everyone) {
      threads.emplace_back([&, rank] {
        const auto place = static_cast<std::size_t>(rank);
        Turn::take();
        try {
          Communicator comm(make_transport(group, rank));
          work(comm);
        } catch (const RankHasLeft&) {
          consequences[place] = std::current_exception();
        } catch (...) {
          causes[place] = std::current_exception();
        }
        job->leave(rank);
        Turn::end();
      });
    }
  }
  for (const auto& failures : {causes, consequences}) {
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
  }
}

}  // namespace ashlar::testing
