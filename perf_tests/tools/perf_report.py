"""A bundle of scripts/perf as one HTML page that needs nothing else: tables and bars, beside the committed results of other
cards. It reads on a narrow screen and a wide one, light and dark."""
import html
import string

import perf_bundle
import perf_results as results

# The order of the page, and what the limit is that shares are counted from.
SECTIONS = {
    "spmv": ("Products", "A product y = A x of a block-sparse matrix. The limit is the read bandwidth measured in the same "
             "run; the bytes are those of matrix and vectors, once each."),
    "cg": ("Conjugate gradients", "An iteration on one device, for each of our forms. The limit is the read bandwidth; the "
           "bytes are one pass over the matrix and nine over vectors."),
    "cg_ranks": ("Conjugate gradients over ranks", "An iteration over MPI ranks. The limit is the read bandwidth of all "
                 "devices together."),
    "halo": ("Exchanges of a halo", "One exchange between ranks, by the length of each message. The limit is the same "
             "messages sent by themselves."),
    "hpgmg": ("Multigrid", "An F-cycle of HPGMG-FV on one rank. The limit is the read bandwidth; the bytes are the fewest "
              "that a cycle moves."),
    "hpgmg_ranks": ("Multigrid over ranks", "An F-cycle over MPI ranks by mode of exchange. The limit is the read bandwidth "
                    "of all devices together."),
    "streaming": ("Streamed matrices", "Products with a matrix in the host's memory that goes through the device. The limit "
                  "is the link between the two."),
    "tpetra": ("Products with Tpetra's matrices", "A product with a Tpetra::BlockCrsMatrix by Tpetra, and by Ashlar on the "
               "same memory, in turns. The limit is the read bandwidth of a core, measured in turns with them."),
}

STYLE = """
:root { color-scheme: light dark; --ink: #22303c; --pale: #5b6b78; --paper: #ffffff; --line: #d5dbe0; --bar: #0072B2;
        --other: #b7c4cd; --bad: #b3261e; --shade: #f3f6f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e3e9ee; --pale: #9fb0bd; --paper: #14191d; --line: #36424c; --bar: #4da3d9; --other: #52626e;
          --bad: #ff8a80; --shade: #1c2329; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem clamp(0.75rem, 3vw, 2.5rem) 3rem; max-width: 76rem; background: var(--paper);
       color: var(--ink); font: 0.95rem/1.5 system-ui, "DejaVu Sans", Verdana, Arial, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0.5rem 0; } h2 { font-size: 1.2rem; margin: 2.5rem 0 0.3rem; }
p { max-width: 46rem; margin: 0.3rem 0 0.8rem; } .pale, caption { color: var(--pale); } .bad { color: var(--bad); font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1rem; } dt { color: var(--pale); }
dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 4px; margin: 0.6rem 0; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 0.86rem; }
th, td { padding: 0.25rem 0.6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { background: var(--shade); font-weight: 600; } tr:last-child td { border-bottom: 0; } .words { text-align: left; }
.bars { display: grid; grid-template-columns: minmax(6rem, 17rem) 1fr 3rem; gap: 0.3rem 0.7rem; align-items: center;
        font-size: 0.86rem; margin: 0.8rem 0; }
.bars svg { display: block; width: 100%; height: 1.25rem; } .bars .number { text-align: right; }
.key { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; font-size: 0.86rem; } .key svg { width: 0.9rem; height: 0.7rem; }
details { margin: 0.6rem 0; } summary { cursor: pointer; } pre { overflow-x: auto; background: var(--shade); padding: 0.6rem; }
@media (max-width: 36rem) { .bars { grid-template-columns: 1fr 3rem; } .bars .name { grid-column: 1 / -1; margin-top: 0.4rem; } }
"""

