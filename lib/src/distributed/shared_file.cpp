#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/distributed/shared_file.hpp>
#include <ashlar/host/output_file.hpp>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace ashlar {

namespace {

FileError error_of_rank(const Communicator& comm, const std::string& path, const std::string& why,
                        const std::string& suggestion) {
  const std::string who = comm.is_alone() ? "" : text("rank ", comm.rank(), " on ", comm.transport().host_name(), ": ");
  return FileError(path, 0, "cannot be written", who + why, suggestion);
}

std::filesystem::path folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(link_target(path)).parent_path();
  return folder.empty() ? "." : folder;
}

/// The name by which other ranks find the file in the folder of its path. A file without a name is a descriptor of this
/// process.
std::string name_for_others(const ReplacedFile& file) {
  constexpr std::string_view own = "/proc/self/";
  if (!file.is_unnamed()) return std::filesystem::path(file.new_name()).filename().string();
  return text("/proc/", ::getpid(), "/", file.new_name().substr(own.size()));
}

/// Device and number of a file or a folder; zeros if there is none.
std::array<std::uint64_t, 2> identity_of(const std::string& name) {
  struct stat status = {};
  if (::stat(name.c_str(), &status) != 0) return {};
  return {std::uint64_t(status.st_dev), std::uint64_t(status.st_ino)};
}

/// The identity of a file without a name and of its folder, as this rank sees them: equal on two ranks of one host.
std::array<std::uint64_t, 4> seen_of(const std::string& name, const std::string& path) {
  const auto file = identity_of(name), folder = identity_of(folder_of(path).string());
  return {file[0], file[1], folder[0], folder[1]};
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

std::string SharedFile::make(ReplacedFile::Kind kind) {
  const bool makes_it = comm_.rank() == 0;
  on_all([&] {
    if (!makes_it) return;
    file_.reset();
    replaced_.emplace(path_, kind);
    file_.emplace(replaced_->new_name(), path_);  // refuses all but regular files
  });
  return comm_.broadcast(makes_it ? name_for_others(*replaced_) : std::string());
}

SharedFile::SharedFile(const Communicator& comm, const std::string& path) : comm_(comm), path_(path) {
  std::string name = make(ReplacedFile::Kind::unnamed);
  if (comm_.broadcast(int(replaced_ && replaced_->is_unnamed())) > 0) {
    const auto mine = seen_of(name, path), of_rank_0 = comm_.broadcast(mine);
    if (comm_.max(int(mine != of_rank_0)) > 0) name = make(ReplacedFile::Kind::named);
  }
  on_all([&] {
    if (replaced_) return;
    const std::string found = (folder_of(path_) / name).string();
    std::error_code unknown;  // then opening it reports the error
    if (!std::filesystem::exists(found, unknown) && !unknown) {
      throw FileError(path_, 0, "cannot be written", "it does not see the file that rank 0 has made",
                      "name a file on a file system that all ranks share");
    }
    file_.emplace(found, path_, io::PlacedWriter::File::shared);
  });
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
}

}  // namespace ashlar
