#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <set>

#include "in_quotes.hpp"
#include "vtk_data.hpp"

namespace ashlar::io {

void require_good_names(const std::string& who, const std::vector<PointField>& fields) {
  std::set<std::string> names;
  for (const PointField& field : fields) {
    const bool has_control =
        std::any_of(field.name.begin(), field.name.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; });
    if (field.name.empty() || has_control) {
      throw ArgumentError(text(who, ": a field named ", in_quotes(field.name)), "names are shown to people",
                          "give it a name of one line");
    }
    if (!names.insert(field.name).second) {
      throw ArgumentError(text(who, ": two fields named ", in_quotes(field.name)), "programs find fields by name",
                          "give each a name of its own");
    }
  }
}

std::string escaped(const std::string& name) {
  std::string result;
  for (const char c : name) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

namespace {

constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void encode_group(const unsigned char* in, char* out) {
  out[0] = letters[in[0] >> 2];
  out[1] = letters[(in[0] & 3) << 4 | in[1] >> 4];
  out[2] = letters[(in[1] & 15) << 2 | in[2] >> 6];
  out[3] = letters[in[2] & 63];
}

}  // namespace

Base64Block::Base64Block(FileWriter& file, std::uint64_t bytes) : file_(file) { write(&bytes, sizeof bytes); }

void Base64Block::write(const void* data, std::size_t size) {
  const auto* in = static_cast<const unsigned char*>(data);
  const auto* const end = in + size;
  std::array<char, 4096> out;
  std::size_t used = 0;
  const auto put = [&](const unsigned char* group) {
    if (used == out.size()) {
      file_.write(out.data(), used);
      used = 0;
    }
    encode_group(group, &out[used]);
    used += 4;
  };
  while (in != end && in_group_ != 0) {
    group_[in_group_++] = *in++;
    if (in_group_ == 3) {
      put(group_.data());
      in_group_ = 0;
    }
  }
  for (; end - in >= 3; in += 3) put(in);
  while (in != end) group_[in_group_++] = *in++;
  file_.write(out.data(), used);
}

void Base64Block::end() {
  if (in_group_ == 0) return;
  for (int i = in_group_; i < 3; ++i) group_[i] = 0;
  std::array<char, 4> out;
  encode_group(group_.data(), out.data());
  const int missing = 3 - in_group_;
  for (int i = 0; i < missing; ++i) out[3 - i] = '=';
  file_.write(out.data(), out.size());
  file_.write("AA", missing);
  in_group_ = 0;
}

}  // namespace ashlar::io