PAGE = string.Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>$style</style>
</head>
<body>
$body
</body>
</html>
""")


def escaped(value):
    return html.escape(str(value))


def number(value):
    """Three digits, or all before the point."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def time_of(seconds):
    return f"{number(seconds * 1e6)} us" if seconds < 1e-3 else f"{number(seconds * 1e3)} ms"


def table(head, rows, num_words):
    """`rows` are of text; the first `num_words` columns are words, the others numbers."""
    def line(cells, tag):
        return "<tr>" + "".join(f'<{tag}{" class=words" if i < num_words else ""}>{escaped(cell)}</{tag}>'
                                for i, cell in enumerate(cells)) + "</tr>"
    return '<div class="wide"><table>' + line(head, "th") + "".join(line(row, "td") for row in rows) + "</table></div>"


def share(row):
    return f"{row['fraction']:.2f}" if row["fraction"] >= 0.1 else f"{row['fraction']:.1g}"


def name_of(row):
    """What is measured, without what is usual."""
    unusual = [f"{name.removeprefix('num_').replace('_', ' ')} {value}" if not isinstance(value, str) else value
               for name, value in perf_bundle.key_of(row)[5:] if perf_bundle.USUAL.get(name) != value]
    return ", ".join([f"{row['case']}, b = {row['block_size']}", *unusual])


def bar(row, others):
    """The share of the limit here, and below it thin those of other cards; 1 and more fills it."""
    heights = [8] + [3] * len(others)
    places = [sum(heights[:i]) + i for i in range(len(heights))]
    rects = "".join(f'<rect x="0" y="{place}" height="{height}" width="{100 * min(each["fraction"], 1):.1f}" '
                    f'fill="var(--{"other" if i else "bar"})"/>'
                    for i, (each, place, height) in enumerate(zip([row, *others], places, heights)) if each)
    return (f'<svg viewBox="0 0 100 {sum(heights) + len(heights) - 1}" preserveAspectRatio="none" role="img" '
            f'aria-label="{share(row)} of the limit"><rect width="100%" height="100%" fill="var(--shade)"/>{rects}</svg>')


def figure(rows, cards, devices):
    """A bar for each of our rows: all forms of CG, cycles; of products those as the plan makes them."""
    lines = []
    for row in rows:
        others = [card.get(perf_bundle.key_of(row)) for card in cards.values()]
        name = f"{name_of(row)}{'' if row['kernel'] in ('auto', 'automatic') else ', ' + row['kernel']}"
        lines.append(f'<span class="name">{escaped(name)}</span>{bar(row, others)}<span class="number">{share(row)}</span>')
    def mark(fill):
        return f'<svg viewBox="0 0 9 7"><rect width="9" height="7" fill="var(--{fill})"/></svg>'
    below = f"{mark('other')} below, in this order: {escaped(', '.join(devices[card] for card in cards))}" if cards else ""
    return (f'<div class="key"><span>{mark("bar")} share of the limit, this machine</span><span>{below}</span></div>'
            f'<div class="bars">{"".join(lines)}</div>')


def peers_of(rows):
    """{what is measured, whoever does it: the fastest row of other libraries}; of a halo those are its limit."""
    def of(row):
        return (row["case"], row["block_size"], row.get("num_vectors", 1), row.get("preconditioner", "none"),
                row.get("type", "double"), row.get("mode", "no_transpose") if row["program"] == "spmv" else "")
    found = {}
    for row in rows:
        if row["library"] != results.ASHLAR and row["program"] != "halo":
            found[of(row)] = results.fastest([row] + ([found[of(row)]] if of(row) in found else []))
    return lambda row: found.get(of(row))


def cells_beside(row, cards):
    """What other cards take for the same: their time where the size is the same, else their rate alone."""
    for card in cards.values():
        other = card.get(perf_bundle.key_of(row))
        if other is None:
            yield ""
        elif perf_bundle.is_same_size(row, other):
            yield f"{time_of(other['seconds'])} ({share(other)})"
        else:
            yield f"{number(other['gb_s'])} GB/s ({share(other)})"


