#include <ashlar/halo/halo_plan.hpp>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cstddef>
#include <optional>

namespace ashlar {

namespace {

// The request of one rank to another: form, first entry, count; if packed, the entries.
using Request = std::vector<std::int64_t>;
constexpr std::size_t request_head = 3;

void check_options(const HaloOptions& options) {
  const auto is_positive = [](double number) { return is_finite(number) && number > 0; };
  if (options.entry_bytes < 1 || !is_positive(options.message_gb_s) || !is_positive(options.pack_gb_s) ||
      !is_finite(options.pack_seconds) || options.pack_seconds < 0) {
    throw ArgumentError(text("halo: entries of ", options.entry_bytes, " bytes, messages of ", options.message_gb_s,
                             " GB/s, packing at ", options.pack_gb_s, " GB/s and ", options.pack_seconds, " s"),
                        "the cost of a form follows from them", "give positive numbers");
  }
  check_time_out("halo", options.time_out_seconds);
  check_packet_bytes("halo", options.packet_bytes);
}

void check_needs(const RowPartition& partition, int rank, std::span<const std::int64_t> needed) {
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const std::int64_t entry = needed[i];
    const std::string problem = text("halo: rank ", rank, " needs entry ", entry);
    if (entry < 0 || entry >= partition.num_rows()) {
      throw ArgumentError(problem, text("there are ", partition.num_rows()), "name entries from 0 on");
    }
    if (i > 0 && entry <= needed[i - 1]) {
      throw ArgumentError(problem, text("the one before in the list is ", needed[i - 1]),
                          "name each entry once, in ascending order");
    }
    if (entry >= partition.begin(rank) && entry < partition.end(rank)) {
      throw ArgumentError(problem, text("it is its own: it has ", partition.begin(rank), " to ", partition.end(rank)),
                          "name other ranks' entries only");
    }
  }
}

std::string pieces_text(const std::vector<HaloPlan::Neighbour>& neighbours, std::string_view preposition) {
  std::string result;
  for (const HaloPlan::Neighbour& n : neighbours) {
    result += text(result.empty() ? " (" : ", ", n.count, " ", to_string(n.form), " ", preposition, " ", n.rank);
  }
  return result.empty() ? result : result + ")";
}

std::int64_t total(const std::vector<HaloPlan::Neighbour>& neighbours) {
  std::int64_t entries = 0;
  for (const HaloPlan::Neighbour& n : neighbours) entries += n.count;
  return entries;
}

}  // namespace

std::string_view to_string(HaloForm form) {
  constexpr std::string_view names[] = {"automatic", "packed", "contiguous", "whole"};
  return names[static_cast<int>(form)];
}

HaloForm choose_halo_form(std::int64_t needed, std::int64_t span, std::int64_t whole, const HaloOptions& options) {
  if (options.form != HaloForm::automatic) return options.form;
  const auto seconds = [&](std::int64_t entries, double gb_s) {
    return static_cast<double>(entries) * options.entry_bytes / (gb_s * 1e9);
  };
  const double packed =
      seconds(needed, options.message_gb_s) + seconds(needed, options.pack_gb_s) + options.pack_seconds;
  if (packed < seconds(span, options.message_gb_s)) return HaloForm::packed;
  return span < whole ? HaloForm::contiguous : HaloForm::whole;
}

HaloPlan::HaloPlan(const Communicator& comm, const RowPartition& partition, std::span<const std::int64_t> needed,
                   const HaloOptions& options)
    : needed_(needed.begin(), needed.end()),
      rank_(comm.rank()),
      size_(comm.size()),
      buffers_(options.buffers),
      time_out_seconds_(options.time_out_seconds),
      packet_bytes_(options.packet_bytes) {
  check_partition(comm, partition, "halo");
  comm.together([&] {
    check_options(options);
    check_needs(partition, rank_, needed);
  });
  num_own_ = partition.size(rank_);

  // The receiver chooses the form, and sends it with its request.
  std::vector<Request> requests(static_cast<std::size_t>(size_));
  for (std::size_t i = 0; i < needed_.size();) {
    const int source = partition.owner(needed_[i]);
    const std::int64_t part_begin = partition.begin(source);
    const auto begin = needed_.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = std::lower_bound(begin, needed_.end(), partition.end(source));
    const std::int64_t count = end - begin, span = *(end - 1) - *begin + 1;

    Neighbour from;
    from.rank = source;
    from.form = choose_halo_form(count, span, partition.size(source), options);
    from.begin = num_entries_;
    from.count = from.form == HaloForm::packed ? count : from.form == HaloForm::whole ? partition.size(source) : span;
    if (from.form == HaloForm::contiguous) from.first = *begin - part_begin;
    Request& request = requests[static_cast<std::size_t>(source)];
    request = {static_cast<std::int64_t>(from.form), from.first, from.count};
    if (from.form == HaloForm::packed) {
      for (auto entry = begin; entry != end; ++entry) request.push_back(*entry - part_begin);
    }
    from_.push_back(from);
    pieces_.push_back({static_cast<std::int64_t>(i), part_begin + from.first});
    num_entries_ += from.count;
    i += static_cast<std::size_t>(count);
  }

  const std::vector<Request> asked = comm.all_to_all(requests);
  for (int target = 0; target < size_; ++target) {
    const Request& request = asked[static_cast<std::size_t>(target)];
    if (request.empty()) continue;
    Neighbour to;
    to.rank = target;
    to.form = static_cast<HaloForm>(request[0]);
    to.first = request[1];
    to.count = request[2];
    if (to.form == HaloForm::packed) {
      to.begin = static_cast<std::int64_t>(send_index_.size());
      send_index_.insert(send_index_.end(), request.begin() + request_head, request.end());
    }
    to_.push_back(to);
  }
}

