#include "column_file.hpp"

#include <ashlar/distributed/shared_file.hpp>
#include <ashlar/io/matrix_market.hpp>

#include "file_names.hpp"

namespace ashlar::app {

namespace {

/// By rank 0, which is sent all of it: where one rank is alone, and for what has no places, as standard output.
void write_on_one(const World& world, const std::string& path, const Columns& mine) {
  const Communicator& comm = world.comm();
  std::vector<std::vector<double>> to(std::size_t(comm.size()));
  std::vector<double> all;
  for (std::int64_t j = 0; j < mine.num_columns; ++j) {
    to[0].assign(mine.column(j).begin(), mine.column(j).end());
    for (const auto& part : comm.all_to_all(to)) all.insert(all.end(), part.begin(), part.end());
  }
  world.on_all([&] {
    if (!world.speaks()) return;
    OutputFile(path).write([&](const std::string& name) {
      io::write_matrix_market_array(name, static_cast<std::int64_t>(all.size()) / mine.num_columns, all);
    });
  });
}

/// By all ranks, each its lines.
void write_on_all(const World& world, const std::string& path, const Columns& mine) {
  const Communicator& comm = world.comm();
  const std::int64_t num_rows = comm.sum(mine.num_rows);
  SharedFile file(comm, path);
  file.append(world.speaks() ? io::matrix_market_array_head<double>(num_rows, mine.num_columns) : "");
  for (std::int64_t j = 0; j < mine.num_columns; ++j) {
    file.append(world.on_all([&] { return io::matrix_market_array_lines(mine.column(j)); }));
  }
  file.close();
}

}  // namespace

void write_columns(const World& world, const std::string& path, const Columns& mine) {
  // Only rank 0 knows an output that is no regular file: other hosts may have none of this name.
  const bool is_stream = world.comm().broadcast(is_written_through(path));
  // An error of several ranks is kept by one of them.
  world.on_all(
      [&] { world.is_alone() || is_stream ? write_on_one(world, path, mine) : write_on_all(world, path, mine); });
}

}  // namespace ashlar::app
