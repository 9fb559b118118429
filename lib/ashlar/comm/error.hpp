#pragma once

#include <ashlar/base/error.hpp>
#include <string>
#include <utility>

namespace ashlar {

/// A transport that failed: what it said is in the message.
class CommError : public Error {
  using Error::Error;
};

/// Another rank failed where all ranks act together; its message is in this one's.
class RankError : public Error {
 public:
  RankError(int rank, std::string problem, std::string why, std::string suggestion)
      : Error(std::move(problem), std::move(why), std::move(suggestion)), rank_(rank) {}
  /// The lowest rank that failed.
  int rank() const { return rank_; }

 private:
  int rank_;
};

}  // namespace ashlar
