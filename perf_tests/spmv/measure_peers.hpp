#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <spmv/measure.hpp>
#include <spmv/peers/peer.hpp>
#include <string>
#include <support/plain_product.hpp>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// Another library, and its products with a matrix of doubles.
struct PeerLibrary {
  std::string name;
  std::vector<Peer> (*make)(const Exec& exec, const Matrix& a, const Vector<double>& x, const Vector<double>& y);
};

/// The products of these libraries with one matrix, to be timed beside ours. One that cannot be made ready is left out.
inline void measure_peers(const Exec& exec, const std::string& name, const Matrix& a,
                          const std::vector<PeerLibrary>& libraries, Measurement& measurement) {
  const auto x = test_vector<double>(exec, a.num_cols());
  const Vector<double> y("perf::y", a.num_rows());
  const auto expected = plain_product(exec, a, x, Mode::no_transpose);
  const double bytes = double(spmv_traffic_bytes(a));
  for (const PeerLibrary& library : libraries) {
    nlohmann::json row{{"case", name},
                       {"library", library.name},
                       {"block_size", a.block_size()},
                       {"type", "double"},
                       {"mode", "no_transpose"},
                       {"num_block_rows", a.num_block_rows()},
                       {"num_blocks", a.num_blocks()}};
    std::vector<Peer> peers;
    try {
      peers = library.make(exec, a, x, y);
    } catch (const std::exception& error) {
      measurement.leave_out(row, error.what());
    }
    for (const Peer& peer : peers) {
      row["library"] = peer.library;
      row["kernel"] = peer.kernel;
      // Timed when this function has ended: what a library knows by its address only has to be there still.
      measurement.add(
          row, bytes, [apply = peer.apply, x, y] { apply(); }, [&] { return error_of(exec, y, expected); });
    }
  }
}

}  // namespace ashlar::perf
