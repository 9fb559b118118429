#pragma once

#include <optional>
#include <string_view>

namespace ashlar {

/// The methods of multiplying by a BCSR matrix. Source: Eberhardt & Hoemmen 2016.
enum class Kernel {
  automatic,             ///< the plan decides
  by_block,              ///< a group of threads takes whole blocks of a block row, a thread some entries of each
  by_column,             ///< a group takes whole columns of a block row, a thread some rows of them
  by_line,               ///< a thread takes columns (of blocks stored by rows: rows) of the blocks of a block row, or
                         ///< parts of them: for compiled sizes from 2 on. With several vectors some threads take a
                         ///< block, line after line: compiled sizes up to 6, with vectors of doubles up to 8
  by_tile,               ///< a team takes many block rows as one list, a thread a block: for b = 1 and 2
  tensor_core,           ///< some warps take four columns of a block row at a time: multi-vectors of doubles, on
                         ///< NVIDIA's data-centre GPUs; elsewhere, and for one vector, as automatic
  row_per_thread,        ///< a thread of the group takes one row of the block row
  block_row_per_thread,  ///< a thread takes a block row: for CPUs
};

/// Who chose a plan's kernel and how its threads are grouped.
enum class ChosenBy { cost_model, caller, measurement };

/// "by_block": the name in labels, options and reports.
std::string_view to_string(Kernel kernel);

/// The kernel of this name, or nothing.
std::optional<Kernel> kernel_from_string(std::string_view name);

}  // namespace ashlar
