#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <cstdio>
#include <streaming/case.hpp>
#include <support/median.hpp>
#include <utility>
#include <vector>

namespace ashlar::perf {

StreamingCase make_case(const Exec& exec, const std::string& name) {
  int dof = 0, nodes = 0, read = 0;
  const auto matches = [&](const char* format) {
    return std::sscanf(name.c_str(), format, &dof, &nodes, &read) == 2 && read == int(name.size()) && nodes >= 2;
  };
  StreamingCase result;
  if (matches("stencil%dx%d%n") && dof >= 1 && dof <= max_block_size) {
    result.name = text("stencil11 ", dof, " dof ", nodes, "^3");
    result.host = copy_to<PinnedSpace>(exec, problems::stencil11<Matrix>(exec, nodes, nodes, nodes, dof));
  } else if (matches("%dx%d%n") && (dof == 1 || dof == 3 || dof == 6)) {
    result.name = text("cantilever ", dof, " dof ", nodes, "^3");
    const problems::Cantilever problem{.nodes = {nodes, nodes, nodes}, .dof = dof};
    result.host = copy_to<PinnedSpace>(exec, problems::cantilever_matrix<Matrix>(exec, problem));
  } else {
    throw ArgumentError(text("--cases ", name),
                        "a case is UNKNOWNSxNODES, with 1, 3 or 6 unknowns and 2 nodes or more, or stencilBLOCKxPOINTS",
                        "write for example 3x128");
  }
  exec.fence("perf: matrix");
  return result;
}

double plain_copy_gb_s(const Exec& copy_exec, const HostMatrix& host) {
  const std::size_t count = std::min<std::size_t>(host.values().extent(0), std::size_t(1) << 27);
  const Vector<double> target(Kokkos::view_alloc(Kokkos::WithoutInitializing, "perf::target"), count);
  const auto source = Kokkos::subview(host.values(), std::make_pair(std::size_t(0), count));
  const double copy = median_seconds(5, [&] {
    Kokkos::deep_copy(copy_exec, target, source);
    copy_exec.fence("perf: plain copy");
  });
  return 8e-9 * double(count) / copy;
}

double median_seconds(int samples, const std::function<void()>& work) {
  work();
  std::vector<double> seconds;
  for (int i = 0; i < samples; ++i) {
    Kokkos::Timer timer;
    work();
    seconds.push_back(timer.seconds());
  }
  return median(std::move(seconds));
}

}  // namespace ashlar::perf
