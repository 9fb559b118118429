#pragma once

#include <gtest/gtest.h>

#include <ashlar/cycles/cycle.hpp>
#include <vector>

namespace ashlar::cycles {

/// A level that writes down what it is asked.
struct Listing {
  int number;
  std::vector<Step>* steps;

  using Exec = Kokkos::DefaultExecutionSpace;
  void smooth_zero(const Exec&) const { add(Operation::smooth_zero); }
  void smooth(const Exec&) const { add(Operation::smooth); }
  void smooth_adjoint(const Exec&) const { add(Operation::smooth_adjoint); }
  void residual(const Exec&) const { add(Operation::residual); }
  void restrict_residual(const Exec&, const Listing& next) const { add_with(next, Operation::restrict_residual); }
  void restrict_b(const Exec&, const Listing& next) const { add_with(next, Operation::restrict_b); }
  void prolong_add(const Exec&, const Listing& next) const { add_with(next, Operation::prolong_add); }
  void start(const Exec&, const Listing& next) const { add_with(next, Operation::start); }
  void solve(const Exec&) const { add(Operation::solve); }
  void solve_roughly(const Exec&) const { add(Operation::solve_roughly); }

 private:
  void add(Operation operation) const { steps->push_back({operation, number}); }
  void add_with(const Listing& next, Operation operation) const {
    EXPECT_EQ(next.number, number + 1);
    add(operation);
  }
};

}  // namespace ashlar::cycles
