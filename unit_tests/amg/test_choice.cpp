// The choice between block-Jacobi and algebraic multigrid.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/amg/choice.hpp>
#include <ashlar/bcsr/from_csr.hpp>
#include <cmath>
#include <cstdint>

#include "amg/systems.hpp"
#include "krylov/systems.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

TEST(AmgChoice, SignsOfRows) {
  const Exec exec;
  const amg::RowSigns chain = amg::row_signs(exec, laplacian_1d(100));
  EXPECT_EQ(chain.rows, 100);
  EXPECT_EQ(chain.without_positive_diagonal, 0);
  EXPECT_EQ(chain.coupled, 100);
  EXPECT_EQ(chain.of_no_m_matrix, 0);
  EXPECT_EQ(chain.with_small_sum, 98) << "not the two at the ends";
  EXPECT_TRUE(chain.are_of_diffusion());
  EXPECT_TRUE(amg::row_signs(exec, Beam({9, 9, 9}, 0.3, 1).a).are_of_diffusion()) << "trilinear hexahedra";
  EXPECT_FALSE(amg::row_signs(exec, Beam({9, 9, 9}).a).are_of_diffusion()) << "elasticity";
  EXPECT_FALSE(amg::row_signs(exec, diagonal<double>({1, 2, 3})).are_of_diffusion()) << "nothing is coupled";
  EXPECT_EQ(amg::row_signs(exec, diagonal<double>({1, 0, -3})).without_positive_diagonal, 2);
  // Symmetric blocks 3 -1 / -1 3: a mass term as large as the couplings.
  const auto massive = block_diagonal<double>(50, 2, [](int, int r, int c) { return r == c ? 3.0 : -1.0; });
  EXPECT_EQ(amg::row_signs(exec, massive).of_no_m_matrix, 0);
  EXPECT_FALSE(amg::row_signs(exec, massive).are_of_diffusion());
  const auto positive = block_diagonal<double>(50, 2, [](int, int r, int c) { return r == c ? 1.0 : 0.5; });
  EXPECT_EQ(amg::row_signs(exec, positive).of_no_m_matrix, 100);
}

/// On the systems of docs/explanation/amg.md the choice is the faster one.
TEST(AmgChoice, IsTheFasterOneOfThoseMeasured) {
  const auto is_amg = [](int side, bool is_on_gpu) {
    const std::int64_t nodes = std::int64_t(side) * side * side;
    return amg::choose({.num_nodes = nodes,
                        .block_size = 3,
                        .signs = {.rows = 3 * nodes},
                        .has_modes = true,
                        .is_on_gpu = is_on_gpu})
        .is_amg;
  };
  EXPECT_TRUE(is_amg(33, false));
  EXPECT_FALSE(is_amg(20, false));
  EXPECT_FALSE(is_amg(33, true));
  EXPECT_TRUE(is_amg(65, true));
  EXPECT_TRUE(is_amg(129, true));
}

TEST(AmgChoice, NeedsEvidence) {
  const amg::RowSigns diffusion{.rows = 64000000, .coupled = 64000000, .with_small_sum = 60000000};
  amg::Prospect prospect{.num_nodes = 64000000, .signs = diffusion};
  EXPECT_TRUE(amg::choose(prospect).is_amg);
  EXPECT_THAT(amg::choose(prospect).why, HasSubstr("block-jacobi takes about 400 iterations"));
  prospect.signs.of_no_m_matrix = 1;
  EXPECT_FALSE(amg::choose(prospect).is_amg);
  EXPECT_THAT(amg::choose(prospect).why, HasSubstr("needs rows of diffusion"));
  prospect.has_modes = true;
  EXPECT_TRUE(amg::choose(prospect).is_amg);
  prospect.signs.without_positive_diagonal = 1;
  EXPECT_FALSE(amg::choose(prospect).is_amg);
  EXPECT_THAT(amg::choose(prospect).why, HasSubstr("not positive"));
  prospect.has_room = false;
  EXPECT_THAT(amg::choose(prospect).why, HasSubstr("too little memory"));
  prospect.is_symmetric = false;
  EXPECT_THAT(amg::choose(prospect).why, HasSubstr("with CG and MINRES alone"));
}

