#pragma once

#include <optional>
#include <string>

#include "output_file.hpp"
#include "world.hpp"

namespace ashlar::app {

/// Calls write(path) on all ranks, which write this file together by way of a SharedFile: a signal that ends the
/// command leaves no half of it. Collective; on one rank alone as well.
///
/// Throws   FileError and what write() throws, on all ranks together.
template <class Write>
void write_together(const World& world, const std::string& path, const Write& write) {
  std::optional<OutputFile> file;  // on the rank that makes it
  world.on_all([&] {
    if (world.speaks()) file.emplace(path);
  });
  if (file) {
    file->write_replacing(write);
  } else {
    write(path);
  }
}

}  // namespace ashlar::app
