#include <ashlar/comm/transport.hpp>

#include <unistd.h>

#include <ashlar/base/text.hpp>
#include <cstdlib>
#include <cstring>

namespace ashlar {

std::string_view to_string(MemoryKind kind) {
  constexpr std::string_view names[] = {"host", "CUDA", "HIP", "other"};
  return names[static_cast<int>(kind)];
}

}  // namespace ashlar

namespace ashlar::impl {

std::string host_name() {
  if (const char* const given = std::getenv("ASHLAR_HOST_NAME"); given != nullptr && *given != '\0') return given;
  char name[256] = {};
  // A truncated name need not end in a zero, so the last character stays zero.
  if (::gethostname(name, sizeof(name) - 1) != 0) return "localhost";
  return name;
}

namespace {

void copy(const void* from, std::size_t bytes, void* to) {
  if (bytes > 0) std::memmove(to, from, bytes);
}

class SelfGathering : public Message {
 public:
  SelfGathering(const void* mine, std::size_t bytes, void* all) : mine_(mine), bytes_(bytes), all_(all) {}
  void start() override { copy(mine_, bytes_, all_); }
  bool is_done() override { return true; }
  void wait() override {}

 private:
  const void* mine_;
  std::size_t bytes_;
  void* all_;
};

[[noreturn]] void refuse(const char* what, int other) {
  throw CommError(text("there is no rank ", other, " to ", what), "this rank is alone",
                  "run several ranks, or leave out messages of a rank to itself");
}

class SelfTransport : public Transport {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string name() const override { return "self"; }
  std::string explain() const override { return ""; }
  std::string host_name() const override { return impl::host_name(); }
  int num_hosts() const override { return 1; }

  void barrier() override {}
  void all_gather(const void* mine, std::size_t bytes, void* all) override { copy(mine, bytes, all); }
  void all_gather_varying(const void* mine, const std::vector<std::size_t>& bytes_of, void* all) override {
    copy(mine, bytes_of[0], all);
  }
  void all_to_all(const void* send, const std::vector<std::size_t>& send_bytes, void* receive,
                  const std::vector<std::size_t>&) override {
    copy(send, send_bytes[0], receive);
  }
  void broadcast(void*, std::size_t, int) override {}
  std::unique_ptr<Transport> split(int, int) override { return self_transport(); }

  std::unique_ptr<Message> send(const void*, std::size_t, int to, int) override { refuse("send to", to); }
  std::unique_ptr<Message> receive(void*, std::size_t, int from, int) override { refuse("receive from", from); }
  std::unique_ptr<Message> gathering(const void* mine, std::size_t bytes, void* all) override {
    return std::make_unique<SelfGathering>(mine, bytes, all);
  }

  [[noreturn]] void abort(int exit_code) noexcept override { std::_Exit(exit_code); }
};

}  // namespace

std::unique_ptr<Transport> self_transport() { return std::make_unique<SelfTransport>(); }

}  // namespace ashlar::impl
