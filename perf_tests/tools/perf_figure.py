"""How the figures look: a library's colour, the page's type, what stands above the panels, how a file is written."""
import collections
import sys

import perf_results as results

try:
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
except ImportError:
    plt = None

INK, PALE = "#22303c", "#d5dbe0"
LIMIT = "read bandwidth"
# Colours that the colour-blind tell apart (Okabe and Ito 2008), and markers for who sees none; bars stand in the order
# of the legend.
Look = collections.namedtuple("Look", "name colour marker")
LOOKS = {"ashlar": Look("Ashlar", "#0072B2", "o"), "cuSPARSE": Look("cuSPARSE", "#E69F00", "s"),
         "Kokkos Kernels": Look("Kokkos Kernels", "#009E73", "^"), "MKL": Look("MKL", "#CC79A7", "D"),
         "Eigen": Look("Eigen", "#D55E00", "v"), "rocSPARSE": Look("rocSPARSE", "#56B4E9", "P")}


def look_of(library):
    return LOOKS.get(library, Look(library, "#777777", "x"))


def set_style():
    plt.rcdefaults()  # not what the user may have set elsewhere
    plt.rcParams.update({
        # Text stays text: small, searchable, and drawn in whatever sans-serif face the reader has.
        "svg.fonttype": "none", "svg.hashsalt": "ashlar", "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica"], "font.size": 9.5,
        "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
        "axes.grid": True, "axes.grid.axis": "y", "axes.axisbelow": True, "grid.color": PALE, "grid.linewidth": 0.6,
        "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "axes.titlesize": 10,
        "axes.titlelocation": "left"})


def start(tool):
    """Before anything is drawn."""
    if plt is None:
        raise results.Problem("cannot draw", f"{sys.executable} has no matplotlib",
                              f"run this as scripts/env python3 perf_tests/tools/{tool}.py ...")
    set_style()


def draw(kinds, arguments, tool):
    """The figure of the kind that is asked for, from the result files."""
    rows, contexts = results.read(arguments.files)
    start(tool)
    kinds[arguments.kind](rows, contexts, arguments)
    return 0


def where(contexts):
    """The devices and commits that the results are of."""
    devices = results.distinct(str(context["device"]) for context in contexts if context.get("device"))
    commits = results.distinct(str(context["commit"]) for context in contexts if context.get("commit"))
    return ", ".join(devices + [f"commit {commit}" for commit in commits])


def finish(figure, handles, title, subtitle, output, columns=None):
    """Title and legend above what is drawn; heights in inches, so that figures of all sizes look alike. The legend has
    one row, or as many as it needs with so many columns.
    """
    # A library appears in several panels, and once in the legend.
    labels = dict(sorted(((label, handle) for handle, label in handles), key=lambda item: item[0] == LIMIT))
    columns = columns or max(len(labels), 1)
    height = figure.get_figheight()
    figure.tight_layout(rect=(0, 0, 1, 1 - (0.95 + 0.2 * (max(len(labels) - 1, 0) // columns)) / height))
    left = 0.1 / figure.get_figwidth()
    figure.text(left, 1 - 0.30 / height, title, fontsize=13, fontweight="bold")
    figure.text(left, 1 - 0.53 / height, subtitle)
    figure.legend(labels.values(), labels.keys(), loc="upper left", bbox_to_anchor=(left, 1 - 0.63 / height),
                  ncols=columns, borderaxespad=0, borderpad=0, handlelength=2.2, columnspacing=1.6)
    try:
        # No date, and no version of what drew it.
        if str(output).lower().endswith(".png"):
            figure.savefig(output, format="png", dpi=150, facecolor="white", metadata={"Title": title, "Software": None})
        else:
            figure.savefig(output, format="svg", facecolor="white",
                           metadata={"Date": None, "Creator": None, "Title": title})
    except OSError as error:
        raise results.Problem(f"cannot write {output}", error.strerror or str(error),
                              "name a file in a folder that is there")


def draw_limit(axes, points):
    """The read bandwidth measured beside each point: [(x, GB/s)]."""
    axes.plot(*zip(*points), color=INK, linewidth=1, linestyle=(0, (5, 3)), label=LIMIT)
