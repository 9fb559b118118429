// An operator for vectors of the type of x, and of no other: CG applies it to vectors of its own as well.
// expect: A must be a linear operator on Kokkos::View<Scalar*, Exec::memory_space>
#include <ashlar/blas1/local_space.hpp>
#include <ashlar/krylov/cg.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Own = Kokkos::View<double*, Exec::memory_space>;
using Unmanaged = Kokkos::View<double*, Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

struct OfUnmanaged {
  template <class X>
    requires std::same_as<X, Unmanaged>
  void apply(const Exec&, const X&, const Own&) const {}
  ashlar::LocalSpace space() const { return {}; }
  std::int64_t traffic_bytes() const { return 0; }
  ashlar::HeldBytes bytes() const { return {}; }
  bool is_stream_ordered() const { return true; }
  std::string explain() const { return ""; }
};

void cg_own_vectors(const Exec& exec, const OfUnmanaged& a, const Unmanaged& b, const Unmanaged& x) {
  ashlar::cg(exec, a, ashlar::IdentityPreconditioner(), b, x);
}
