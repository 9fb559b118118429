#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ashlar {

/// What so many of them are called: "rank" of 1, else "ranks". Nouns that end in x have "es" ("boxes"), those in y
/// "ies" ("entries"); others, with a vowel before the y or an end like that of "match", are not for this.
std::string noun_for(std::int64_t number, std::string_view noun);

/// So many of what `noun` names: "1 rank", "1234 block rows", "2 boxes", "0 entries". For messages.
std::string count_text(std::int64_t number, std::string_view noun);

}  // namespace ashlar
