#!/usr/bin/env python3
"""Draws what `scripts/demo` solved: the bent beam, coloured by displacement, beside the convergence curve.

    plot_demo.py --vtu beam.vtu --report report.json --output beam.png
"""
import argparse
import json

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import meshio
import numpy as np
from matplotlib import cm, colors
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

INK, PALE, ACCENT = "#22303c", "#c9d1d8", "#b5432e"
ELEVATION, AZIMUTH, ZOOM = 20.0, -58.0, 0.8

# The six faces of a VTK hexahedron, each counterclockwise as seen from outside.
HEXAHEDRON_FACES = np.array([[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]])


def surface(cells):
    """The faces that belong to one cell alone."""
    faces = cells[:, HEXAHEDRON_FACES].reshape(-1, 4)
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[first[count == 1]]


def outline(points):
    """The twelve edges of the box around the points."""
    low, high = points.min(axis=0), points.max(axis=0)
    corner = np.array([[(low, high)[(i >> k) & 1][k] for k in range(3)] for i in range(8)])
    return [corner[[i, i | (1 << k)]] for i in range(8) for k in range(3) if not i & (1 << k)]


def exaggeration(points, displacement):
    """A round factor (1, 2 or 5 times a power of ten) that makes the largest displacement a fifth of the length."""
    largest = np.linalg.norm(displacement, axis=1).max()
    if not largest > 0:
        return 1.0
    wanted = 0.2 * np.ptp(points, axis=0).max() / largest
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(power * max(m for m in (1, 2, 5) if m * power <= wanted * (1 + 1e-9)))


def draw_beam(axes, colour_axes, mesh):
    displacement = mesh.point_data["displacement"]
    magnitude = np.linalg.norm(displacement, axis=1)
    factor = exaggeration(mesh.points, displacement)
    bent = mesh.points + factor * displacement

    faces = surface(mesh.cells_dict["hexahedron"])
    corners = bent[faces]
    normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    azimuth, elevation = np.radians([AZIMUTH, ELEVATION])
    to_viewer = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    # Faces that look away are hidden by the others: left out, they cannot be drawn over them by mistake.
    seen = normals @ to_viewer > 0
    light = np.array([-0.25, -0.5, 0.83])
    shade = 0.78 + 0.22 * np.clip(normals[seen] @ light, 0, 1)

    scale = colors.Normalize(0, magnitude.max() or 1)
    colour_map = plt.get_cmap("viridis")
    paint = colour_map(scale(magnitude[faces[seen]].mean(axis=1)))
    paint[:, :3] *= shade[:, None]
    edges = paint * [0.86, 0.86, 0.86, 1.0]
    axes.add_collection3d(Line3DCollection(outline(mesh.points), colors=INK, linewidths=0.7, linestyles="--",
                                           alpha=0.5, zorder=1))
    axes.add_collection3d(Poly3DCollection(corners[seen], facecolors=paint, edgecolors=edges, linewidths=0.25,
                                           zorder=2))

    everything = np.vstack([mesh.points, bent])
    low, high = everything.min(axis=0), everything.max(axis=0)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(high - low, zoom=ZOOM)
    axes.set_proj_type("persp", focal_length=0.9)
    axes.view_init(ELEVATION, AZIMUTH)
    axes.set_axis_off()
    bar = plt.colorbar(cm.ScalarMappable(scale, colour_map), cax=colour_axes, orientation="horizontal")
    bar.set_label("displacement magnitude")
    bar.outline.set_visible(False)
    bar.locator = matplotlib.ticker.MaxNLocator(5)
    bar.formatter.set_powerlimits((-2, 3))
    bar.update_ticks()
    return factor


def draw_convergence(axes, report, rtol):
    history = np.asarray(report["residual_history"], dtype=float)
    axes.semilogy(np.arange(len(history)), history, color=ACCENT, linewidth=1.8)
    if rtol:
        axes.axhline(rtol, color=INK, linewidth=0.8, linestyle="--", alpha=0.6)
        axes.annotate(f"asked for: {rtol:.0e}", (0, rtol), xytext=(4, 4), textcoords="offset points", color=INK,
                      fontsize=9)
    axes.set_xlim(0, max(len(history) - 1, 1))
    axes.set(xlabel="CG iteration", ylabel="relative residual")
    axes.grid(True, which="major", color=PALE, linewidth=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def solve_seconds(report):
    seconds = report.get("seconds")
    if isinstance(seconds, dict):
        return seconds.get("solve", sum(v for v in seconds.values() if isinstance(v, (int, float))))
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vtu", required=True)
    parser.add_argument("--report", required=True)
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()

    mesh = meshio.read(arguments.vtu)
    with open(arguments.report, encoding="utf-8") as file:
        report = json.load(file)

    plt.rcParams.update({"font.size": 10.5, "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK,
                         "xtick.color": INK, "ytick.color": INK, "font.family": "DejaVu Sans"})
    figure = plt.figure(figsize=(13, 5.4), dpi=150)
    # Matplotlib clips a 3D picture to the square in the middle of its axes: the axes are as high as they are wide.
    side = 0.62
    height = side * figure.get_figwidth() / figure.get_figheight()
    beam = figure.add_axes([0.0, 0.47 - height / 2, side, height], projection="3d", computed_zorder=False)
    beam.patch.set_visible(False)
    bar = figure.add_axes([0.035, 0.155, 0.22, 0.022])
    curve = figure.add_axes([0.68, 0.16, 0.29, 0.62])

    factor = draw_beam(beam, bar, mesh)
    draw_convergence(curve, report, report.get("rtol"))

    figures = [f"{mesh.point_data['displacement'].size:,} unknowns", f"{report['iterations']} iterations"]
    seconds = solve_seconds(report)
    if seconds is not None:
        figures.append(f"{seconds:.1f} s" if seconds >= 1 else f"{seconds:.2g} s")
    figure.text(0.035, 0.925, "A cantilever under load", fontsize=16, fontweight="bold")
    figure.text(0.035, 0.865, f"clamped on the left; displacement scaled by {factor:,g}; dashed: at rest",
                fontsize=10)
    figure.text(0.68, 0.925, "Convergence", fontsize=16, fontweight="bold")
    figure.text(0.68, 0.865, ", ".join(figures), fontsize=10)
    figure.savefig(arguments.output, facecolor="white")


if __name__ == "__main__":
    main()
