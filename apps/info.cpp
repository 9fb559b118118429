#include "commands.hpp"

#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/base/version.hpp>
#include <ashlar/comm/measure_links.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/device/probes/bandwidth.hpp>
#include <ashlar/host/instruction_set.hpp>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "device.hpp"
#include "numbers.hpp"
#include "types.hpp"

namespace ashlar::app {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Device& device) {
  return {{"backend", device.backend}, {"name", device.name}, {"concurrency", device.concurrency}};
}

Json to_json(const MemoryAmount& amount) {
  return {{"total_bytes", amount.total}, {"available_bytes", amount.available}};
}

/// The ranks, and a matrix of the connections between them.
void gather_ranks(const Communicator& comm, Json& info) {
  info["ranks"] = Json::array();
  const auto hosts = comm.all_gather(comm.transport().host_name()), devices = comm.all_gather(this_device().name);
  for (std::size_t k = 0; k < hosts.size(); ++k) info["ranks"].push_back({{"host", hosts[k]}, {"device", devices[k]}});
  info["transport"] = comm.explain();
  for (const char* between_ranks : {"latency_us", "message_gb_s"}) info[between_ranks] = Json::array();
  const std::vector<RankLink> links = measure_links(comm);
  for (std::size_t a = 0; a < hosts.size(); ++a) {
    Json latency = Json::array(), rate = Json::array();
    for (std::size_t b = 0; b < hosts.size(); ++b) {
      const RankLink& link = links[a * hosts.size() + b];
      latency.push_back(a == b ? Json(nullptr) : Json(link.latency_us));
      rate.push_back(a == b ? Json(nullptr) : Json(link.gb_s));
    }
    info["latency_us"].push_back(latency);
    info["message_gb_s"].push_back(rate);
  }
}

Json gather() {
  const Execution exec;
  Json info;
  info["versions"] = {{"ashlar", version_string}, {"kokkos", kokkos_version()}, {"compiler", compiler_version()}};
  info["backends"] = backends();
  info["device"] = to_json(this_device());
  info["num_devices"] = num_devices();
  info["host"] = to_json(this_host());
  info["instruction_set"] = to_string(instruction_set());
  info["register_bytes"] = register_bytes(instruction_set());
  info["host_memory"] = to_json(memory_amount<Kokkos::HostSpace>());
  info["device_memory"] = nullptr;
  if (has_device_memory<Execution>) info["device_memory"] = to_json(memory_amount<Space>());
  info["read_bandwidth_gb_s"] = measure_read_bandwidth(exec);
  info["copy_bandwidth_gb_s"] = measure_copy_bandwidth(exec);
  info["link"] = nullptr;
  if (const auto link = measure_link_bandwidth(exec)) {
    info["link"] = {{"host_to_device_gb_s", link->host_to_device}, {"device_to_host_gb_s", link->device_to_host}};
  }
  return info;
}

void line(const std::string& name, const std::string& value) {
  std::cout << std::left << std::setw(18) << name << value << '\n';
}

std::string described(const Json& device) {
  return device_text({device["backend"], device["name"], device["concurrency"]});
}

std::string memory_described(const Json& memory) {
  return text(bytes_text(memory["total_bytes"].get<std::uint64_t>()), "; available ",
              bytes_text(memory["available_bytes"].get<std::uint64_t>()));
}

std::string rate(const Json& gb_s) { return text(std::setprecision(4), gb_s.get<double>(), " GB/s"); }

void print(const Json& info) {
  const Json& versions = info["versions"];
  line("ashlar", versions["ashlar"].get<std::string>());
  line("kokkos", versions["kokkos"].get<std::string>());
  line("compiler", versions["compiler"].get<std::string>());
  std::string names;
  for (const Json& name : info["backends"]) names += (names.empty() ? "" : ", ") + name.get<std::string>();
  line("backends", names);
  line("device", described(info["device"]));
  if (has_device_memory<Execution>) {
    line("devices", text(info["num_devices"].get<int>()));
    line("host", described(info["host"]));
    line("device memory", memory_described(info["device_memory"]));
  }
  line("instruction set", text(info["instruction_set"].get<std::string>(), ", registers of ",
                               info["register_bytes"].get<int>(), " bytes"));
  line("host memory", memory_described(info["host_memory"]));
  line("read bandwidth", rate(info["read_bandwidth_gb_s"]));
  line("copy bandwidth", rate(info["copy_bandwidth_gb_s"]) + " (bytes read and bytes written)");
  if (info["link"].is_null()) {
    line("link", "none: host and device memory are one");
  } else {
    line("link", rate(info["link"]["host_to_device_gb_s"]) + " to the device, " +
                     rate(info["link"]["device_to_host_gb_s"]) + " from it (pinned memory)");
  }
}

/// A number for each two ranks.
void print_matrix(const std::string& name, const Json& rows) {
  line(name, "from each rank (rows) to each (columns)");
  for (const Json& row : rows) {
    std::cout << std::string(18, ' ');
    for (const Json& number : row) {
      std::cout << std::right << std::setw(10) << (number.is_null() ? "-" : short_number(number.get<double>()));
    }
    std::cout << '\n';
  }
}

void print_ranks(const Json& info) {
  for (std::size_t k = 0; k < info["ranks"].size(); ++k) {
    const Json& rank = info["ranks"][k];
    line(text("rank ", k), rank["host"].get<std::string>() + ", " + rank["device"].get<std::string>());
  }
  line("transport", info["transport"].get<std::string>());
  print_matrix("latency, us", info["latency_us"]);
  print_matrix("messages, GB/s", info["message_gb_s"]);
}

}  // namespace

void print_info(const World& world, bool as_json) {
  // Rank 0's own; the others rest meanwhile.
  Json info;
  world.on_all([&] {
    if (world.speaks()) info = gather();
  });
  if (!world.is_alone()) gather_ranks(world.comm(), info);
  if (!world.speaks()) return;
  if (as_json) {
    std::cout << info.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  } else {
    print(info);
    if (!world.is_alone()) print_ranks(info);
  }
}

}  // namespace ashlar::app
