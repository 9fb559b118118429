#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/distributed/rank_speed.hpp>
#include <cg_ranks/operator.hpp>
#include <cg_ranks/shared.hpp>
#include <numeric>
#include <utility>

namespace ashlar::perf {

namespace {

std::vector<std::int64_t> rows_of(const RowPartition& partition) {
  std::vector<std::int64_t> rows;
  for (int part = 0; part < partition.num_parts(); ++part) rows.push_back(partition.size(part));
  return rows;
}

/// By what each rank did in the time that it did not idle; one without blocks nothing. What messages cost is not
/// counted besides, as it is to be shown what sharing brings, even where it brings nothing.
std::vector<double> next_shares(const RanksTimes& times) {
  std::vector<RankSpeed> speeds;
  for (std::size_t rank = 0; rank < times.blocks.size(); ++rank) {
    const double busy_us = std::max(times.busy_us[rank], 0.01 * times.us);  // of less, noise alone
    speeds.push_back(speed_by_busy_time(times.blocks[rank], 1e-6 * busy_us));
  }
  return share_by_speed(std::accumulate(times.blocks.begin(), times.blocks.end(), 0.0), speeds).shares;
}

/// Throws   ArgumentError where there is no time to go by.
RanksTimes timed(RanksTimes times) {
  if (times.no_time) throw *times.no_time;
  return times;
}

}  // namespace

template <class Exec>
std::vector<SharedTimes> measure_shared(const Exec& exec, const Communicator& comm, bool on_host,
                                        const std::string& name, const RanksForm& form, int refinements, int samples,
                                        const std::vector<int>& iterations, Timelines* timelines,
                                        int trace_iterations) {
  std::vector<SharedTimes> result;
  const Communicator alike = comm.split(on_host ? 1 : 0, comm.rank());
  const bool is_streamed = form.distributed.streaming.has_value();
  if (!on_host) {
    const RankSystem<Exec> system = make_rank_system(exec, alike, name, is_streamed);
    const auto measure_alone = [&](const char* partition, const RanksForm& how) {
      result.push_back(
          {partition, timed(measure(exec, alike, system, how, samples, iterations)), rows_of(system.partition)});
    };
    measure_alone("devices alone", form);
    if (is_gpu_v<Exec> && is_streamed && alike.is_alone()) {
      const auto measure_planned = [&](const char* partition, double most_host_share) {
        RanksForm as_planned = form;
        as_planned.distributed.streaming = planned(exec, system, *form.distributed.streaming, most_host_share);
        measure_alone(partition, as_planned);
      };
      measure_planned("device alone, planned", 0);
      measure_planned("device and its host, planned", 1);
    }
  }
  // (Rank 0 tells; what the others know of these is not looked at.)
  comm.barrier();

  std::vector<double> shares;
  for (int refined = 0; refined <= refinements; ++refined) {
    const RankSystem<Exec> system = make_rank_system(exec, comm, name, is_streamed, shares);
    SharedTimes times{refined == 0 ? "nnz" : text("refined ", refined),
                      timed(measure(exec, comm, system, form, samples, iterations)), rows_of(system.partition)};
    if (timelines != nullptr) {
      timelines->add(exec, system, form, text(form.name(), ", ", times.partition), trace_iterations);
    }
    shares = next_shares(times.times);
    result.push_back(std::move(times));
  }
  return result;
}

template std::vector<SharedTimes> measure_shared(const HostExec&, const Communicator&, bool, const std::string&,
                                                 const RanksForm&, int, int, const std::vector<int>&, Timelines*, int);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template std::vector<SharedTimes> measure_shared(const Exec&, const Communicator&, bool, const std::string&,
                                                 const RanksForm&, int, int, const std::vector<int>&, Timelines*, int);
#endif

}  // namespace ashlar::perf
