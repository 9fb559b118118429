#!/usr/bin/env python3
"""What the check of the recipe finds: the recipe with a fault put in, one at a time.     test_check_recipe.py SOURCE_DIR"""
import pathlib
import sys
import unittest

import check_recipe

SOURCE = pathlib.Path(sys.argv.pop(1))
RECIPE = (SOURCE / check_recipe.RECIPE).read_text(encoding="utf-8")
OPTIONS = check_recipe.cmake_options(SOURCE)


class Faults(unittest.TestCase):
    def changed(self, old, new):
        self.assertIn(old, RECIPE)
        return list(check_recipe.faults_of_recipe(RECIPE.replace(old, new, 1), OPTIONS))

    def expect(self, old, new, fault):
        self.assertTrue(any(fault in each for each in self.changed(old, new)), self.changed(old, new))

    def test_there_are_none_as_it_is(self):
        self.assertEqual(list(check_recipe.faults_of_recipe(RECIPE, OPTIONS)), [])

    def test_options_of_cmake(self):
        self.assertIn("ASHLAR_ENABLE_MPI", OPTIONS)
        self.assertIn("ASHLAR_XXHASH_INCLUDE_DIR", OPTIONS)
        self.assertIn("ASHLAR_BLOCK_SIZES", OPTIONS)
        found = list(check_recipe.faults_of_recipe(RECIPE, OPTIONS | {"ASHLAR_NEW"}))
        self.assertEqual(found, ["ASHLAR_NEW is neither set in cmake_args nor left out on purpose"])
        found = list(check_recipe.faults_of_recipe(RECIPE, OPTIONS - {"ASHLAR_ENABLE_NCCL", "ASHLAR_SANITIZE"}))
        self.assertEqual(len(found), 2)
        self.expect('"ASHLAR_ENABLE_TESTS", "tests"', '"ASHLAR_ENABLE_TESTS", "test"', "no variant test")

    def test_variants(self):
        self.expect(', description="Shared libraries"', "", "shared has no description")
        self.expect('"shared", default=True', '"shared", default="yes"', "shared has no default")
        self.expect('variant("shared"', 'variant("mpi"', "mpi is there twice")
        self.expect('"kokkos-kernels",\n        default', '"kokkos_kernels",\n        default', "small letters")

    def test_directives(self):
        self.expect('when="+nccl+cuda")', 'when="+ncl+cuda")', "no variant ncl")
        self.expect('conflicts("+nccl", when="~cuda"', 'conflicts("+ncl", when="~cuda"', "no variant ncl")
        self.expect('with when(f"+cuda cuda_arch={arch}"', 'with when(f"+cuda arch_of_cuda={arch}"',
                    "no variant arch_of_cuda")
        self.expect('depends_on("mpi", ', 'depends_on("mpi ^hwloc", ', "^ reaches below")
        self.expect('"nccl@2.18:"', '"nccl@2.18:2.4"', "no version is in")
        self.expect('"kokkos+openmp", when="+openmp"', '"kokkos++openmp", when="+openmp"', "is handed on")
        self.expect('when="+nccl+cuda"', 'when="kokkos+cuda"', "names another package")
        self.expect(', msg="NCCL is for NVIDIA GPUs: add +cuda"', "", "does not say why")

    def test_what_is_there_already(self):
        self.expect('depends_on("kokkos~rocm", when="~rocm")', "pass", "without rocm, a Kokkos may have it")
        self.expect('"kokkos~openmp+serial"', '"kokkos+serial"', "without openmp, a Kokkos may have it")

    def test_versions(self):
        self.expect('version("main", branch="main")', 'version("0.1.0")', "no checksum")
        self.expect('version("main", branch="main")', 'version("0.1.0", sha256="12")', "its sha256 is none")
        self.expect("    git = ", "    url = ", "no checksum")

    def test_methods_and_text(self):
        self.expect('        """build a project with the installed package and run it"""\n', "", "no docstring")
        self.expect("class Ashlar(", "class ashlar(", "class Ashlar")
        self.expect("# The checkout", "# http://there", "without https")
        self.expect("# The checkout", "# The checkout" + 80 * "!", "is longer than 99")
        self.expect("# The checkout", "# FIXME: Add", "of the template")
        self.expect("    test_requires_compiler", '    name = "ashlar"\n    test_requires_compiler', "for Spack itself")


if __name__ == "__main__":
    unittest.main()
