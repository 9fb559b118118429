#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/text_file.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/choice/launch_widths.hpp>
#include <ashlar/spmv/impl/choice/tuning_key.hpp>
#include <ashlar/spmv/impl/cpu/prefetch.hpp>
#include <ashlar/spmv/tuning_table.hpp>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace ashlar::impl {

std::int64_t block_rows_class(std::int64_t block_rows) {
  std::int64_t from = 1;
  while (from < last_block_rows_class && 4 * from <= block_rows) from *= 4;
  return from;
}

std::int64_t row_blocks_class(const SpmvShape& shape) {
  const double average = average_row(shape);
  if (average < 1) return 0;
  std::int64_t from = 1;
  while (2 * double(from) <= average) from *= 2;
  return from;
}

std::string_view spread_class(const SpmvShape& shape) {
  const double ratio = double(shape.longest_row) / std::max(average_row(shape), 1.0);
  return spreads[ratio <= 2 ? 0 : ratio <= 16 ? 1 : 2];
}

TuningKey tuning_class(const SpmvShape& shape) {
  TuningKey key;
  key.block_shape = shape.block_shape;
  key.block_rows_from = block_rows_class(shape.num_block_rows);
  key.row_blocks_from = row_blocks_class(shape);
  key.spread = spread_class(shape);
  return key;
}

}  // namespace ashlar::impl

namespace ashlar {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format = "ashlar-tuning-1";

/// More than any table has, and little enough to be held in memory twice.
constexpr std::size_t most_bytes = std::size_t(1) << 28;

constexpr const char* advice = "take it out, or make the file anew by tuning";

/// One entry of a file, and how its faults are told.
class Entry {
 public:
  Entry(const std::string& file, std::size_t number, const Json& json) : file_(file), number_(number), json_(json) {
    if (!json.is_object()) fail("is no object", "each choice is one");
  }

  [[noreturn]] void fail(const std::string& what, const std::string& why) const {
    throw FileError(file_, 0, text("choice ", number_, ": ", what), why, advice);
  }

  bool is_null(const char* name) const { return member(name).is_null(); }

  std::string text_of(const char* name) const {
    const Json& value = member(name);
    if (!value.is_string()) fail(text(name, " is ", shown(value)), "it is a text");
    return value.get<std::string>();
  }

  std::int64_t number_of(const char* name) const {
    const Json& value = member(name);
    if (!value.is_number_integer()) fail(text(name, " is ", shown(value)), "it is a whole number");
    return value.get<std::int64_t>();
  }

  double seconds_of(const char* name) const {
    const Json& value = member(name);
    if (!value.is_number() || !(value.get<double>() >= 0)) {
      fail(text(name, " is ", shown(value)), "it is a number, and not negative");
    }
    return value.get<double>();
  }

  template <class Number>
  void require(bool holds, const char* name, const Number& number, const std::string& why) const {
    if (!holds) fail(text(name, " is ", number), why);
  }

 private:
  const Json& member(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end()) fail(text("has no ", name), "every choice has one");
    return *found;
  }

  /// A value as it is written, as far as a line of a message holds it.
  static std::string shown(const Json& value) {
    return value.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 40);
  }

  const std::string& file_;
  std::size_t number_;
  const Json& json_;
};

bool is_power_of_two(std::int64_t n) { return n > 0 && std::has_single_bit(std::uint64_t(n)); }

/// True if some device could give a block row this number of lanes: warps have 32 or 64.
bool is_width_somewhere(std::int64_t width) {
  return width == 0 || (width <= 64 ? is_power_of_two(width) : width <= 1024 && width % 32 == 0);
}

TuningKey key_of(const Entry& entry) {
  TuningKey key;
  key.device = entry.text_of("device");
  for (const auto& [name, size] :
       {std::pair("row_block_size", &key.block_shape.rows), {"col_block_size", &key.block_shape.cols}}) {
    const std::int64_t number = entry.number_of(name);
    entry.require(number >= 1 && number <= max_block_size, name, number,
                  text("the kernels take blocks of 1 to ", max_block_size));
    *size = static_cast<int>(number);
  }
  key.values = entry.text_of("values");
  key.vectors = entry.text_of("vectors");
  key.layout = entry.text_of("layout");
  key.mode = entry.text_of("mode");
  key.block_rows_from = entry.number_of("block_rows_from");
  entry.require(impl::block_rows_class(key.block_rows_from) == key.block_rows_from, "block_rows_from",
                key.block_rows_from, text("classes begin at powers of 4, up to ", impl::last_block_rows_class));
  key.row_blocks_from = entry.number_of("row_blocks_from");
  entry.require(key.row_blocks_from == 0 || is_power_of_two(key.row_blocks_from), "row_blocks_from",
                key.row_blocks_from, "classes begin at 0 and at powers of 2");
  key.spread = entry.text_of("spread");
  entry.require(std::find(impl::spreads.begin(), impl::spreads.end(), key.spread) != impl::spreads.end(), "spread",
                key.spread, "it is even, uneven or long_rows");
  return key;
}

