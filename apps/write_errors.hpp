#pragma once

#include <ashlar/comm/transport.hpp>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "one_line.hpp"
#include "world.hpp"

namespace ashlar::app {

/// Lets work go on past errors: what has been computed is written as far as it can be, and then every error is told.
class WriteErrors {
 public:
  /// RankError says that another rank keeps the error.
  template <class Work>
  void keep_from(const Work& work) {
    try {
      work();
    } catch (const RankError&) {
    } catch (...) {
      errors_.push_back(std::current_exception());
    }
  }

  /// Tells all errors of all ranks but one, which it throws where it was kept; on the others RankError. Collective.
  void rethrow(const World& world) const {
    const int rank = world.comm().rank(), ranks = world.comm().size();
    // Negative, so that the largest is the lowest rank.
    const int first = -world.comm().max(errors_.empty() ? -ranks : -rank);
    const std::size_t left = rank == first ? 1 : 0;
    for (std::size_t k = 0; k + left < errors_.size(); ++k) tell(errors_[k]);
    if (left > 0) std::rethrow_exception(errors_.back());
    if (first < ranks) throw RankError(first, "another rank failed", "it says why", "mend what it names");
  }

 private:
  static void tell(const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& known) {
      tell_error(known.what());
    } catch (...) {
      tell_error("an output could not be written, for an unknown reason");
    }
  }

  std::vector<std::exception_ptr> errors_;
};

}  // namespace ashlar::app
