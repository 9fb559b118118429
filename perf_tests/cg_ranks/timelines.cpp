#include <ashlar/base/text.hpp>
#include <ashlar/trace/recorder.hpp>
#include <cg_ranks/operator.hpp>
#include <cg_ranks/solve.hpp>
#include <cg_ranks/timelines.hpp>
#include <sstream>
#include <utility>

namespace ashlar::perf {

template <class Exec>
void Timelines::add(const Exec& exec, const RankSystem<Exec>& system, const RanksForm& form, const std::string& name,
                    int iterations) {
  const OperatorOn<Exec> op = make_operator(exec, comm_, system, form.distributed);
  const VectorOn<Exec> x("perf::x", system.b.extent(0));
  const CgOptions options{.rtol = 0, .max_iterations = iterations, .launch = form.launch, .x_update = form.x_update};
  solve(exec, comm_, op, system.b, x, options);
  comm_.barrier();
  const trace::Recorder recorder;
  solve(exec, comm_, op, system.b, x, options);
  const trace::Process process{text(system.name, ", ", name, ", rank ", comm_.rank()), recorder.spans(),
                               recorder.tracks()};
  // Ranks of a form below each other.
  const std::size_t number = events_.size() * std::size_t(comm_.size()) + std::size_t(comm_.rank());
  events_.push_back(trace::chrome_events({process}, number));
}

std::string Timelines::json() const {
  std::vector<std::string> all;
  for (const std::string& mine : events_) {
    std::vector<std::vector<char>> to(static_cast<std::size_t>(comm_.size()));
    to[0].assign(mine.begin(), mine.end());
    for (const auto& of_rank : comm_.all_to_all(to)) all.emplace_back(of_rank.begin(), of_rank.end());
  }
  if (comm_.rank() != 0) return {};
  std::ostringstream out;
  trace::join_chrome_events(out, all);
  return std::move(out).str();
}

template void Timelines::add(const HostExec&, const RankSystem<HostExec>&, const RanksForm&, const std::string&, int);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template void Timelines::add(const Exec&, const RankSystem<Exec>&, const RanksForm&, const std::string&, int);
#endif

}  // namespace ashlar::perf
