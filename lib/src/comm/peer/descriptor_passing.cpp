#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/impl/peer_segments.hpp>
#include <ashlar/comm/transport.hpp>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iomanip>
#include <locale>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::impl {

namespace {

/// Identifies the sockets of one call.
struct Token {
  std::array<std::uint32_t, 4> words{};

  bool operator==(const Token&) const = default;
};

/// Sent with a descriptor.
struct Letter {
  Token token;
  int rank = -1;
};

[[noreturn]] void fail_to_pass(const std::string& what, const std::string& why) {
  throw CommError(text("comm: ", what), why, "let messages go through the transport");
}
[[noreturn]] void fail_to_pass(const std::string& what, int error) { fail_to_pass(what, std::strerror(error)); }

Token random_token() {
  std::random_device random;
  Token token;
  for (std::uint32_t& word : token.words) word = random();
  return token;
}

struct Address {
  sockaddr_un name{};
  socklen_t bytes = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

/// In the abstract name space of Linux: the name begins with a zero byte.
Address address_of(const Token& token, int rank) {
  std::ostringstream name;
  name.imbue(std::locale::classic());
  name << "ashlar-" << std::hex << std::setfill('0');
  for (const std::uint32_t word : token.words) name << std::setw(8) << word;
  name << '-' << std::dec << rank;
  const std::string characters = name.str();
  Address address;
  address.name.sun_family = AF_UNIX;
  std::copy(characters.begin(), characters.end(), address.name.sun_path + 1);  // far shorter
  address.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + characters.size());
  return address;
}

/// A socket of this name. The system tells the sender of each message.
FileDescriptor bound_socket(const Address& address) {
  FileDescriptor result(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!result.is_open()) fail_to_pass("a Unix domain socket", errno);
  const int yes = 1;
  if (setsockopt(result.get(), SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) != 0 ||
      bind(result.get(), address.get(), address.bytes) != 0) {
    fail_to_pass("a Unix domain socket of this rank", errno);
  }
  return result;
}

/// Room for what the system adds to a message.
template <class... What>
struct alignas(cmsghdr) Room {
  std::array<char, (CMSG_SPACE(sizeof(What)) + ...)> bytes{};
};

/// Returns true if it was sent. If the queue of the receiver is full, the caller tries again later.
bool send_letter(int from, const Address& to, Letter letter, int descriptor) {
  Room<int> room;
  iovec part{&letter, sizeof letter};
  msghdr message{};
  message.msg_name = const_cast<sockaddr*>(to.get());
  message.msg_namelen = to.bytes;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room.bytes.data();
  message.msg_controllen = room.bytes.size();
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  if (sendmsg(from, &message, MSG_NOSIGNAL) >= 0) return true;
  // ETOOMANYREFS: the system counts descriptors in flight as open until they are received.
  if (errno == EAGAIN || errno == EINTR || errno == ENOBUFS || errno == ETOOMANYREFS) return false;
  fail_to_pass("a file descriptor for another rank", errno);
}

/// A received message.
struct Taken {
  bool has_come = false;
  bool is_whole = false;  ///< and from this user
  bool lacks_descriptor = false;
  Letter letter;
  FileDescriptor descriptor;
};

Taken take_letter(int socket) {
  Taken taken;
  Room<int, ucred> room;
  iovec part{&taken.letter, sizeof taken.letter};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room.bytes.data();
  message.msg_controllen = room.bytes.size();
  const ssize_t bytes = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (bytes < 0) {
    if (errno == EAGAIN || errno == EINTR) return taken;
    fail_to_pass("file descriptors of other ranks", errno);
  }
  taken.has_come = true;
  bool is_ours = false;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET) continue;
    if (head->cmsg_type == SCM_RIGHTS) {
      // All of them are open by now; superfluous ones close when they are replaced.
      const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t k = 0; k < count; ++k) {
        int number = -1;
        std::memcpy(&number, CMSG_DATA(head) + k * sizeof number, sizeof number);
        taken.descriptor = FileDescriptor(number);
      }
    } else if (head->cmsg_type == SCM_CREDENTIALS) {
      ucred sender{};
      std::memcpy(&sender, CMSG_DATA(head), sizeof sender);
      is_ours = sender.uid == getuid();
    }
  }
  taken.is_whole = is_ours && bytes == ssize_t(sizeof taken.letter);
  taken.lacks_descriptor = !taken.descriptor.is_open();
  return taken;
}

/// The part of one rank, once all have their sockets: sends `mine` to all others, and returns theirs.
std::vector<FileDescriptor> exchange(int socket, const Token& token, int rank, int num_ranks, int mine,
                                     double time_out_seconds) {
  std::vector<FileDescriptor> theirs(static_cast<std::size_t>(num_ranks));
  std::vector<int> to_send;
  for (int other = num_ranks; other-- > 0;) {
    if (other != rank) to_send.push_back(other);
  }
  std::size_t num_to_come = to_send.size();
  const auto begin = std::chrono::steady_clock::now();
  while (!to_send.empty() || num_to_come > 0) {
    // The time limit is checked first: a rank whose time is over sends nothing.
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > time_out_seconds) {
      fail_to_pass(text("file descriptors of ", num_to_come, " ranks have not come, and ", to_send.size(),
                        " ranks have not taken this one's"),
                   text("in ", time_out_seconds, " s"));
    }
    while (!to_send.empty() && send_letter(socket, address_of(token, to_send.back()), {token, rank}, mine)) {
      to_send.pop_back();
    }
    if (to_send.empty() && num_to_come == 0) break;
    pollfd polled{socket, POLLIN, 0};
    poll(&polled, 1, to_send.empty() ? 100 : 1);
    // A bounded number of messages, whatever is sent here.
    for (std::size_t k = 0; k < theirs.size(); ++k) {
      Taken taken = take_letter(socket);
      if (!taken.has_come) break;
      const int from = taken.letter.rank;
      if (!taken.is_whole || taken.letter.token != token || from < 0 || from >= num_ranks || from == rank) continue;
      if (taken.lacks_descriptor) {
        fail_to_pass(text("the file descriptor of rank ", from), "this process may not have as many files open");
      }
      FileDescriptor& its = theirs[static_cast<std::size_t>(from)];
      if (its.is_open()) continue;
      its = std::move(taken.descriptor);
      --num_to_come;
    }
  }
  return theirs;
}

}  // namespace

std::vector<FileDescriptor> pass_descriptors(const Communicator& comm, int mine, double time_out_seconds) {
  const int rank = comm.rank();
  const Token token = comm.broadcast(comm.together([&] { return rank == 0 ? random_token() : Token{}; }));
  const FileDescriptor socket = comm.together([&] {
    if (fcntl(mine, F_GETFD) < 0) fail_to_pass(text("the file descriptor ", mine), errno);
    return bound_socket(address_of(token, rank));
  });
  // All sockets exist from here on, until all ranks are done.
  return comm.together([&] { return exchange(socket.get(), token, rank, comm.size(), mine, time_out_seconds); });
}

}  // namespace ashlar::impl