/// A Laplacian with a near-null space is no elastic body: block-Jacobi takes far fewer iterations.
TEST(AmgChoice, ModesDoNotMakeDiffusionElastic) {
  const std::int64_t small = 30000, large = 64000000;
  const auto laplacian = [](std::int64_t nodes) {
    return amg::Prospect{.num_nodes = nodes, .signs = {.rows = nodes, .coupled = nodes, .with_small_sum = nodes}};
  };
  for (const bool has_modes : {false, true}) {
    amg::Prospect prospect = laplacian(small);
    prospect.has_modes = has_modes;
    EXPECT_FALSE(amg::choose(prospect).is_amg);
    EXPECT_THAT(amg::choose(prospect).why, HasSubstr("larger systems"));
    prospect = laplacian(large);
    prospect.has_modes = has_modes;
    EXPECT_TRUE(amg::choose(prospect).is_amg);
    EXPECT_THAT(amg::choose(prospect).why, HasSubstr("block-jacobi takes about 400 iterations"));
  }
  amg::Prospect elastic = laplacian(small);
  elastic.has_modes = true;
  elastic.signs.of_no_m_matrix = small;
  EXPECT_TRUE(amg::choose(elastic).is_amg);
}

/// Without modes, a system may have too few nodes for diffusion, but enough for elasticity.
TEST(AmgChoice, SaysWhatIsMissing) {
  amg::Prospect prospect{.num_nodes = 1000000, .block_size = 3, .signs = {.rows = 3000000, .coupled = 3000000}};
  EXPECT_THAT(amg::choose(prospect).why, HasSubstr("coordinates or modes of elasticity"));
  prospect.signs.with_small_sum = 3000000;
  EXPECT_THAT(amg::choose(prospect).why, HasSubstr("larger systems"));
  prospect.signs = {.rows = 300, .without_positive_diagonal = 300};
  prospect.num_nodes = 100;
  EXPECT_THAT(amg::choose(prospect).why, HasSubstr("larger systems"));
}

TEST(AmgChoice, FindsTheFactsOfAMatrix) {
  const Exec exec;
  const auto beam = Beam({81, 20, 20}).a;
  const bool is_amg = !is_gpu_v<Exec>;  // whose threshold is higher
  EXPECT_EQ(amg::choose(exec, beam, {.has_modes = true}).is_amg, is_amg);
  EXPECT_FALSE(amg::choose(exec, beam, {}).is_amg);
  EXPECT_FALSE(amg::choose(exec, beam, {.has_modes = true, .is_symmetric = false}).is_amg);
  EXPECT_FALSE(amg::choose(exec, beam, {.has_modes = true, .has_room = false}).is_amg);
}

/// Sums of rows of single precision are zero but for its rounding.
TEST(AmgChoice, SignsOfRowsInSinglePrecision) {
  CsrMatrix<float> csr;
  csr.num_rows = csr.num_cols = 500;
  for (int i = 0; i < 500; ++i) {
    const float below = -std::sqrt(float(2 + i)), above = -std::sqrt(float(3 + i));
    const float entries[] = {below, -below - above, above};
    for (int j = std::max(i - 1, 0); j <= std::min(i + 1, 499); ++j) {
      csr.col_idx.push_back(j);
      csr.values.push_back(entries[j - i + 1]);
    }
    csr.row_ptr.push_back(std::int64_t(csr.col_idx.size()));
  }
  const amg::RowSigns signs = amg::row_signs(Exec(), bcsr_from_csr<BcsrMatrix<float>>(Exec(), csr, 1));
  EXPECT_EQ(signs.of_no_m_matrix, 0);
  EXPECT_TRUE(signs.are_of_diffusion());
}

}  // namespace
}  // namespace ashlar::testing
