#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/execution_spaces.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <ashlar/distributed/impl/device_sums.hpp>
#include <memory>

namespace ashlar::impl {

template <execution_space Exec>
std::unique_ptr<DeviceSums<Exec>> make_device_sums(const Exec& exec, const Communicator& comm, ExchangeMode mode,
                                                   double time_out_seconds) {
  if (mode == ExchangeMode::kernel) {
    comm.together([&] { check_time_out("distributed_space", time_out_seconds); });
    return std::make_unique<PeerSums<Exec>>(exec, comm, time_out_seconds);
  }
  const StreamMessages streams = find_stream_messages(comm, memory_kind_of<typename Exec::memory_space>);
  if (!streams.work) {
    throw ArgumentError("distributed_space: sums in the order of streams", streams.why, "send them as messages");
  }
  const std::shared_ptr<StreamTransport>& own = comm.own_streams();
  return comm.together([&] { return std::make_unique<StreamSums<Exec>>(exec, own, comm.size()); });
}

#define ASHLAR_SUMS_OF(Exec) \
  template std::unique_ptr<DeviceSums<Exec>> make_device_sums(const Exec&, const Communicator&, ExchangeMode, double);
ASHLAR_FOR_EACH_EXECUTION_SPACE(ASHLAR_SUMS_OF)
#undef ASHLAR_SUMS_OF

}  // namespace ashlar::impl
