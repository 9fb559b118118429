#pragma once

#include <unistd.h>

#include <utility>

namespace ashlar {

/// An open file, or whatever else the system numbers so; closed by the destructor. Move-only; -1: none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// Takes it over.
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  ~FileDescriptor() { close(); }

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  void close() {
    if (number_ >= 0) ::close(number_);
  }

  int number_ = -1;
};

}  // namespace ashlar
