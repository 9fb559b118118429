#pragma once

#include <ashlar/base/text.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <spmv/read_probe.hpp>
#include <string>
#include <support/plain_product.hpp>
#include <support/timing.hpp>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// Checks the products of a case, then times them in turns, and writes down both.
class Measurement {
 public:
  Measurement(const Exec& exec, double limit_gb_s, int samples, nlohmann::json& results)
      : exec_(exec), limit_(limit_gb_s), samples_(samples), results_(results) {
    if constexpr (!is_gpu_v<Exec>) probe_.emplace(exec);
  }

  /// Whether every product so far was right.
  bool all_right() const { return all_right_; }

  /// What was tuned so far.
  TuningTable& tuning() { return tuning_; }

  /// Checks a product, to be timed with the others of its case. `row` says what is measured; `apply` enqueues
  /// y := op(A) x and keeps what it needs; `error` looks at y.
  void add(nlohmann::json row, double bytes, std::function<void()> apply, const std::function<double()>& error) {
    apply();
    const double wrong = error();
    row["verified"] = wrong == 0;
    if (wrong != 0) {
      all_right_ = false;
      row["error"] = wrong;
      row["limit_gb_s"] = limit_;
      std::printf("%-60s WRONG RESULT, by %.3g times what rounding may do\n", name_of(row).c_str(), wrong);
      results_.push_back(std::move(row));
      return;
    }
    products_.push_back({std::move(row), bytes, std::move(apply)});
  }

  /// Times the products added since the last call, and lets go of them.
  void time_all() {
    if (products_.empty()) return;
    std::vector<std::function<void()>> works;
    for (const Product& product : products_) works.push_back(product.apply);
    if (probe_) works.push_back([this] { (*probe_)(); });
    const std::vector<double> medians = alternating_medians(exec_, works, {.samples = samples_});
    const double limit = probe_ ? probe_->bytes() / medians.back() * 1e-9 : limit_;
    for (std::size_t i = 0; i < products_.size(); ++i) {
      auto& [row, bytes, apply] = products_[i];
      const double rate = bytes / medians[i] * 1e-9;
      row.update({{"seconds", medians[i]},
                  {"bytes", bytes},
                  {"gb_s", rate},
                  {"limit_gb_s", limit},
                  {"fraction", rate / limit}});
      std::printf("%-72s %10.1f us %8.1f GB/s %.3f\n", name_of(row).c_str(), medians[i] * 1e6, rate, rate / limit);
      results_.push_back(std::move(row));
    }
    std::fflush(stdout);
    products_.clear();
  }

 private:
  struct Product {
    nlohmann::json row;
    double bytes;
    std::function<void()> apply;
  };

  static std::string name_of(const nlohmann::json& row) {
    return text(row["case"].get<std::string>(), ", b ", row["block_size"].get<int>(), ", ",
                row["library"].get<std::string>(), " ", row["kernel"].get<std::string>(), ", ",
                row["type"].get<std::string>(),
                row["mode"] == "no_transpose" ? "" : ", " + row["mode"].get<std::string>(),
                row.value("layout", "") == "row_major" ? ", row_major" : "",
                row.contains("num_vectors") ? text(", k ", row["num_vectors"].get<int>()) : "");
  }

  const Exec& exec_;
  double limit_;
  int samples_;
  nlohmann::json& results_;
  std::optional<ReadProbe> probe_;
  std::vector<Product> products_;
  bool all_right_ = true;
  TuningTable tuning_;
};

}  // namespace ashlar::perf
