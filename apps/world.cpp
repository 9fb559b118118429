#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/text_file.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "file_names.hpp"
#include "types.hpp"
#include "world.hpp"

#ifdef ASHLAR_COMMAND_HAS_MPI
#include <ashlar/comm/mpi/communicator.hpp>
#endif

#ifdef ASHLAR_COMMAND_HAS_NCCL
#include <ashlar/comm/nccl/transport.hpp>
#endif

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

namespace {

/// No argument holds a zero: strings that are joined so are the same where the arguments are.
std::string joined(const std::vector<std::string>& arguments) {
  std::string all;
  for (const std::string& argument : arguments) all += argument + '\0';
  return all;
}

std::vector<std::string> separated(const std::string& all) {
  std::vector<std::string> arguments;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = all.find('\0', begin);
    arguments.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return arguments;
}

std::string argument_at(const std::vector<std::string>& arguments, std::size_t place) {
  return place < arguments.size() ? "'" + arguments[place] + "'" : "nothing";
}

/// The place of the first difference, and both values.
std::string first_difference(const std::vector<std::string>& mine, const std::vector<std::string>& of_first, int rank) {
  const auto [here, there] = std::mismatch(mine.begin(), mine.end(), of_first.begin(), of_first.end());
  const auto place = static_cast<std::size_t>(here - mine.begin());
  return text(place > 0 ? text("after '", mine[place - 1], "' ") : "", "rank ", rank, " has ", argument_at(mine, place),
              ", rank 0 ", argument_at(of_first, place));
}

std::uint64_t size_of_file(const std::string& path) {
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  return unknown ? 0 : size;
}

/// What tells a file from others.
std::string mark_of(const std::string& path, std::size_t most_bytes, int rank) {
  try {
    const FileText beginning(path, most_bytes);
    return text(size_of_file(path), ' ', beginning.view());
  } catch (const FileError& fault) {
    if (rank == 0) throw;
    throw FileError(path, 0, text("cannot be read on rank ", rank), fault.why(), "all ranks read it: let them see it");
  }
}

}  // namespace

void require_same_arguments(const World& world, const std::vector<std::string>& arguments) {
  if (world.is_alone()) return;
  const std::vector<std::string> of_first = separated(world.comm().broadcast(joined(arguments)));
  world.on_all([&] {
    if (arguments == of_first) return;
    throw ArgumentError("the ranks were started with different arguments",
                        first_difference(arguments, of_first, world.comm().rank()),
                        "start all ranks with the same; only options that begin with --kokkos- may differ");
  });
}

void require_same_file(const World& world, const std::string& path, std::size_t most_bytes) {
  if (world.is_alone()) return;
  const int rank = world.comm().rank();
  const std::string mine =
      world.on_all([&] { return is_read_once(path) ? std::string() : mark_of(path, most_bytes, rank); });
  const std::string of_first = world.comm().broadcast(mine);
  world.on_all([&] {
    if (mine == of_first) return;
    throw FileError(path, 0, text("is another file on rank ", rank, " than on rank 0"),
                    "their sizes or contents differ", "give all ranks the same file");
  });
}

}  // namespace ashlar::app
