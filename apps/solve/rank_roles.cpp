#include "solve/rank_roles.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>

namespace ashlar::app {

RankRoles roles_of(const World& world, int ranks_on_host) {
  const Communicator here = world.comm().split_by_host();
  world.on_all([&] {
    if (ranks_on_host < here.size()) return;
    throw ArgumentError(text("--ranks-on-host ", ranks_on_host),
                        text(world.comm().transport().host_name(), " has ", count_text(here.size(), "rank"),
                             ", and none would be left for its device"),
                        "start more ranks with mpirun, or let fewer compute on the host");
  });
  return {here.rank() >= here.size() - ranks_on_host, here.size() - ranks_on_host, ranks_on_host};
}

}  // namespace ashlar::app
