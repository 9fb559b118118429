#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/distributed/impl/operator_parts.hpp>
#include <ashlar/krylov/cg_kernel.hpp>
#include <ashlar/persistent_cg/one_device.hpp>
#include <ashlar/persistent_cg/ranks.hpp>
#include <ashlar/persistent_cg/rendezvous.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace ashlar::impl {

/// DistributedOperator::cg_kernel(). Collective.
template <class Exec, class Matrix, class M, class Scalar>
CgKernelOffer<Exec> distributed_cg_kernel(const Exec& exec, OperatorParts<Matrix, Exec>& parts, const M& m,
                                          CgPlace<Scalar> place) {
  using Value = typename Matrix::scalar_type;
  const auto none = [](std::string why) { return CgKernelOffer<Exec>{nullptr, std::move(why), false}; };
  const DistributedOptions& options = parts.options;
  // A memory limit leaves no room for a copy of the matrix.
  if (options.streaming && options.streaming->device_memory_limit > 0) place.copy_bytes = 0;
  // Some ranks may stream, and others not.
  if (parts.space->agree_max(parts.own->streamed() ? 1 : 0) > 0) return none("a rank streams its matrix");
  if (parts.is_alone()) return persistent_cg(exec, parts.own->plan(), parts.own->matrix(), m, place);
  if (options.exchange != ExchangeMode::automatic && options.exchange != ExchangeMode::kernel) {
    return none(text("the exchange mode is ", to_string(options.exchange)));
  }
  if (options.decomposition != Decomposition::one_d) return none("in two dimensions");
  if constexpr (is_gpu_v<Exec> && std::is_same_v<Scalar, Value>) {
    if (parts.some_on_host) return none("some ranks compute on the host");
    if (!parts.rendezvous) {
      parts.rendezvous = parts.comm->together([&] {
        std::optional<CgRemoteBlocks<Matrix>> remote;
        const auto& others = parts.remote->parts();
        if (!others.empty()) remote = {others.front().rows, others.front().matrix};  // in one dimension there is one
        return cg_rendezvous<Value>(exec, *parts.comm, parts.remote->halo(), parts.block_size, remote);
      });
    }
    auto offer = persistent_cg_of_ranks(exec, parts.own->plan(), parts.own->matrix(), m, place, parts.rendezvous);
    // All ranks take it, or none. It is worth more if the host would have to wait otherwise.
    if (offer.kernel) {
      offer.is_worth_it = !parts.remote->waits_on_device() || parts.space->agree_max(offer.is_worth_it ? 0 : 1) == 0;
    }
    return offer;
  } else {
    return none("there is one for GPUs only, with vectors of the matrix's scalar type");
  }
}

}  // namespace ashlar::impl