/// null where the cost model is to decide.
std::optional<int> prefetch_of(const Entry& entry) {
  constexpr const char* name = "prefetch_bytes";
  if (entry.is_null(name)) return std::nullopt;
  const std::int64_t bytes = entry.number_of(name);
  entry.require(bytes >= 0 && bytes <= impl::most_prefetch_bytes, name, bytes,
                text("values are prefetched 0 to ", impl::most_prefetch_bytes, " bytes ahead"));
  return static_cast<int>(bytes);
}

TuningChoice choice_of(const Entry& entry) {
  TuningChoice choice;
  const std::string name = entry.text_of("kernel");
  const auto kernel = kernel_from_string(name);
  if (!kernel) entry.fail(text("kernel '", name, "'"), "there is none of this name");
  choice.kernel = *kernel;
  const std::int64_t width = entry.number_of("width"), tile_rows = entry.number_of("tile_rows");
  entry.require(is_width_somewhere(width), "width", width,
                "lanes of a block row are a power of two up to 64, or a multiple of 32 up to 1024; 0 is the plan's");
  entry.require(tile_rows == 0 || (is_power_of_two(tile_rows) && tile_rows <= impl::most_rows_of_tile), "tile_rows",
                tile_rows, text("block rows of a tile are a power of two up to ", impl::most_rows_of_tile));
  choice.width = static_cast<int>(width);
  choice.tile_rows = static_cast<int>(tile_rows);
  choice.prefetch_bytes = prefetch_of(entry);
  choice.seconds = entry.seconds_of("seconds");
  choice.default_seconds = entry.seconds_of("default_seconds");
  return choice;
}

Json json_of(const TuningKey& key, const TuningChoice& choice) {
  Json json;
  json["device"] = key.device;
  json["row_block_size"] = key.block_shape.rows;
  json["col_block_size"] = key.block_shape.cols;
  json["values"] = key.values;
  json["vectors"] = key.vectors;
  json["layout"] = key.layout;
  json["mode"] = key.mode;
  json["block_rows_from"] = key.block_rows_from;
  json["row_blocks_from"] = key.row_blocks_from;
  json["spread"] = key.spread;
  json["kernel"] = to_string(choice.kernel);
  json["width"] = choice.width;
  json["tile_rows"] = choice.tile_rows;
  json["prefetch_bytes"] = choice.prefetch_bytes ? Json(*choice.prefetch_bytes) : Json();
  json["seconds"] = choice.seconds;
  json["default_seconds"] = choice.default_seconds;
  return json;
}

constexpr const char* is_it_right = "is it the right file? Otherwise make it again by tuning";

Json parse(const std::string& file, const std::string& content) {
  // A table is three levels deep. A much deeper one is refused, because parsing and printing it would recurse as
  // deeply.
  constexpr int deepest = 100;
  const auto require_shallow = [&](int depth, Json::parse_event_t, const Json&) {
    if (depth <= deepest) return true;
    throw FileError(file, 0, text("lists within lists, more than ", deepest), "a tuning table has none", is_it_right);
  };
  try {
    return Json::parse(content, require_shallow);
  } catch (const Json::parse_error& error) {
    const auto end = content.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, content.size()));
    throw FileError(file, 1 + std::count(content.begin(), end, '\n'), "not JSON", "a tuning table is", is_it_right);
  } catch (const Json::out_of_range&) {
    throw FileError(file, 0, "a number that is too large", text("none is beyond ", std::numeric_limits<double>::max()),
                    is_it_right);
  }
}

}  // namespace

std::optional<TuningChoice> TuningTable::find(const TuningKey& key) const {
  const auto found = choices_.find(key);
  if (found == choices_.end()) return std::nullopt;
  return found->second;
}

void TuningTable::load(const std::string& file) {
  const std::string content = read_text_file(file, most_bytes);
  if (content.find_first_not_of(" \t\r\n") == std::string::npos) return;
  const Json json = parse(file, content);
  const auto refuse = [&](const std::string& problem, const std::string& why) {
    throw FileError(file, 0, problem, why, is_it_right);
  };
  if (!json.is_object() || !json.contains("format")) refuse("not a tuning table", "it names no format");
  if (json["format"] != format) {
    refuse(text("a table of format ", json["format"].dump().substr(0, 40)), text("this Ashlar reads ", format));
  }
  if (!json.contains("choices") || !json["choices"].is_array()) refuse("a table without choices", "they are a list");

  std::map<TuningKey, TuningChoice> loaded;
  std::size_t number = 0;
  for (const Json& each : json["choices"]) {
    const Entry entry(file, ++number, each);
    const TuningKey key = key_of(entry);
    if (!loaded.emplace(key, choice_of(entry)).second) entry.fail("has the key of another", "only one can be meant");
  }
  for (auto& [key, choice] : loaded) choices_[key] = choice;
}

void TuningTable::save(const std::string& file) const {
  Json json;
  json["format"] = format;
  json["choices"] = Json::array();
  for (const auto& [key, choice] : choices_) json["choices"].push_back(json_of(key, choice));
  replace_text_file(file, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace ashlar
