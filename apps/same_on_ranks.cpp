#include "same_on_ranks.hpp"

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/text_file.hpp>
#include <filesystem>

#include "file_names.hpp"

namespace ashlar::app {

namespace {

/// No argument holds a zero: strings that are joined so are the same where the arguments are.
std::string joined(const std::vector<std::string>& arguments) {
  std::string all;
  for (const std::string& argument : arguments) all += argument + '\0';
  return all;
}

std::vector<std::string> separated(const std::string& all) {
  std::vector<std::string> arguments;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = all.find('\0', begin);
    arguments.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return arguments;
}

std::string argument_at(const std::vector<std::string>& arguments, std::size_t place) {
  return place < arguments.size() ? "'" + arguments[place] + "'" : "nothing";
}

/// Where the first difference lies, and what it is.
std::string first_difference(const std::vector<std::string>& mine, const std::vector<std::string>& of_first, int rank) {
  const auto [here, there] = std::mismatch(mine.begin(), mine.end(), of_first.begin(), of_first.end());
  const auto place = static_cast<std::size_t>(here - mine.begin());
  return text(place > 0 ? text("after '", mine[place - 1], "' ") : "", "rank ", rank, " has ", argument_at(mine, place),
              ", rank 0 ", argument_at(of_first, place));
}

std::uint64_t size_of_file(const std::string& path) {
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  return unknown ? 0 : size;
}

/// What tells a file from others.
std::string mark_of(const std::string& path, std::size_t most_bytes, int rank) {
  try {
    const FileText beginning(path, most_bytes);
    return text(size_of_file(path), ' ', beginning.view());
  } catch (const FileError& fault) {
    if (rank == 0) throw;
    throw FileError(path, 0, text("cannot be read on rank ", rank), fault.why(), "all ranks read it: let them see it");
  }
}

}  // namespace

void require_same_arguments(const World& world, const std::vector<std::string>& arguments) {
  if (world.is_alone()) return;
  const std::vector<std::string> of_first = separated(world.comm().broadcast(joined(arguments)));
  world.on_all([&] {
    if (arguments == of_first) return;
    throw ArgumentError("the ranks were started with different arguments",
                        first_difference(arguments, of_first, world.comm().rank()),
                        "start all ranks with the same; only options that begin with --kokkos- may differ");
  });
}

void require_same_file(const World& world, const std::string& path, std::size_t most_bytes) {
  if (world.is_alone()) return;
  const int rank = world.comm().rank();
  const std::string mine =
      world.on_all([&] { return is_read_once(path) ? std::string() : mark_of(path, most_bytes, rank); });
  const std::string of_first = world.comm().broadcast(mine);
  world.on_all([&] {
    if (mine == of_first) return;
    throw FileError(path, 0, text("is another file on rank ", rank, " than on rank 0"),
                    "their sizes or contents differ", "give all ranks the same file");
  });
}

}  // namespace ashlar::app
