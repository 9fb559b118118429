#include <ashlar/comm/communicator.hpp>

#include <unistd.h>

#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <ashlar/comm/transport.hpp>
#include <cstdlib>
#include <iterator>
#include <vector>

namespace ashlar {

namespace {

/// The three parts of an Error, from any exception.
struct Account {
  std::string problem, why, suggestion;
};

Account account_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return {error.problem(), error.why(), error.suggestion()};
  } catch (const std::exception& error) {
    return {error.what(), "an error from outside the library", "correct the named fault"};
  } catch (...) {
    return {"an exception was thrown", "of no known type", "look for the code that throws"};
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

}  // namespace

Communicator::Communicator() : transport_(impl::self_transport()) {}

Communicator::Communicator(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}

std::string Communicator::explain() const {
  const int hosts = transport_->num_hosts();
  const std::string more = transport_->explain();
  std::string result = text(transport_->name(), ": ", count_text(size(), "rank"), " on ", count_text(hosts, "host"),
                            more.empty() ? "" : ", ", more);
  for (const auto& [kind, found] : direct_messages_) {
    result += text("; messages ", found.work ? "go from and to device memory" : "are staged through pinned memory",
                   " (", found.why, ")");
  }
  if (stream_transport_) result += text("; on streams ", stream_transport_->explain());
  return result;
}

Communicator Communicator::split(int colour, int key) const {
  Communicator part(transport_->split(colour, key));
  part.direct_messages_ = direct_messages_;
  part.stream_transport_ = stream_transport_;
  part.why_no_stream_transport_ = why_no_stream_transport_;
  part.peer_sharing_ = peer_sharing_;
  return part;
}

const DirectMessages* Communicator::direct_messages(MemoryKind kind) const {
  const auto found = direct_messages_.find(kind);
  return found == direct_messages_.end() ? nullptr : &found->second;
}

const std::shared_ptr<StreamTransport>& Communicator::own_streams() const {
  if (!own_streams_) own_streams_ = stream_transport_->make_for(*this);
  return own_streams_;
}

Communicator Communicator::split_by_host() const {
  const std::vector<std::string> names = all_gather(transport_->host_name());
  // The colour of a host is its lowest rank.
  const auto first = std::find(names.begin(), names.end(), names[static_cast<std::size_t>(rank())]);
  return split(static_cast<int>(std::distance(names.begin(), first)), rank());
}

std::vector<std::string> Communicator::all_gather(const std::string& mine) const {
  const std::vector<std::size_t> lengths = all_gather(mine.size());
  std::size_t total = 0;
  for (const std::size_t length : lengths) total += length;
  std::string all(total, '\0');
  transport_->all_gather_varying(mine.data(), lengths, all.data());
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (const std::size_t length : lengths) {
    parts.push_back(all.substr(begin, length));
    begin += length;
  }
  return parts;
}

std::string Communicator::broadcast(const std::string& value, int root) const {
  const std::size_t length = broadcast(value.size(), root);
  std::string result = value;
  result.resize(length);
  transport_->broadcast(result.data(), length, root);
  return result;
}

void Communicator::require_same(const std::string& who, const Claims& mine) const {
  if (is_alone()) return;
  std::string values;
  for (const auto& claim : mine) values += claim.second + "\n";
  const std::vector<std::string> all = all_gather(values);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    // Every rank has the claims of all, and finds the same difference.
    const std::vector<std::string> here = lines_of(all[rank]), first = lines_of(all[0]);
    std::size_t claim = 0;
    while (claim + 1 < mine.size() && here.at(claim) == first.at(claim)) ++claim;
    throw ArgumentError(
        text(who, ": ", mine[claim].first, " ", here.at(claim), " on rank ", rank, ", ", first.at(claim), " on rank 0"),
        "all ranks work on one system, with the same options", "pass the same on all of them");
  }
}

void Communicator::abort(const std::string& why, int exit_code) const noexcept {
  // One write, so that lines of several ranks do not mix.
  const std::string line = text("ashlar: rank ", rank(), ": ", why, "\n");
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  transport_->abort(exit_code);
  std::abort();  // not reached, but GCC needs it
}

void Communicator::exchange_sizes(const std::vector<std::size_t>& send, std::vector<std::size_t>& receive) const {
  const auto ranks = static_cast<std::size_t>(size());
  together([&] {
    if (send.size() == ranks) return;
    throw ShapeError(text("all_to_all was given ", send.size(), " parts"), text("there are ", ranks, " ranks"),
                     "give one for each rank, which may be empty");
  });
  receive.resize(ranks);
  const std::vector<std::size_t> bytes(ranks, sizeof(std::size_t));
  transport_->all_to_all(send.data(), bytes, receive.data(), bytes);
}

void Communicator::agree_on_failure(const std::exception_ptr& failure) const {
  const std::vector<char> failed = all_gather(static_cast<char>(failure ? 1 : 0));
  const auto first = std::find(failed.begin(), failed.end(), 1);
  if (first == failed.end()) return;
  const int root = static_cast<int>(std::distance(failed.begin(), first));
  Account account = failure && root == rank() ? account_of(failure) : Account{};
  account.problem = broadcast(account.problem, root);
  account.why = broadcast(account.why, root);
  account.suggestion = broadcast(account.suggestion, root);
  if (!failure) throw RankError(root, text("rank ", root, ": ", account.problem), account.why, account.suggestion);
}

StreamMessages find_stream_messages(const Communicator& comm, MemoryKind kind) {
  struct Account {
    bool has_transport;
    MemoryKind of_transport, of_rank;
  };
  const auto& transport = comm.stream_transport();
  const std::vector<Account> all =
      comm.all_gather(Account{transport != nullptr, transport ? transport->memory() : kind, kind});
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const Account& its = all[rank];
    // Only here does a rank tell the others why it has none.
    if (!its.has_transport) {
      const std::string why = comm.broadcast(comm.why_no_stream_transport(), static_cast<int>(rank));
      return {false, text("rank ", rank, " has no transport for streams", why.empty() ? "" : ": ", why)};
    }
    if (its.of_transport != its.of_rank || its.of_rank != all[0].of_rank) {
      return {false, text("rank ", rank, " computes in ", to_string(its.of_rank),
                          " memory, and its transport for streams ", "takes ", to_string(its.of_transport),
                          " memory; rank 0 computes in ", to_string(all[0].of_rank), " memory")};
    }
  }
  return {true, transport->explain()};
}

std::string_view to_string(PeerSharing sharing) {
  constexpr std::string_view names[] = {"automatic", "handles", "descriptors"};
  return names[static_cast<int>(sharing)];
}

}  // namespace ashlar
