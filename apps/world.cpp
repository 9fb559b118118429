#include "world.hpp"

#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstdlib>
#include <string>
#include <utility>

#ifdef ASHLAR_COMMAND_HAS_MPI
#include <ashlar/comm/mpi/communicator.hpp>
#endif
#ifdef ASHLAR_COMMAND_HAS_NCCL
#include <ashlar/comm/nccl/transport.hpp>
#endif

#include "types.hpp"

namespace ashlar::app {

namespace {

/// The variable by which a launcher tells this process that there are others; nothing where there is none. (MPI is
/// started only then: it takes a second, and a command on its own should not need it.)
const char* launcher() {
  // Open MPI, MPICH and its kin, MVAPICH; PMIx' has this process' number.
  constexpr std::array<const char*, 4> sizes{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "PMIX_RANK"};
  for (const char* name : sizes) {
    const char* const value = std::getenv(name);
    if (value != nullptr && (std::string(name) == "PMIX_RANK" || std::string(value) != "1")) return name;
  }
  return nullptr;
}

}  // namespace

#ifdef ASHLAR_COMMAND_HAS_MPI

struct World::Session {
  MpiSession mpi;
};

World::World() {
  if (launcher() == nullptr) {
    comm_ = std::make_unique<Communicator>();
    return;
  }
  session_ = std::make_unique<Session>();
  comm_ = std::make_unique<Communicator>(session_->mpi.world());
}

#else

struct World::Session {};

World::World() : comm_(std::make_unique<Communicator>()) {
  if (const char* const name = launcher(); name != nullptr && std::string(name) != "PMIX_RANK") {
    throw ArgumentError(text("one of ", std::getenv(name), " processes that were started together (", name, ")"),
                        "this command was built without MPI: each of them would solve the whole system",
                        "build it with ASHLAR_ENABLE_MPI=ON, or start it alone");
  }
}

#endif

World::World(Communicator comm) : comm_(std::make_unique<Communicator>(std::move(comm))) {}

World::~World() = default;

World World::part(bool belongs) const { return World(comm_->split(belongs ? 1 : 0, comm_->rank())); }

Communicator World::with_streams(int ranks_on_host) const {
  Communicator comm = comm_->duplicate();
  if (is_gpu_v<Execution> && ranks_on_host > 0) {
    comm.use_stream_transport(nullptr, "some ranks compute on the host (--ranks-on-host)");
    return comm;
  }
#ifdef ASHLAR_COMMAND_HAS_NCCL
  try {
    comm.use_stream_transport(nccl_transport(comm));
  } catch (const Error& error) {  // on all ranks together
    comm.use_stream_transport(nullptr, error.what());
  }
#else
  comm.use_stream_transport(nullptr,
                            is_gpu_v<Execution> ? "this command was built without NCCL" : "it computes on the host");
#endif
  return comm;
}

}  // namespace ashlar::app