HaloPlan HaloPlan::from_lists(const Communicator& comm, std::int64_t num_own, std::span<const std::int64_t> receive,
                              const std::vector<std::vector<std::int64_t>>& send, HaloBuffers buffers,
                              double time_out_seconds, std::optional<std::int64_t> packet_bytes) {
  const int rank = comm.rank();
  comm.together([&] {
    check_time_out("halo", time_out_seconds);
    check_packet_bytes("halo", packet_bytes);
    if (receive.size() != std::size_t(comm.size()) || send.size() != std::size_t(comm.size())) {
      throw ArgumentError(text("halo: rank ", rank, " has lists for ", send.size(), " ranks to send to, and ",
                               receive.size(), " to receive from"),
                          text("there are ", comm.size(), " ranks"), "give one for each rank, empty or 0 for most");
    }
    for (int other = 0; other < comm.size(); ++other) {
      const auto& list = send[std::size_t(other)];
      if (receive[std::size_t(other)] < 0 || (other == rank && (!list.empty() || receive[std::size_t(other)] != 0))) {
        throw ArgumentError(text("halo: rank ", rank, " is to receive ", receive[std::size_t(other)],
                                 " entries from rank ", other, " and to send it ", list.size()),
                            other == rank ? "that is itself" : "a count is not negative", "correct the lists");
      }
      for (const std::int64_t entry : list) {
        if (entry < 0 || entry >= num_own) {
          throw ArgumentError(text("halo: rank ", rank, " is to send its entry ", entry, " to rank ", other),
                              text("it has ", num_own), "name entries of its own part, from 0 on");
        }
      }
    }
  });

  HaloPlan plan;
  plan.rank_ = rank;
  plan.size_ = comm.size();
  plan.num_own_ = num_own;
  plan.buffers_ = buffers;
  plan.time_out_seconds_ = time_out_seconds;
  plan.packet_bytes_ = packet_bytes;
  std::vector<Request> offers(send.size());
  for (int target = 0; target < comm.size(); ++target) {
    const auto& list = send[std::size_t(target)];
    if (list.empty()) continue;
    bool is_span = true;
    for (std::size_t i = 1; i < list.size() && is_span; ++i) is_span = list[i] == list[i - 1] + 1;
    Neighbour to;
    to.rank = target;
    to.count = static_cast<std::int64_t>(list.size());
    if (is_span) {
      to.form = to.count == num_own ? HaloForm::whole : HaloForm::contiguous;
      to.first = list.front();
    } else {
      to.begin = static_cast<std::int64_t>(plan.send_index_.size());
      plan.send_index_.insert(plan.send_index_.end(), list.begin(), list.end());
    }
    plan.to_.push_back(to);
    offers[std::size_t(target)] = {static_cast<std::int64_t>(to.form), to.first, to.count};
  }

  const std::vector<Request> offered = comm.all_to_all(offers);
  comm.together([&] {
    for (int source = 0; source < comm.size(); ++source) {
      const Request& offer = offered[std::size_t(source)];
      const std::int64_t count = offer.empty() ? 0 : offer[2];
      if (count != receive[std::size_t(source)]) {
        throw ArgumentError(
            text("halo: rank ", rank, " is to receive ", receive[std::size_t(source)], " entries from rank ", source),
            text("that rank is to send it ", count), "make the lists of both ranks match");
      }
      if (count == 0) continue;
      plan.from_.push_back({source, static_cast<HaloForm>(offer[0]), plan.num_entries_, count, offer[1]});
      plan.num_entries_ += count;
    }
  });
  return plan;
}

std::int64_t HaloPlan::position(std::int64_t entry) const {
  const auto found = std::lower_bound(needed_.begin(), needed_.end(), entry);
  if (found == needed_.end() || *found != entry) {
    throw ArgumentError(text("halo: the place of entry ", entry),
                        text("it is not among the ", needed_.size(), " entries that rank ", rank_, " needs"),
                        "ask for an entry of the list that the plan was made from");
  }
  const std::int64_t i = found - needed_.begin();
  const auto next = std::upper_bound(pieces_.begin(), pieces_.end(), i,
                                     [](std::int64_t at, const Piece& piece) { return at < piece.first_needed; });
  const auto k = static_cast<std::size_t>(next - pieces_.begin()) - 1;
  const Neighbour& from = from_[k];
  return from.begin + (from.form == HaloForm::packed ? i - pieces_[k].first_needed : entry - pieces_[k].first_number);
}

std::string HaloPlan::explain() const {
  return text("rank ", rank_, " of ", size_, ": ", num_own_, " entries of its own, ", num_entries_, " in",
              pieces_text(from_, "from"), ", ", total(to_), " out", pieces_text(to_, "to"));
}

}  // namespace ashlar
