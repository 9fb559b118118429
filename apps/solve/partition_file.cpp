#include "solve/partition_file.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/text_file.hpp>
#include <locale>
#include <sstream>
#include <utility>
#include <vector>

#include "numbers.hpp"

namespace ashlar::app {

RowPartition read_partition(const std::string& path, std::int64_t num_block_rows, int ranks) {
  constexpr std::size_t most_bytes = std::size_t(1) << 24;
  const auto refuse = [&](const std::string& problem, const std::string& why) {
    throw FileError(path, 0, problem, why, "write the block rows of each rank, one number after another");
  };
  std::istringstream words(read_text_file(path, most_bytes));
  words.imbue(std::locale::classic());
  std::vector<std::int64_t> offsets{0};
  for (std::string word; words >> word;) {
    const auto count = parse_whole_number(word);
    if (!count || *count < 0 || *count > num_block_rows) {
      refuse(text("'", word.substr(0, 40), "'"), text("a rank has 0 to ", num_block_rows, " block rows"));
    }
    offsets.push_back(offsets.back() + *count);
  }
  if (static_cast<int>(offsets.size()) - 1 != ranks) {
    refuse("a partition for " + count_text(static_cast<std::int64_t>(offsets.size()) - 1, "rank"),
           text("it runs on ", count_text(ranks, "rank")));
  }
  if (offsets.back() != num_block_rows) {
    refuse(text("its numbers add up to ", offsets.back()), text("the system has ", num_block_rows, " block rows"));
  }
  return RowPartition(std::move(offsets));
}

}  // namespace ashlar::app
