"""Reads the timelines that performance tests write with --trace."""
import collections
import json

import perf_results as results

Bar = collections.namedtuple("Bar", "name begin_ms end_ms")


def is_span(event):
    return all(results.is_number(event.get(key)) for key in ("ts", "dur")) and isinstance(event.get("name"), str)


def read(name, program):
    """{process: {track: [Bar]}}, in the order of the file."""
    wrong = f"pass a file of {program} --trace"
    try:
        with open(name, encoding="utf-8") as file:
            content = json.load(file)
    except OSError as error:
        raise results.Problem(f"cannot read {name}", error.strerror or str(error), wrong)
    except ValueError as error:
        raise results.Problem(f"{name} is not JSON", str(error), wrong)
    events = content.get("traceEvents") if isinstance(content, dict) else None
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise results.Problem(f"{name} has no list 'traceEvents'", "timelines have one", wrong)
    names = {kind: {(event.get("pid"), event.get("tid")): (event.get("args") or {}).get("name")
                    for event in events if event.get("name") == kind} for kind in ("process_name", "thread_name")}
    processes = {pid: {} for pid, _ in names["process_name"]}
    for (pid, _), track in names["thread_name"].items():
        processes.setdefault(pid, {})[track] = []
    for index, event in enumerate(events):
        if event.get("ph") != "X":
            continue
        track = names["thread_name"].get((event.get("pid"), event.get("tid")))
        if track is None or not is_span(event):
            raise results.Problem(f"{name}: event {index} is no span of a track", "it has no name, time or track", wrong)
        processes[event["pid"]][track].append(
            Bar(event["name"], event["ts"] * 1e-3, (event["ts"] + event["dur"]) * 1e-3))
    return {names["process_name"].get((pid, None), str(pid)): tracks for pid, tracks in processes.items()}
