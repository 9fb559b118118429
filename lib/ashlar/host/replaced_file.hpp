#pragma once

#include <unistd.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/output_file.hpp>
#include <filesystem>
#include <string>
#include <system_error>

namespace ashlar {

/// A new file beside `path`, which takes the name `path` once it is whole: whoever reads that meanwhile, or after a
/// failure, finds all of the old file or all of the new.
///
/// A link stays one, and what it leads to is replaced; permissions stay. What is no regular file (a terminal, a pipe)
/// is written to as it is.
///
/// Throws   FileError in the name of `path`.
class ReplacedFile {
 public:
  explicit ReplacedFile(const std::string& path) : path_(path) {
    namespace fs = std::filesystem;
    require_writable(path);
    std::error_code error;
    target_ = fs::weakly_canonical(path, error);
    status_ = fs::status(target_, error);
    is_replaced_ = !fs::exists(status_) || fs::is_regular_file(status_);
    // In the same folder, since a file takes another's name within one file system only.
    new_name_ = is_replaced_ ? target_.string() + text(".new-", ::getpid()) : path;
  }

  /// Of the file that is to be written.
  const std::string& new_name() const { return new_name_; }
  bool is_replaced() const { return is_replaced_; }

  /// When it is whole.
  void take_name() const {
    namespace fs = std::filesystem;
    if (!is_replaced_) return;
    std::error_code error;
    if (fs::exists(status_)) fs::permissions(new_name_, status_.permissions(), error);
    fs::rename(new_name_, target_, error);
    if (!error) return;
    const std::string why = error.message();
    fs::remove(new_name_, error);
    throw FileError(path_, 0, "cannot be replaced", why, "name another file");
  }

 private:
  std::string path_, new_name_;
  std::filesystem::path target_;
  std::filesystem::file_status status_;
  bool is_replaced_ = true;
};

/// Calls write(name) with the name of a ReplacedFile, which then takes the name `path`.
///
/// Throws   FileError in the name of `path`, and what `write` throws; what was there is then still there.
template <class Write>
void replace_file(const std::string& path, const Write& write) {
  const ReplacedFile replaced(path);
  if (!replaced.is_replaced()) return write(path);
  try {
    write(replaced.new_name());
  } catch (const FileError& fault) {
    throw FileError(path, 0, "cannot be written", fault.why(), fault.suggestion());
  }
  replaced.take_name();
}

}  // namespace ashlar
