#include <Kokkos_Core.hpp>
#include <halo/peers/raw_mpi.hpp>

namespace ashlar::perf {

// (MPI's own handler of errors ends the job.)

RawMpi::RawMpi(const RankMessages& messages)
    : messages_(messages),
      send_(static_cast<std::size_t>(messages.bytes())),
      receive_(static_cast<std::size_t>(messages.bytes())),
      requests_(messages.to.size() + messages.from.size()) {
  MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
}

RawMpi::~RawMpi() { MPI_Comm_free(&comm_); }

void RawMpi::run() {
  MPI_Request* request = requests_.data();
  for (const NeighbourMessage& from : messages_.from) {
    MPI_Irecv(receive_.data() + from.begin, static_cast<int>(from.count), MPI_BYTE, from.rank, 0, comm_, request++);
  }
  for (const NeighbourMessage& to : messages_.to) {
    MPI_Isend(send_.data() + to.begin, static_cast<int>(to.count), MPI_BYTE, to.rank, 0, comm_, request++);
  }
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

std::int64_t RawMpi::num_wrong(int round) {
  const Kokkos::DefaultHostExecutionSpace host;
  fill_messages(host, messages_, round, send_.data());
  host.fence("perf::fill");
  run();
  return num_wrong_bytes(host, messages_, round, receive_.data());
}

}  // namespace ashlar::perf
