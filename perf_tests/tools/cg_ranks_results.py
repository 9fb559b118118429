"""Result files of perf_cg_ranks as tables and figures have them."""
import perf_results as results

# Systems as people call them, in the order of their rows and lines. "twin": of that matrix's size and shape.
NAMES = {"grid27x1:80": "27-point 80^3", "stencil11:128": "11-point 128^3", "grid27x3:68": "3x3 blocks 68^3",
         "stencil11:256": "11-point 256^3", "stencil11:46": "11-point 46^3", "stencil11:22": "11-point 22^3",
         "audi_kw": "Audi_kw's twin", "af_0_k101": "af_0_k101's twin"}


def read(files):
    """Rows of ours and rows of peers, each with a time, and where they were measured."""
    rows, contexts = results.read(files)
    for row in rows:
        if not results.is_number(row.get("us")) or type(row.get("ranks")) is not int:
            raise results.Problem(f"{row['case']}, {row['library']} {row['kernel']} has no 'us' or no 'ranks'",
                                  "it is no result of perf_cg_ranks", "pass files that perf_cg_ranks wrote with --json")
    ours = results.of_library(rows, results.ASHLAR)
    return ours, [row for row in rows if row["library"] != results.ASHLAR], contexts


def name_of(case):
    return NAMES.get(case, case)


def cases_in(rows):
    there = results.distinct(row["case"] for row in rows)
    return [case for case in NAMES if case in there] + [case for case in there if case not in NAMES]


def ranks_in(rows):
    return sorted({row["ranks"] for row in rows})


def over_floor(row):
    """`fraction` is of the read bandwidth: the floor's time over this one."""
    return 1 / row["fraction"]


def best(rows, case, ranks):
    """The fastest way on so many ranks; None where there is none."""
    return results.fastest([row for row in rows if (row["case"], row["ranks"]) == (case, ranks)])


def efficiency(rows, row):
    """One rank's time over this one's and the number of ranks: of the same run, as the file has it, or else of a file of
    one rank that was passed, too. None where nobody knows."""
    if results.is_number(row.get("efficiency")):
        return row["efficiency"]
    whole = best(rows, row["case"], 1)
    return whole["us"] / (row["ranks"] * row["us"]) if whole and row["ranks"] > 1 else None
