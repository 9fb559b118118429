#pragma once

#include <algorithm>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::testing {

using Numbers = std::vector<std::int64_t>;

/// Who has which entries, and who needs which.
struct Needs {
  std::string name;
  RowPartition partition;
  std::vector<Numbers> of;  // by rank: ascending, none its own

  const Numbers& at(int rank) const { return of[static_cast<std::size_t>(rank)]; }

  /// What `rank` needs of `source`.
  Numbers between(int rank, int source) const {
    Numbers result;
    for (const std::int64_t entry : at(rank)) {
      if (partition.owner(entry) == source) result.push_back(entry);
    }
    return result;
  }
};

/// Every entry of another rank is needed with this probability.
inline Needs random_needs(RowPartition partition, double probability, unsigned seed) {
  std::mt19937 random(seed);
  std::bernoulli_distribution is_needed(probability);
  std::vector<Numbers> of;
  for (int rank = 0; rank < partition.num_parts(); ++rank) {
    Numbers needed;
    for (std::int64_t entry = 0; entry < partition.num_rows(); ++entry) {
      if (partition.owner(entry) != rank && is_needed(random)) needed.push_back(entry);
    }
    of.push_back(std::move(needed));
  }
  return {"random, " + std::to_string(probability), std::move(partition), std::move(of)};
}

/// As from a chain: the entries beside the own ones.
inline Needs chain_needs(RowPartition partition) {
  std::vector<Numbers> of;
  for (int rank = 0; rank < partition.num_parts(); ++rank) {
    Numbers needed;
    if (partition.size(rank) > 0) {
      if (partition.begin(rank) > 0) needed.push_back(partition.begin(rank) - 1);
      if (partition.end(rank) < partition.num_rows()) needed.push_back(partition.end(rank));
    }
    of.push_back(std::move(needed));
  }
  return {"chain", std::move(partition), std::move(of)};
}

/// Only rank 0 has entries that are needed, and needs none.
inline Needs star_needs(int ranks) {
  RowPartition partition = RowPartition::even(5 * ranks, ranks);
  std::vector<Numbers> of(static_cast<std::size_t>(ranks));
  for (std::size_t rank = 1; rank < of.size(); ++rank) of[rank] = {1, 2, 4};
  return {"star", std::move(partition), std::move(of)};
}

/// Patterns of all kinds for so many ranks.
inline std::vector<Needs> needs_of_all_kinds(int ranks) {
  std::vector<Needs> all;
  const auto even = RowPartition::even(std::int64_t{13} * ranks, ranks);
  all.push_back(random_needs(even, 0.3, 11));
  all.push_back(random_needs(even, 1, 12));
  all.push_back(random_needs(even, 0, 13));  // no neighbours
  all.push_back(random_needs(even, 0.02, 14));
  all.push_back(chain_needs(even));
  all.push_back(star_needs(ranks));
  all.push_back(random_needs(RowPartition::even(1, ranks), 1, 15));  // one row
  all.push_back(random_needs(RowPartition::even(0, ranks), 1, 16));  // none
  // Empty ranks before, between and behind.
  Numbers offsets{0};
  for (int rank = 0; rank < ranks; ++rank) offsets.push_back(offsets.back() + (rank % 2 == 1 ? 9 : 0));
  all.push_back(random_needs(RowPartition(offsets), 0.5, 17));
  all.push_back(chain_needs(RowPartition(offsets)));
  return all;
}

/// The global entries in the halo of a rank, computed independently: the entries of each source rank, by form.
inline Numbers entries_of_halo(const Needs& needs, int rank, const std::vector<HaloForm>& form_of) {
  Numbers result;
  for (int source = 0; source < needs.partition.num_parts(); ++source) {
    const Numbers wanted = needs.between(rank, source);
    if (wanted.empty()) continue;
    switch (form_of[static_cast<std::size_t>(source)]) {
      case HaloForm::contiguous:
        for (std::int64_t entry = wanted.front(); entry <= wanted.back(); ++entry) result.push_back(entry);
        break;
      case HaloForm::whole:
        for (std::int64_t entry = needs.partition.begin(source); entry < needs.partition.end(source); ++entry) {
          result.push_back(entry);
        }
        break;
      default:
        result.insert(result.end(), wanted.begin(), wanted.end());
    }
  }
  return result;
}

/// The same, with the forms that a plan has.
inline Numbers entries_of_halo(const Needs& needs, const HaloPlan& plan) {
  std::vector<HaloForm> form_of(static_cast<std::size_t>(plan.num_ranks()), HaloForm::packed);
  for (const auto& from : plan.from()) form_of[static_cast<std::size_t>(from.rank)] = from.form;
  return entries_of_halo(needs, plan.rank(), form_of);
}

constexpr HaloForm all_forms[] = {HaloForm::automatic, HaloForm::packed, HaloForm::contiguous, HaloForm::whole};

}  // namespace ashlar::testing
