#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <ashlar/amg/dense_inverse.hpp>
#include <ashlar/amg/impl/check_input.hpp>
#include <ashlar/amg/lanczos.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ashlar::amg {

double largest_eigenvalue(const std::vector<double>& diagonal, const std::vector<double>& subdiagonal) {
  const auto n = static_cast<Eigen::Index>(diagonal.size());
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(Eigen::Map<const Eigen::VectorXd>(diagonal.data(), n),
                                Eigen::Map<const Eigen::VectorXd>(subdiagonal.data(), n - 1), Eigen::EigenvaluesOnly);
  return solver.eigenvalues()(n - 1);
}

std::vector<double> inverse_of_dense(const std::vector<double>& a, int n) {
  if (!std::all_of(a.begin(), a.end(), [](double entry) { return is_finite(entry); })) {
    throw NumericalError(-1, "amg: the matrix of the coarsest level has an entry that is not finite",
                         "products of the matrix with its prolongators overflowed", "scale the matrix");
  }
  using Matrix = Eigen::MatrixXd;
  const Matrix given = Eigen::Map<const Matrix>(a.data(), n, n);
  std::vector<double> result(a.size());
  Eigen::Map<Matrix> inverse(result.data(), n, n);
  constexpr double rounding = 1e-5;  // of products in float
  if (!((given - given.transpose()).norm() <= rounding * given.norm())) {
    inverse = Eigen::CompleteOrthogonalDecomposition<Matrix>(given).pseudoInverse();
    return result;
  }
  const Matrix matrix = (given + given.transpose()) / 2;
  const Eigen::LLT<Matrix> cholesky(matrix);
  if (cholesky.info() == Eigen::Success) {
    const Eigen::VectorXd pivots = Matrix(cholesky.matrixL()).diagonal();
    if (n == 0 || pivots.minCoeff() > 1e-6 * pivots.maxCoeff()) {
      const Matrix solved = cholesky.solve(Matrix::Identity(n, n));
      inverse = (solved + solved.transpose()) / 2;  // the cycle is to be symmetric
      return result;
    }
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(matrix);
  const double largest = eigen.eigenvalues().cwiseAbs().maxCoeff();
  const Eigen::VectorXd inverted =
      eigen.eigenvalues().unaryExpr([&](double value) { return value > 1e-13 * largest ? 1 / value : 0.0; });
  inverse = eigen.eigenvectors() * inverted.asDiagonal() * eigen.eigenvectors().transpose();
  return result;
}

int impl::first_dependent(std::vector<double> products, int m) {
  // Cholesky's method on the cosines: a pivot is the squared sine of the angle between a vector and those before it.
  constexpr double rounding = 1e-13;
  const auto at = [&](int j, int k) -> double& { return products[std::size_t(j + k * m)]; };
  std::vector<double> length;
  for (int k = 0; k < m; ++k) length.push_back(std::sqrt(at(k, k)));
  for (int k = 0; k < m; ++k) {
    for (int j = 0; j <= k; ++j) at(j, k) /= length[std::size_t(j)] * length[std::size_t(k)];
  }
  for (int k = 0; k < m; ++k) {
    for (int j = 0; j < k; ++j) {
      for (int i = 0; i < j; ++i) at(j, k) -= at(i, j) * at(i, k);
      at(j, k) /= at(j, j);
      at(k, k) -= at(j, k) * at(j, k);
    }
    if (!(at(k, k) > rounding)) return k;
    at(k, k) = std::sqrt(at(k, k));
  }
  return m;
}

}  // namespace ashlar::amg
