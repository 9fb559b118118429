// A job that ends in one of several ways, which tests look at from outside:
//
//   end killed           the last rank is killed while the others wait for it
//   end abort            the last rank calls abort()
//   end exception        an exception leaves the session on the last rank alone
//   end shared           an exception leaves the session on all ranks
//   end given-up         messages that nobody takes are given up by an exception on the last rank alone
//   end after-finalize   MPI ends before messages and communicators do
#include <ashlar/comm/mpi/communicator.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void end(const std::string& way) {
  const ashlar::MpiSession mpi;
  const ashlar::Communicator world = mpi.world();
  const bool is_last = world.rank() == world.size() - 1;
  std::vector<double> data(1000000, 1.0);
  const std::size_t bytes = data.size() * sizeof(double);
  const auto send = world.send(data.data(), bytes, 0, 0);
  world.barrier();
  if (is_last && way == "killed") std::raise(SIGKILL);
  if (is_last && way == "abort") world.abort("nothing goes any more (a test); ask no further", 7);
  if (is_last && way == "given-up") send->start();
  if (way == "shared" || (is_last && way != "killed")) throw std::runtime_error("left");
  world.barrier();
}

void end_after_finalize() {
  MPI_Init(nullptr, nullptr);
  const ashlar::Communicator world = ashlar::borrow_mpi(MPI_COMM_WORLD);
  const ashlar::Communicator half = world.split(world.rank() % 2, 0);
  int data = 0;
  const auto receive = world.receive(&data, sizeof data, 0, 0);
  const auto gathering = world.gathering(&data, 0, nullptr);
  gathering->start();
  gathering->wait();
  MPI_Finalize();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  try {
    if (way == "after-finalize") {
      end_after_finalize();
    } else {
      end(way);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "main: %s\n", error.what());
    return 3;
  }
  std::printf("in peace\n");
  return 0;
}
