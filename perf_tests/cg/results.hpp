#pragma once

#include <cg/system.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace ashlar::perf {

/// A solver of a system: whose it is, and which.
struct CgForm {
  std::string library, kernel;
  double bytes;  ///< that an iteration moves at least
};

/// What was measured of one.
struct CgTimes {
  double us = 0;        ///< of an iteration
  double solve_us = 0;  ///< of a whole solve, set-up and all, by its iterations
  int iterations = 0;   ///< of that
  std::string launch;
};

/// Writes down what was measured, as rows and for people.
class CgResults {
 public:
  /// The read bandwidth is that of the run, in 1e9 bytes a second.
  CgResults(double read_gb_s, nlohmann::json& rows) : read_gb_s_(read_gb_s), rows_(rows) {}

  /// What follows is of this system, with this preconditioner.
  void begin(const CgSystem& system, const std::string& preconditioner);

  void add(const CgForm& form, const CgTimes& times);
  /// One whose result is not what it should be: it has no time.
  void add_wrong(const CgForm& form, const std::string& why);
  /// One that cannot be had here, or timed: no row.
  void leave_out(const CgForm& form, const std::string& why) const;

  /// Whether everything so far was right.
  bool all_right() const { return all_right_; }

 private:
  double floor_us(double bytes) const { return bytes / read_gb_s_ * 1e-3; }
  nlohmann::json row_of(const CgForm& form) const;

  double read_gb_s_;
  nlohmann::json& rows_;
  nlohmann::json common_ = nlohmann::json::object();  // columns that all rows of a system have
  bool all_right_ = true;
};

}  // namespace ashlar::perf
