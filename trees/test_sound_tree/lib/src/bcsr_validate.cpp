#include <ashlar/bcsr/validate.hpp>
