#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>

// The interface of an operator that can make many iterations of CG in one kernel.

namespace ashlar {

struct CgScalars;

/// Where an iteration of CG works, all of it on the device: vectors of n entries, scalars, and a ring of ||r|| by
/// iteration. Without a preconditioner z is r.
template <class Scalar>
struct CgPlace {
  std::int64_t n = 0;
  Scalar *x = nullptr, *r = nullptr, *z = nullptr, *p = nullptr, *q = nullptr;
  CgScalars* scalars = nullptr;
  double* history = nullptr;
  int history_capacity = 0;
  std::uint64_t copy_bytes = 0;  ///< that the kernel may take for a copy of the matrix
};

/// Many iterations of CG as one kernel, made for one operator, one preconditioner and one place, all of which outlive
/// it, and keep the values that they had when it was made: it may have a copy of them.
///
/// It begins with scalars that have begun (CgScalars::begin), r and z; p matters only if beta is not 0. An iteration
/// is: x += alpha*p, p := z + beta*p, q := A*p, r -= alpha*q with the new alpha, z := M^-1 r, advance(). So when it
/// ends, x lacks the last step, as it does with the other forms of CG.
template <execution_space Exec>
class CgKernel {
 public:
  virtual ~CgKernel() = default;

  /// Enqueues so many iterations, fewer where the solve ends before; no fence, no allocation.
  virtual void enqueue(const Exec& exec, int iterations) = 0;

  /// Throws Error where a kernel that has ended gave up waiting for itself. Called after a wait.
  virtual void check() const = 0;

  /// How it iterates, for people.
  virtual std::string explain() const = 0;
};

/// A kernel, or why there is none.
template <execution_space Exec>
struct CgKernelOffer {
  std::unique_ptr<CgKernel<Exec>> kernel;  ///< nullptr where there is none
  std::string why_not;                     ///< for people; also where it is not worth it
  bool is_worth_it = true;                 ///< whether it is expected to be faster than kernels one by one, in a graph
};

/// An operator that may provide such a kernel: cg_kernel(exec, m, place), for set-up. It may allocate and wait.
template <class Op, class Exec, class M, class Scalar>
concept provides_cg_kernel = requires(const Op& a, const Exec& exec, const M& m, const CgPlace<Scalar>& place) {
  { a.cg_kernel(exec, m, place) } -> std::same_as<CgKernelOffer<Exec>>;
};

}  // namespace ashlar
