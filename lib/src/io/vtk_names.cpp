#include "vtk_names.hpp"

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <set>

#include "in_quotes.hpp"

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

}  // namespace ashlar::io
