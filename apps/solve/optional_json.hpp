#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace ashlar::app {

/// The value, or null where there is none.
template <class Value>
nlohmann::ordered_json optional_json(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace ashlar::app
