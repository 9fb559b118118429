#include "output_file.hpp"

#include <ashlar/host/output_file.hpp>
#include <filesystem>
#include <iostream>
#include <system_error>

namespace ashlar::app {

OutputFile::OutputFile(const std::string& path)
    : path_(path == "-" ? "/dev/stdout" : path), is_replaced_(ReplacedFile(path_).is_replaced()) {}

void OutputFile::flush_standard_output() { std::cout.flush(); }

bool is_written_through(const std::string& path) {
  std::error_code unknown;  // then opening it says what is wrong
  return path == "-" || descriptor_of(path) || std::filesystem::is_other(std::filesystem::status(path, unknown));
}

}  // namespace ashlar::app
