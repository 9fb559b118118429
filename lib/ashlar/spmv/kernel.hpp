#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace ashlar {

/// The methods of multiplying by a BCSR matrix. Source: Eberhardt & Hoemmen 2016.
///
/// The only list of kernels: the build makes their names, their dispatch and the compiled instances from it. Each has a
/// file of its name in impl/kernels/, which says what shapes it serves and why it is chosen. Plans ask them in this
/// order, and take the first that serves the shape and is worth its cost.
enum class Kernel {
  automatic,             ///< the plan decides
  staged,                ///< several vectors; block rows are copied to scratch memory, some threads take a block, line
                         ///< after line: for compiled sizes up to 6, with vectors of doubles up to 8
  tensor_core,           ///< some warps take four columns of a block row at a time: multi-vectors of doubles, on
                         ///< NVIDIA's data-centre GPUs; elsewhere, and for one vector, as automatic
  by_line,               ///< a thread takes columns (of blocks stored by rows: rows) of the blocks of a block row, or
                         ///< parts of them: for compiled sizes from 2 on. For several vectors: staged
  by_tile,               ///< a team takes many block rows as one list, a thread a block: for b = 1 and 2
  by_column,             ///< a group takes whole columns of a block row, a thread some rows of them
  by_block_rows,         ///< a thread keeps some columns of a block and goes down its rows: for blocks stored by rows,
                         ///< of compiled sizes from 10 on
  by_block,              ///< a group of threads takes whole blocks of a block row, a thread some entries of each. Where
                         ///< by_block_rows serves: that
  row_per_thread,        ///< a thread of the group takes one row of the block row
  block_row_per_thread,  ///< a thread takes a block row: for CPUs
};

/// Who chose a plan's kernel and how its threads are grouped.
enum class ChosenBy { cost_model, caller, measurement };

/// "by_block": the name in labels, options and reports. Of automatic: "auto".
std::string_view to_string(Kernel kernel);

/// The kernel of this name, or nothing.
std::optional<Kernel> kernel_from_string(std::string_view name);

/// Every kernel there is, in the order of the list; not automatic.
const std::vector<Kernel>& all_kernels();

/// Which operator op(A) a matrix stands for: A, A^T, conj(A) or A^H. For real matrices conjugation changes nothing.
enum class Mode { no_transpose, transpose, conjugate, conjugate_transpose };

/// True if op(A) has the shape of A^T.
constexpr bool is_transposed(Mode mode) { return mode == Mode::transpose || mode == Mode::conjugate_transpose; }

/// True if op(A) has the entries of A conjugated.
constexpr bool is_conjugated(Mode mode) { return mode == Mode::conjugate || mode == Mode::conjugate_transpose; }

/// "conjugate_transpose": the name in labels, options and reports.
std::string_view to_string(Mode mode);

/// The mode of this name, or of its letter in BLAS (N, T, C for conjugate, H), or nothing.
std::optional<Mode> mode_from_string(std::string_view name);

/// op(A) as formulas write it: "A", "A^T", "conj(A)", "A^H".
std::string_view symbol_of(Mode mode);

}  // namespace ashlar
