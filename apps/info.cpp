#include "info.hpp"

#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/base/version.hpp>
#include <ashlar/device/bandwidth.hpp>
#include <ashlar/device/memory.hpp>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

#include "device.hpp"
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

Json gather() {
  const Execution exec;
  Json info;
  info["versions"] = {{"ashlar", version_string}, {"kokkos", kokkos_version()}, {"compiler", compiler_version()}};
  info["backends"] = backends();
  info["device"] = to_json(this_device());
  info["num_devices"] = num_devices();
  info["host"] = to_json(this_host());
  info["host_memory"] = to_json(memory_amount<Kokkos::HostSpace>());
  info["device_memory"] = nullptr;
  if (has_device_memory) info["device_memory"] = to_json(memory_amount<Space>());
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
  return text(device["backend"].get<std::string>(), ", ", device["name"].get<std::string>(), ", ",
              device["concurrency"].get<int>(), " threads at once");
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
  if (has_device_memory) {
    line("devices", text(info["num_devices"].get<int>()));
    line("host", described(info["host"]));
    line("device memory", memory_described(info["device_memory"]));
  }
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

}  // namespace

void print_info(bool as_json) {
  const Json info = gather();
  if (as_json) {
    std::cout << info.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  } else {
    print(info);
  }
}

}  // namespace ashlar::app
