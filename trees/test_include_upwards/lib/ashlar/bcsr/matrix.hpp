#pragma once
#include <ashlar/spmv/plan.hpp>