def section(program, rows, cards, devices):
    title, text = SECTIONS.get(program, (f"perf_{program}", ""))
    ours = [row for row in rows if row["library"] == results.ASHLAR]
    keys = {perf_bundle.key_of(row) for row in ours}
    cards = {name: card for name, card in cards.items() if keys & card.keys()}
    peer_of = peers_of(rows)
    has_peers = any(peer_of(row) for row in ours)
    head = ["what", "how", "time", "GB/s", "of the limit"] + (["best peer", "peer / ours"] if has_peers else [])
    lines = []
    for row in ours:
        peer = peer_of(row)
        beside = ([f"{time_of(peer['seconds'])}, {peer['library']} {peer['kernel']}",
                   f"{peer['seconds'] / row['seconds']:.2f}"] if peer else ["", ""]) if has_peers else []
        lines.append([name_of(row), row["kernel"], time_of(row["seconds"]), number(row["gb_s"]), share(row), *beside,
                      *cells_beside(row, cards)])
    return (f'<h2 id="{program}">{title}</h2><p>{text}</p>' + figure(ours, cards, devices) +
            table(head + [devices[name] for name in cards], lines, 2))


def facts(bundle):
    context, machine = bundle["context"], bundle["machine"]
    told = {"device": context.get("device"), "read bandwidth": context.get("read_gb_s") and f"{context['read_gb_s']:.0f} GB/s",
            "host": f"{machine['cores']} cores", "ranks": machine["built_with"]["mpiexec"] and machine["ranks"], "Kokkos": machine["built_with"]["kokkos"],
            "backends": ", ".join(machine["built_with"]["devices"]), "compiler": context.get("compiler"),
            "Ashlar": f"{context.get('ashlar')}, commit {context.get('commit')}",
            "measured beside": ", ".join(machine["built_with"]["peers"]) or "no other library",
            "sizes": "quick" if machine["is_quick"] else "all"}
    return "<dl>" + "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(value)}</dd>" for name, value in told.items() if value) + "</dl>"


def steps_table(steps):
    rows = [[step["name"], step["status"], f"{step.get('seconds', 0):.0f} s", step.get("passes", 1)] for step in steps]
    bad = [step for step in steps if step["status"] != "passed"]
    told = "".join(f'<p class="bad">{escaped(step["name"])}: {escaped(step["status"])}</p>'
                   + (f'<pre>{escaped(step["log_end"])}</pre>' if step.get("log_end") else "") for step in bad)
    return told + f"<details><summary>{len(steps)} steps, {len(steps) - len(bad)} passed</summary>" + \
        table(["step", "ended", "took", "passes"], rows, 2) + "</details>"


def left_out(bundle):
    if not bundle["left_out"]:
        return ""
    items = "".join(f"<li>{escaped(each)}</li>" for each in bundle["left_out"])
    return f"<details><summary>{len(bundle['left_out'])} left out</summary><ul>{items}</ul></details>"


def write(bundle, cards, devices, path):
    title = f"Ashlar on {bundle['context'].get('device', 'this machine')}"
    here = bundle["context"].get("device")
    devices = {card: f"{device}, committed" if device == here else device for card, device in devices.items()}
    programs = results.distinct([*SECTIONS, *(row["program"] for row in bundle["results"])])
    by_program = {program: [row for row in bundle["results"] if row["program"] == program] for program in programs}
    body = [f"<h1>{escaped(title)}</h1>", facts(bundle), steps_table(bundle["steps"]), left_out(bundle),
            "<p class=pale>Times are medians. In columns of other cards, from the committed results: their time, or their "
            "rate where the size was another, and in brackets their share of their own limit.</p>"]
    body += [section(program, rows, cards, devices) for program, rows in by_program.items() if rows]
    path.write_text(PAGE.substitute(title=escaped(title), style=STYLE, body="\n".join(body)), encoding="utf-8")
