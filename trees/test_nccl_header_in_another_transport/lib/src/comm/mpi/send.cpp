#include <nccl.h>
