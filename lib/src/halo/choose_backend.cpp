#include <ashlar/halo/impl/choose_backend.hpp>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <cstddef>
#include <iomanip>
#include <utility>

namespace ashlar {

std::string_view to_string(ExchangeMode mode) {
  constexpr std::string_view names[] = {"automatic", "blocking", "stream", "kernel"};
  return names[static_cast<int>(mode)];
}

std::string_view to_string(HaloBuffers buffers) {
  constexpr std::string_view names[] = {"automatic", "staged", "device"};
  return names[static_cast<int>(buffers)];
}

void check_packet_bytes(std::string_view what, std::optional<std::int64_t> bytes) {
  if (!bytes || *bytes >= 0) return;
  throw ArgumentError(text(what, ": packets for messages of up to ", count_text(*bytes, "byte")),
                      "a length is not negative", "give 0 to send none as packets");
}

}  // namespace ashlar

namespace ashlar::impl {

namespace {

void check_own(const Communicator& comm, const std::vector<NeighbourMessage>& messages, const char* where) {
  int before = -1;
  for (const NeighbourMessage& message : messages) {
    if (message.rank <= before || message.rank >= comm.size() || message.rank == comm.rank() || message.count < 0 ||
        message.begin < 0) {
      throw ArgumentError(text("halo: rank ", comm.rank(), " of ", comm.size(), " lists ", message.count, " bytes ",
                               where, " rank ", message.rank),
                          "there is one message for each other rank, by rank in ascending order", "correct the list");
    }
    before = message.rank;
  }
}

}  // namespace

Communicator agreed_group(const Communicator& comm, const std::vector<NeighbourMessage>& to,
                          const std::vector<NeighbourMessage>& from, const ExchangeOptions& options) {
  comm.together([&] {
    check_own(comm, to, "to");
    check_own(comm, from, "from");
    check_time_out("halo", options.time_out_seconds);
    check_packet_bytes("halo", options.packet_bytes);
  });
  comm.require_same("halo", {{"exchange in mode", std::string(to_string(options.mode))},
                             {"buffers", std::string(to_string(options.buffers))}});
  std::vector<std::vector<std::int64_t>> counts(static_cast<std::size_t>(comm.size()));
  for (const NeighbourMessage& message : to) counts[static_cast<std::size_t>(message.rank)] = {message.count};
  const std::vector<std::vector<std::int64_t>> offered = comm.all_to_all(counts);
  comm.together([&] {
    std::vector<std::int64_t> expected(offered.size(), 0);
    for (const NeighbourMessage& message : from) expected[static_cast<std::size_t>(message.rank)] = message.count;
    for (std::size_t source = 0; source < offered.size(); ++source) {
      const std::int64_t count = offered[source].empty() ? 0 : offered[source][0];
      if (count == expected[source]) continue;
      throw ArgumentError(text("halo: rank ", comm.rank(), " expects ", expected[source], " bytes from rank ", source),
                          text("that rank sends ", count), "pass plans that all ranks made together");
    }
  });
  return comm.duplicate();
}

PossibleModes possible_modes(const Communicator& comm, const ExchangeOptions& wanted, MemoryKind kind, bool is_sent,
                             const std::function<PeersFound()>& peers) {
  const auto only = [](ExchangeMode mode, std::string why) { return PossibleModes{{mode}, {}, std::move(why)}; };
  if (wanted.mode == ExchangeMode::kernel) {
    const std::vector<MemoryKind> kinds = comm.all_gather(kind);
    for (std::size_t rank = 0; rank < kinds.size(); ++rank) {
      if (kinds[rank] == kinds[0]) continue;
      throw ArgumentError("halo: an exchange in mode kernel",
                          text("rank ", rank, " computes in ", to_string(kinds[rank]), " memory, rank 0 in ",
                               to_string(kinds[0]), " memory"),
                          "leave the mode automatic, or take blocking");
    }
  }
  if (wanted.mode == ExchangeMode::blocking || wanted.mode == ExchangeMode::kernel) {
    return only(wanted.mode, "as asked for");
  }
  if (wanted.mode == ExchangeMode::automatic && wanted.buffers != HaloBuffers::automatic) {
    return only(ExchangeMode::blocking, text("buffers were asked for, ", to_string(wanted.buffers), " ones"));
  }
  const StreamMessages streams = find_stream_messages(comm, kind);
  if (wanted.mode == ExchangeMode::stream) {
    if (streams.work) return only(wanted.mode, "as asked for");
    throw ArgumentError("halo: an exchange in mode stream", streams.why, "leave the mode automatic, or take blocking");
  }
  const bool may_stream = streams.work && kind != MemoryKind::host;
  if (comm.is_alone() || !is_sent) {
    return only(may_stream ? ExchangeMode::stream : ExchangeMode::blocking, "nothing is sent, and so not measured");
  }
  PossibleModes result;
  if (may_stream) {
    result.modes.push_back(ExchangeMode::stream);
  } else {
    result.refused.push_back("stream: " + (streams.work ? "kernels run on the host" : streams.why));
  }
  const PeersFound found = peers();
  if (found.work) {
    result.modes.push_back(ExchangeMode::kernel);
  } else {
    result.refused.push_back("kernel: " + found.why);
  }
  for (const std::string& refused : result.refused) result.why += (result.why.empty() ? "" : "; ") + refused;
  return result;
}

std::string why_fastest(ExchangeMode mode, const ModeTimes& times, const std::vector<std::string>& refused) {
  std::string own, others;
  for (const auto& [other, seconds] : times) {
    const std::string us = text(std::setprecision(3), 1e6 * seconds, " us");
    if (other == mode) {
      own = us + " an exchange";
    } else {
      others += text("; ", to_string(other), " takes ", us);
    }
  }
  for (const std::string& each : refused) others += "; " + each;
  return own + others;
}

HaloStaging choose_staging(const Communicator& comm, HaloBuffers wanted, const DirectMessages& direct,
                           MemoryKind kind) {
  if (wanted == HaloBuffers::device && !direct.work) {
    throw ArgumentError("halo: messages from and to device memory were asked for", direct.why,
                        "leave HaloOptions::buffers automatic, or take an MPI that is made for these devices");
  }
  if (wanted == HaloBuffers::staged) return {true, "as asked for"};
  if (direct.work) return {false, direct.why};
  // A rank that computes on the host needs no staging, even if others do.
  if (comm.transport().reach(kind) == Reach::certain) return {false, "this rank's memory is the host's"};
  return {true, direct.why};
}

std::string explain(const HaloFigures& figures, const std::string& how) {
  return text("halo: ", count_text(figures.sent.messages, "message"), " of ", figures.sent.bytes, " bytes sent and ",
              figures.received.messages, " of ", figures.received.bytes, " received in ",
              count_text(figures.exchanges, "exchange"), ", ", how);
}

}  // namespace ashlar::impl
