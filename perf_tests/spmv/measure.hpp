#pragma once

#include <ashlar/base/text.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <support/plain_product.hpp>
#include <support/read_probe.hpp>
#include <support/timing.hpp>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// Checks the products of a case, then times them in turns, and writes down both. Of ours a product that fails ends
/// the run; one of another library is left out, and the others go on.
class Measurement {
 public:
  Measurement(const Exec& exec, double limit_gb_s, int samples, nlohmann::json& results)
      : exec_(exec), limit_(limit_gb_s), samples_(samples), results_(results) {
    if constexpr (!is_gpu_v<Exec>) probe_.emplace(exec);
  }

  /// Whether every product so far was right.
  bool all_right() const { return all_right_; }

  /// The products of other libraries that failed, each as its row with what was said as "failure".
  const nlohmann::json& left_out() const { return left_out_; }

  /// What was tuned so far.
  TuningTable& tuning() { return tuning_; }

  /// Checks a product, to be timed with the others of its case. `row` says what is measured; `apply` enqueues
  /// y := op(A) x and keeps what it needs; `error` looks at y.
  void add(nlohmann::json row, double bytes, std::function<void()> apply, const std::function<double()>& error) {
    double wrong = 0;
    const std::string failure = failure_of(row, [&] {
      apply();
      wrong = error();
    });
    if (!failure.empty()) return leave_out(std::move(row), failure);
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

  /// A product of another library that could not be made ready; of `row` a kernel need not be known.
  void leave_out(nlohmann::json row, const std::string& failure) {
    std::printf("%-60s LEFT OUT: %s\n", name_of(row).c_str(), failure.c_str());
    row["failure"] = failure;
    left_out_.push_back(std::move(row));
  }

  /// Times the products added since the last call, and lets go of them.
  void time_all() {
    if (products_.empty()) return;
    std::vector<std::function<void()>> works;
    for (Product& product : products_) {
      works.push_back([&product] {
        if (product.failure.empty()) product.failure = failure_of(product.row, product.apply);
      });
    }
    if (probe_) works.push_back([this] { (*probe_)(); });
    const std::vector<double> medians = alternating_medians(exec_, works, {.samples = samples_});
    const double limit = probe_ ? probe_->bytes() / medians.back() * 1e-9 : limit_;
    for (std::size_t i = 0; i < products_.size(); ++i) {
      auto& [row, bytes, apply, failure] = products_[i];
      if (!failure.empty()) {
        leave_out(std::move(row), failure);
        continue;
      }
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
    std::string failure = "";
  };

  /// What another library says of its failure in `work`, or nothing. Ours is thrown on.
  template <class Work>
  static std::string failure_of(const nlohmann::json& row, const Work& work) {
    try {
      work();
    } catch (const std::exception& error) {
      if (row["library"] == "ashlar") throw;
      forget_device_error();
      return error.what();
    }
    return "";
  }

  /// A library's error in a call of the device's runtime is still there to be found by whoever asks next.
  static void forget_device_error() {
#if defined(KOKKOS_ENABLE_CUDA)
    static_cast<void>(cudaGetLastError());
#elif defined(KOKKOS_ENABLE_HIP)
    static_cast<void>(hipGetLastError());
#endif
  }

  static std::string name_of(const nlohmann::json& row) {
    return text(row["case"].get<std::string>(), ", b ", row["block_size"].get<int>(), ", ",
                row["library"].get<std::string>(), " ", row.value("kernel", "of any kernel"), ", ",
                row["type"].get<std::string>(),
                row["mode"] == "no_transpose" ? "" : ", " + row["mode"].get<std::string>(),
                row.value("layout", "") == "row_major" ? ", row_major" : "",
                row.contains("num_vectors") ? text(", k ", row["num_vectors"].get<int>()) : "");
  }

  const Exec& exec_;
  double limit_;
  int samples_;
  nlohmann::json& results_;
  nlohmann::json left_out_ = nlohmann::json::array();
  std::optional<ReadProbe> probe_;
  std::vector<Product> products_;
  bool all_right_ = true;
  TuningTable tuning_;
};

}  // namespace ashlar::perf
