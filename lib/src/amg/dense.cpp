#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <ashlar/amg/dense_inverse.hpp>
#include <ashlar/amg/lanczos.hpp>
#include <ashlar/amg/options.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>

namespace ashlar::amg {

void check(const Options& options) {
  const auto require = [](bool holds, const std::string& problem, const char* why, const char* suggestion) {
    if (!holds) throw ArgumentError("amg: " + problem, why, suggestion);
  };
  require(options.strength >= 0 && options.strength < 1, text("strength ", options.strength),
          "it compares the coupling of two nodes with their diagonal blocks: from 0 to below 1", "0 or 0.02 are usual");
  require(options.smoother_degree >= 1 && options.smoother_degree <= 10,
          text("smoother_degree ", options.smoother_degree), "it is 1 to 10", "2 is usual");
  require(options.smoothed_fraction > 0 && options.smoothed_fraction < 1,
          text("smoothed_fraction ", options.smoothed_fraction), "it lies between 0 and 1", "0.1 is usual");
  require(options.prolongator_damping >= 0 && options.prolongator_damping < 2,
          text("prolongator_damping ", options.prolongator_damping), "it is from 0 to below 2", "4/3 is usual");
  require(options.coarsest_rows >= 1 && options.coarsest_rows <= 2000, text("coarsest_rows ", options.coarsest_rows),
          "a dense matrix of so many rows is inverted: 1 to 2000", "200 is usual");
  require(options.max_levels >= 1, text("max_levels ", options.max_levels), "there is one level at least",
          "20 is usual");
}

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
