#pragma once

#include <unistd.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/io/output_file.hpp>
#include <filesystem>
#include <string>
#include <system_error>

namespace ashlar::io {

/// Calls write(name) with the name of a new file beside `path`, which then takes the name `path`: whoever reads that
/// meanwhile, or after a failure, finds all of the old file or all of the new.
///
/// A link stays one, and what it leads to is replaced; permissions stay. What is no regular file (a terminal, a pipe)
/// is written to as it is.
///
/// Throws   FileError in the name of `path`, and what `write` throws; what was there is then still there.
template <class Write>
void replace_file(const std::string& path, const Write& write) {
  namespace fs = std::filesystem;
  require_writable(path);
  std::error_code error;
  const fs::path target = fs::weakly_canonical(path, error);
  const fs::file_status status = fs::status(target, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return write(path);

  // In the same folder, since a file takes another's name within one file system only.
  const fs::path whole = target.string() + text(".new-", ::getpid());
  try {
    write(whole.string());
  } catch (const FileError& fault) {
    throw FileError(path, 0, "cannot be written", fault.why(), fault.suggestion());
  }
  if (fs::exists(status)) fs::permissions(whole, status.permissions(), error);
  fs::rename(whole, target, error);
  if (error) {
    const std::string why = error.message();
    fs::remove(whole, error);
    throw FileError(path, 0, "cannot be replaced", why, "name another file");
  }
}

}  // namespace ashlar::io
