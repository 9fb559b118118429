#!/usr/bin/env python3
"""Feeds check_layering.py small trees with one fault each; it must name that fault, and nothing in a sound tree.

    test_check_layering.py SCRATCH_DIR
"""
import pathlib
import shutil
import subprocess
import sys
import unittest

CHECK = pathlib.Path(__file__).with_name("check_layering.py")
SCRATCH = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path("trees")


class CheckLayering(unittest.TestCase):
    def run_on(self, files):
        tree = SCRATCH / self.id().split(".")[-1]
        shutil.rmtree(tree, ignore_errors=True)
        for name, text in files.items():
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return subprocess.run([sys.executable, "-B", CHECK, tree], capture_output=True, text=True)

    def assert_fault(self, files, where, what):
        result = self.run_on(files)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(where, result.stdout)
        self.assertIn(what, result.stdout)
        self.assertIn(" 1 faults", result.stdout)

    def test_sound_tree(self):
        result = self.run_on({
            "lib/ashlar/base/error.hpp": "#include <string>\n",
            "lib/ashlar/spmv/spmv.hpp": "#include <ashlar/base/error.hpp>\n#include <ashlar/bcsr/matrix.hpp>\n"
                                        "#include <ashlar/spmv/impl/loop.hpp>\n// never Kokkos::fence(\n"
                                        'auto s = "Kokkos::fence(";  /* #include <ashlar/krylov/cg.hpp>\n*/\n'
                                        '  exec.fence("label");\n',
            "lib/ashlar/comm/mpi/communicator.hpp": "#include <mpi.h>\nMPI_Comm c;\n",
            "lib/ashlar/krylov/cg.hpp": "#include <ashlar/blas1/blas1.hpp>\n",
            "lib/ashlar/operators/any.hpp": "#include <ashlar/krylov/cg.hpp>\n#include <ashlar/spmv/spmv.hpp>\n",
            "lib/src/bcsr_validate.cpp": "#include <ashlar/bcsr/validate.hpp>\n",
            "lib/src/io/read.cpp": '#include <ashlar/bcsr/csr.hpp>\n#include "scan.hpp"\n',
            "unit_tests/io/test_io.cpp": "#include <ashlar/io/vtk.hpp>\n",
        })
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_include_upwards(self):
        self.assert_fault({"lib/ashlar/bcsr/matrix.hpp": "#pragma once\n#include <ashlar/spmv/plan.hpp>\n"},
                          "lib/ashlar/bcsr/matrix.hpp:2:", "bcsr includes ashlar/spmv/plan.hpp")

    def test_print(self):
        for text in ('std::cout << "x";', 'std::printf("x");', 'std::puts("x");'):
            self.assert_fault({"lib/src/base/text.cpp": f"// std::cout\nstd::snprintf(b, 1, \"printf(\");\n{text}\n"},
                              "lib/src/base/text.cpp:3:", "prints")

    def test_include_sideways(self):
        self.assert_fault({"lib/src/io/vtk.cpp": "#include <ashlar/problems/cantilever.hpp>\n"},
                          "lib/src/io/vtk.cpp:1:", "io includes ashlar/problems/cantilever.hpp")

    def test_include_upwards_from_a_flat_source(self):
        self.assert_fault({"lib/src/base_memory.cpp": "#include <ashlar/bcsr/matrix.hpp>\n"},
                          "lib/src/base_memory.cpp:1:", "base includes")

    def test_include_with_quotes_and_spaces(self):
        self.assert_fault({"lib/src/base/memory.cpp": ' #  include "ashlar/bcsr/matrix.hpp"\n'},
                          "lib/src/base/memory.cpp:1:", "base includes")

    def test_relative_include(self):
        self.assert_fault({"lib/ashlar/base/error.hpp": '#include "../krylov/cg.hpp"\n'},
                          "lib/ashlar/base/error.hpp:1:", "included as <ashlar/...>")

    def test_unknown_module(self):
        self.assert_fault({"lib/ashlar/spmv/plan.hpp": "#include <ashlar/util/misc.hpp>\n"},
                          "lib/ashlar/spmv/plan.hpp:1:", "in no module")

    def test_file_of_no_module(self):
        self.assert_fault({"lib/src/misc.cpp": "\n"}, "lib/src/misc.cpp:1:", "belongs to no module")

    def test_impl_of_another_module(self):
        self.assert_fault({"lib/ashlar/operators/any.hpp": "#include <ashlar/spmv/impl/loop.hpp>\n"},
                          "lib/ashlar/operators/any.hpp:1:", "spmv's own")

    def test_impl_from_outside(self):
        self.assert_fault({"perf_tests/spmv/main.cpp": "\n#include <ashlar/spmv/impl/loop.hpp>\n"},
                          "perf_tests/spmv/main.cpp:2:", "the library's own")

    def test_impl_in_a_test(self):
        line = "#include <ashlar/spmv/impl/loop.hpp>"
        self.assert_fault({"unit_tests/spmv/test_loop.cpp": line + "\n"}, "test_loop.cpp:1:", "the library's own")
        said = line + "  // nothing else shows it\n"
        self.assert_fault({"unit_tests/spmv/test_loop.cpp": said, "perf_tests/spmv/main.cpp": said},
                          "perf_tests/spmv/main.cpp:1:", "the library's own")

    def test_mpi_header(self):
        self.assert_fault({"lib/ashlar/krylov/cg.hpp": "#include <mpi.h>\n"}, "lib/ashlar/krylov/cg.hpp:1:", "mpi.h")

    def test_mpi_header_in_halo(self):
        self.assert_fault({"lib/ashlar/halo/plan.hpp": "#include <mpi.h>\n"}, "lib/ashlar/halo/plan.hpp:1:", "mpi.h")

    def test_nccl_header_in_another_transport(self):
        self.assert_fault({"lib/src/comm/mpi/send.cpp": "#include <nccl.h>\n"}, "lib/src/comm/mpi/send.cpp:1:", "nccl.h")

    def test_mpi_name(self):
        self.assert_fault({"lib/ashlar/distributed/matrix.hpp": "\n\nvoid f(MPI_Comm);\n"},
                          "lib/ashlar/distributed/matrix.hpp:3:", "names MPI_Comm")

    def test_global_fence(self):
        self.assert_fault({"lib/ashlar/blas1/blas1.hpp": "void f() {\n  Kokkos::fence();\n}\n"},
                          "lib/ashlar/blas1/blas1.hpp:2:", "a global Kokkos::fence()")

    def test_global_fence_with_a_label(self):
        self.assert_fault({"lib/src/blas1/dot.cpp": 'void f() { Kokkos::fence("here"); }\n'},
                          "lib/src/blas1/dot.cpp:1:", "a global Kokkos::fence()")

    def test_nothing_to_check(self):
        result = self.run_on({"readme": ""})
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("nothing was checked", result.stderr)


if __name__ == "__main__":
    unittest.main()
