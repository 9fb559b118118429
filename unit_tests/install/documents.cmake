# The licence and the documentation are installed.
set(folder ${prefix}/${share}/doc/Ashlar)
foreach(name LICENSE README.md CHANGELOG.md docs/reference/command.md docs/tutorials/trilinos.md docs/figures/streaming_timeline.svg)
  if(NOT EXISTS ${folder}/${name})
    message(SEND_ERROR "${folder} has no ${name}")
  endif()
endforeach()
