#include <unistd.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/distributed/shared_file.hpp>
#include <filesystem>
#include <system_error>
#include <vector>

namespace ashlar {

namespace {

FileError error_of_rank(const Communicator& comm, const std::string& path, const std::string& why,
                        const std::string& suggestion) {
  const std::string who = comm.is_alone() ? "" : text("rank ", comm.rank(), " on ", comm.transport().host_name(), ": ");
  return FileError(path, 0, "cannot be written", who + why, suggestion);
}

}  // namespace

template <class Work>
void SharedFile::on_all(const Work& work) const {
  comm_.together([&] {
    try {
      work();
    } catch (const FileError& fault) {
      throw error_of_rank(comm_, path_, fault.why(), fault.suggestion());
    }
  });
}

SharedFile::SharedFile(const Communicator& comm, const std::string& path) : comm_(comm), path_(path) {
  const bool makes_it = comm_.rank() == 0;
  on_all([&] {
    if (!makes_it) return;
    replaced_.emplace(path_);
    file_.emplace(replaced_->new_name(), path_);  // refuses what is no regular file
  });
  const std::string name = comm_.broadcast(makes_it ? replaced_->new_name() : std::string());
  on_all([&] {
    if (makes_it) return;
    std::error_code unknown;  // then opening it says what is wrong
    if (!std::filesystem::exists(name, unknown) && !unknown) {
      throw FileError(path_, 0, "cannot be written", "it does not see the file that rank 0 has made",
                      "name a file on a file system that all ranks share");
    }
    file_.emplace(name, path_, io::PlacedWriter::File::shared);
  });
}

SharedFile::~SharedFile() {
  // What is open goes by itself; close() may have failed on another rank after it was done here.
  if (replaced_ && !is_closed_) ::unlink(replaced_->new_name().c_str());
}

void SharedFile::write(std::uint64_t offset, const void* bytes, std::size_t size) {
  on_all([&] { file_->write(offset, bytes, size); });
}

void SharedFile::append(std::string_view text) {
  std::uint64_t offset = end_;
  const std::vector<std::uint64_t> sizes = comm_.all_gather(std::uint64_t(text.size()));
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    if (static_cast<int>(rank) < comm_.rank()) offset += sizes[rank];
    end_ += sizes[rank];
  }
  write(offset, text.data(), text.size());
}

void SharedFile::close() {
  on_all([&] { file_->close(); });
  on_all([&] {
    if (replaced_) replaced_->take_name();
  });
  is_closed_ = true;
}

}  // namespace ashlar
