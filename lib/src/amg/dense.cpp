#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <ashlar/amg/dense_inverse.hpp>
#include <ashlar/amg/lanczos.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>

namespace ashlar::amg {

double largest_eigenvalue(const std::vector<double>& diagonal, const std::vector<double>& subdiagonal) {
  const auto n = static_cast<Eigen::Index>(diagonal.size());
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(Eigen::Map<const Eigen::VectorXd>(diagonal.data(), n),
                                Eigen::Map<const Eigen::VectorXd>(subdiagonal.data(), n - 1), Eigen::EigenvaluesOnly);
  return solver.eigenvalues()(n - 1);
}

std::vector<double> symmetric_inverse(const std::vector<double>& a, int n) {
  if (!std::all_of(a.begin(), a.end(), [](double entry) { return is_finite(entry); })) {
    throw NumericalError(-1, "amg: the matrix of the coarsest level has an entry that is not finite",
                         "products of the matrix with its prolongators overflowed", "scale the matrix");
  }
  using Matrix = Eigen::MatrixXd;
  const Matrix given = Eigen::Map<const Matrix>(a.data(), n, n);
  const Matrix matrix = (given + given.transpose()) / 2;
  std::vector<double> result(a.size());
  Eigen::Map<Matrix> inverse(result.data(), n, n);
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

}  // namespace ashlar::amg
