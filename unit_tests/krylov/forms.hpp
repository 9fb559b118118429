#pragma once

#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <vector>

#include "krylov/systems.hpp"

namespace ashlar::testing {

/// Each form of CG, as a type for typed tests.
struct Standard {
  static constexpr int slack = 0;  // iterations that rounding may make a difference of
  static SolveReport solve(const auto&... arguments) { return cg(arguments...); }
};
struct SingleReduction {
  static constexpr int slack = 1;
  static SolveReport solve(const auto&... arguments) { return single_reduction_cg(arguments...); }
};
struct Pipelined {
  static constexpr int slack = 3;
  static SolveReport solve(const auto&... arguments) { return pipelined_cg(arguments...); }
};
using Forms = ::testing::Types<Standard, SingleReduction, Pipelined>;

template <class Scalar>
struct SolvedBy {
  SolveReport report;
  std::vector<Scalar> x;
};

/// Solves by one form of CG, from zero.
template <class Form, class Scalar, class M = IdentityPreconditioner>
SolvedBy<Scalar> solve_by(const BcsrMatrix<Scalar>& a, const std::vector<Scalar>& b, const CgOptions& options,
                          const M& m = {}) {
  const Exec exec;
  const Kokkos::View<Scalar*, Space> x("x", b.size());
  const auto report = Form::solve(exec, BcsrOperator<BcsrMatrix<Scalar>>(exec, a), m, to_device<Space>(b), x, options);
  return {report, to_host(x)};
}

}  // namespace ashlar::testing
