#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/trace/recorder.hpp>
#include <nlohmann/json.hpp>
#include <streaming/case.hpp>
#include <streaming/options.hpp>
#include <string>
#include <support/plain_product.hpp>
#include <support/types.hpp>

namespace ashlar::perf {

using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

/// What the subdivisions of a matrix take when nothing else is done: the two times that hiding is to make one of.
struct Parts {
  double seconds_copy = 0;     ///< all copies, one after another
  double seconds_compute = 0;  ///< all products, with the whole matrix on the device
};

/// The experiment of Fagerlund et al. 2014 on one matrix: products with each subdivision before the next takes its
/// place, with copies hidden and not.
class PaperExperiment {
 public:
  PaperExperiment(const Exec& exec, const std::string& name, const StreamingPerfOptions& options, double read_gb_s,
                  nlohmann::json& results);

  /// All numbers of subdivisions and of products that the options name.
  void run();

  /// One pass with hiding and one without, of the first number of subdivisions and of products: when each copy and each
  /// subdivision's products took place, each pass on tracks of its own and from 0 on.
  trace::Process timeline();

  bool all_right() const { return all_right_; }

 private:
  void run_one(int num_subdivisions, int num_products);
  void run_serial();
  Parts measure_parts(int num_subdivisions, int num_products) const;
  /// Of one pass; send_all: one that pays for all of its copies, whatever the buffers still hold.
  double seconds(Streamed& streamed, int num_products, bool send_all) const;
  /// All products, by turns on two instances.
  void multiply(const Streamed& streamed, int num_products) const {
    streamed.apply_repeated(exec_, other_exec_, x_, y_, num_products);
  }
  bool is_right(const Streamed& streamed, int num_products) const;
  StreamingOptions streaming_options(int num_subdivisions, bool hide) const;
  nlohmann::json row(const std::string& kernel, int num_subdivisions, int num_products, double seconds) const;
  double flops(int num_products) const { return 2.0 * double(host_.num_values()) * num_products; }

  Exec exec_, copy_exec_, other_exec_;
  const StreamingPerfOptions& options_;
  double read_gb_s_, link_gb_s_ = 0;
  nlohmann::json& results_;
  StreamingCase case_;
  HostMatrix host_;
  int dof_ = 0;
  Columns x_, y_;
  Expected<double> expected_;  // of the first column
  bool all_right_ = true;
};

}  // namespace ashlar::perf
