#include <Eigen/Dense>
#include <algorithm>
#include <ashlar/base/scalar.hpp>
#include <ashlar/krylov/impl/small_dense.hpp>
#include <cmath>

namespace ashlar::impl {

namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Dense> view(const SmallMatrix& a) { return {a.entries.data(), a.rows, a.cols}; }

SmallMatrix from(const Dense& a) {
  SmallMatrix result(static_cast<int>(a.rows()), static_cast<int>(a.cols()));
  std::copy_n(a.data(), a.size(), result.entries.data());
  return result;
}

/// The rounding error of a squared length of 1 in a missing direction: it comes from sums of many terms.
constexpr double rounding = 1e-13;

}  // namespace

SmallMatrix product(const SmallMatrix& a, const SmallMatrix& b) { return from(view(a) * view(b)); }

SmallMatrix transposed(const SmallMatrix& a) { return from(view(a).transpose()); }

bool all_finite(const SmallMatrix& a) {
  return std::all_of(a.entries.begin(), a.entries.end(), [](double entry) { return is_finite(entry); });
}

std::optional<Basis> basis_from_gram(const SmallMatrix& gram) {
  const Eigen::Index n = gram.rows;
  Eigen::VectorXd length(n), inverse(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (gram(i, i) < 0) return std::nullopt;
    length(i) = std::sqrt(gram(i, i));
    inverse(i) = length(i) > 0 ? 1 / length(i) : 0;
  }
  const Dense scaled = inverse.asDiagonal() * view(gram) * inverse.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Dense> eigen((scaled + scaled.transpose()) / 2);
  if (eigen.info() != Eigen::Success) return std::nullopt;
  const auto& values = eigen.eigenvalues();  // ascending
  const double noise = rounding * double(n);
  if (n > 0 && values(0) < -1e3 * noise) return std::nullopt;
  Eigen::Index first = 0;
  while (first < n && values(first) <= noise) ++first;
  const Eigen::Index rank = n - first;
  const Eigen::VectorXd root = values.tail(rank).cwiseSqrt();
  const Dense directions = eigen.eigenvectors().rightCols(rank);
  Basis basis;
  basis.to_basis = from(inverse.asDiagonal() * directions * root.cwiseInverse().asDiagonal());
  basis.coefficients = from(root.asDiagonal() * directions.transpose() * length.asDiagonal());
  basis.least = rank > 0 ? values(first) : 1;
  return basis;
}

std::optional<SmallMatrix> inverse_of_spd(const SmallMatrix& a) {
  const Eigen::LLT<Dense> factor((view(a) + view(a).transpose()) / 2);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return from(factor.solve(Dense::Identity(a.rows, a.rows)));
}

}  // namespace ashlar::impl
