#include "file_names.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <filesystem>
#include <system_error>

#include "output_file.hpp"

namespace ashlar::app {

namespace {

namespace fs = std::filesystem;

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  // (Of a relative path whose first part is missing weakly_canonical() makes no absolute one.)
  const auto path_of = [&error](const std::string& name) {
    const fs::path path = fs::absolute(name, error);
    return error ? path : fs::weakly_canonical(path, error);
  };
  const fs::path path_a = path_of(a);
  if (error) return a == b;
  const fs::path path_b = path_of(b);
  if (error) return a == b;
  return path_a == path_b || (fs::equivalent(path_a, path_b, error) && !error);
}

}  // namespace

void require_distinct(const NamedFile& output, const NamedFile& other) {
  if (!output.second || !other.second || is_written_through(*output.second)) return;
  if (!same_file(*output.second, *other.second)) return;
  throw FileError(*output.second, 0, text("named by ", output.first, " and by ", other.first),
                  "one would overwrite the other", "name another file");
}

bool is_read_once(const std::string& path) {
  std::error_code unknown;  // then the status is no known one, either
  return fs::is_other(fs::status(path, unknown));
}

bool is_block_file(const std::string& path) { return fs::path(path).extension() == ".bcsr"; }

bool is_matrix_market_file(const std::string& path) { return fs::path(path).extension() == ".mtx"; }

}  // namespace ashlar::app
