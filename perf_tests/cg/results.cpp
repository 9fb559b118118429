#include <ashlar/base/text.hpp>
#include <cg/floor.hpp>
#include <cg/results.hpp>
#include <cstdio>
#include <utility>

namespace ashlar::perf {

namespace {

std::string name_of(const CgForm& form) {
  return form.library == "ashlar" ? form.kernel : form.library + " " + form.kernel;
}

}  // namespace

void CgResults::begin(const CgSystem& system, const std::string& preconditioner) {
  const Matrix& a = system.matrix;
  const bool is_said = common_.value("case", "") == system.name && common_["preconditioner"] == preconditioner;
  const double floor = floor_us(iteration_bytes(a));
  common_ = {{"case", system.name},          {"preconditioner", preconditioner}, {"type", "double"},
             {"block_size", a.block_size()}, {"num_rows", a.num_rows()},         {"num_values", a.num_values()},
             {"limit_gb_s", read_gb_s_}};
  if (preconditioner == "block_jacobi") {
    common_["floor_with_preconditioner_us"] = floor + block_jacobi_bytes(a) / read_gb_s_ * 1e-3;
  }
  if (is_said) return;
  std::printf("%s, b %d, %lld rows, %lld values, preconditioner %s: floor of CG %.2f us\n", system.name.c_str(),
              a.block_size(), static_cast<long long>(a.num_rows()), static_cast<long long>(a.num_values()),
              preconditioner.c_str(), floor);
  std::fflush(stdout);
}

nlohmann::json CgResults::row_of(const CgForm& form) const {
  nlohmann::json row = common_;
  row["library"] = form.library;
  row["kernel"] = form.kernel;
  row["bytes"] = form.bytes;
  row["floor_us"] = floor_us(form.bytes);
  return row;
}

void CgResults::add(const CgForm& form, const CgTimes& times) {
  nlohmann::json row = row_of(form);
  const double floor = floor_us(form.bytes);
  row.update({{"us", times.us},
              {"over_floor", times.us / floor},
              {"solve_us", times.solve_us},
              {"iterations", times.iterations},
              {"launch", times.launch},
              {"seconds", times.us * 1e-6},
              {"gb_s", form.bytes / times.us * 1e-3},
              {"fraction", floor / times.us},
              {"verified", true}});
  rows_.push_back(std::move(row));
  std::printf("  %-52s %9.2f us, %6.2f times the floor; in a solve of %5d %9.2f us; %s\n", name_of(form).c_str(),
              times.us, times.us / floor, times.iterations, times.solve_us, times.launch.c_str());
  std::fflush(stdout);
}

void CgResults::add_wrong(const CgForm& form, const std::string& why) {
  all_right_ = false;
  nlohmann::json row = row_of(form);
  row["verified"] = false;
  row["error"] = why;
  rows_.push_back(std::move(row));
  std::printf("  %-52s WRONG: %s\n", name_of(form).c_str(), why.c_str());
  std::fflush(stdout);
}

void CgResults::leave_out(const CgForm& form, const std::string& why) const {
  std::printf("  %-52s left out: %s\n", name_of(form).c_str(), why.c_str());
  std::fflush(stdout);
}

}  // namespace ashlar::perf
