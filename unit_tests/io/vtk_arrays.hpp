#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <regex>
#include <string>
#include <vector>

/// What VTK XML files hold, read as their format says.
namespace ashlar::testing {

/// The attribute of an XML element, out of its text.
inline std::string attribute(const std::string& element, const std::string& name) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(element, found, std::regex(" " + name + "=\"([^\"]*)\""))) << name << " of " << element;
  return found[1];
}

/// The bytes of a base64 text, up to `count` of them.
inline std::string decoded(const std::string& text, std::size_t begin, std::size_t count) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; bytes.size() < count; ++i) {
    const auto digit = letters.find(text.at(begin + i));
    if (digit == std::string::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    // Of the group's 24 bits, each digit but the first completes one byte.
    const auto in_group = i % 4;
    if (in_group != 0) bytes += static_cast<char>(bits >> (6 - 2 * in_group));
  }
  return bytes;
}

/// The array of this name, found as the VTK XML format says: by its offset from the '_' of the appended data.
template <class T>
std::vector<T> array(const std::string& file, const std::string& name, const std::string& type, int components) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(file, found, std::regex("<DataArray [^>]*Name=\"" + name + "\"[^>]*/>"))) << name;
  const std::string element = found[0];
  EXPECT_EQ(attribute(element, "type"), type);
  EXPECT_EQ(attribute(element, "format"), "appended");
  EXPECT_EQ(attribute(element, "NumberOfComponents"), std::to_string(components));
  const std::string marker = "<AppendedData encoding=\"base64\">\n_";
  const auto begin = file.find(marker) + marker.size() + std::stoull(attribute(element, "offset"));
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, decoded(file, begin, sizeof bytes).data(), sizeof bytes);
  EXPECT_EQ(bytes % sizeof(T), 0u);
  const std::string block = decoded(file, begin, sizeof bytes + bytes);
  EXPECT_EQ(block.size(), sizeof bytes + bytes);
  std::vector<T> result(bytes / sizeof(T));
  if (bytes > 0) std::memcpy(result.data(), block.data() + sizeof bytes, bytes);
  return result;
}

}  // namespace ashlar::testing
