#include "support/thread_ranks.hpp"

#include <exception>
#include <numeric>
#include <thread>
#include <vector>

#include "support/thread_ranks_transport.hpp"

namespace ashlar::testing {

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
        try {
          Communicator comm(make_transport(group, rank));
          work(comm);
        } catch (const RankHasLeft&) {
          consequences[place] = std::current_exception();
        } catch (...) {
          causes[place] = std::current_exception();
        }
        job->leave(rank);
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
