# Part of Ashlar, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage
from spack_repo.builtin.packages.kokkos.package import Kokkos

from spack.package import *


class Ashlar(CMakePackage, CudaPackage, ROCmPackage):
    """Block-sparse linear systems on Kokkos: products, streamed matrices, conjugate gradients over
    many GPUs, halo exchanges and geometric multigrid, from one source on NVIDIA and AMD GPUs and
    on CPUs."""

    # The checkout that this recipe lies in.
    git = pathlib.Path(__file__).resolve().parents[5].as_uri()

    license("Apache-2.0 WITH LLVM-exception")
    test_requires_compiler = True

    version("main", branch="main")

    variant("mpi", default=True, description="Ranks over MPI: component MPI")
    variant(
        "nccl", default=False, description="Messages on streams of NVIDIA GPUs: component NCCL"
    )
    variant(
        "rccl",
        default=False,
        description="Messages on streams of AMD GPUs by RCCL: component NCCL",
    )
    variant(
        "kokkos-kernels",
        default=False,
        description="Matrices of Kokkos Kernels: component KokkosKernels",
    )
    variant(
        "trilinos", default=False, description="Operators and matrices of Tpetra: component Tpetra"
    )
    variant("openmp", default=True, description="Threads of the host, as Kokkos has them")
    variant("shared", default=True, description="Shared libraries")
    variant("tests", default=False, description="Build the unit tests and the examples")

    # One GPU each, as Kokkos has it.
    variant(
        "cuda_arch",
        default="none",
        values=("none", *CudaPackage.cuda_arch_values),
        multi=False,
        sticky=True,
        when="+cuda",
        description="The NVIDIA GPU to compile for",
    )
    variant(
        "amdgpu_target",
        default="none",
        values=("none", *ROCmPackage.amdgpu_targets),
        multi=False,
        sticky=True,
        when="+rocm",
        description="The AMD GPU to compile for",
    )

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type=("build", "test"))
    depends_on("nlohmann-json", type="build")
    depends_on("eigen@3.4:", type="build")
    depends_on("xxhash@0.8:", type="build")
    depends_on("cli11", type="build")
    depends_on("zlib-api")
    depends_on("googletest+gmock", type="build", when="+tests")
    depends_on("python@3:", type="build", when="+tests")

    depends_on("kokkos@5:")
    depends_on("kokkos+openmp", when="+openmp")
    # A Kokkos that is there already is taken where it may be: none with another compiler, or with
    # another space for what the host does.
    depends_on("kokkos~openmp+serial", when="~openmp")
    depends_on("kokkos~cuda", when="~cuda")
    depends_on("kokkos~rocm", when="~rocm")
    depends_on("mpi", when="+mpi")
    # Without its kind of GPU, the reason to tell is the conflict below and none of theirs.
    depends_on("nccl@2.18:", when="+nccl+cuda")
    depends_on("rccl@6.0:", when="+rccl+rocm")
    # The adapters of these two are headers: what they need is there, and nothing is compiled.
    depends_on("kokkos-kernels@5:", when="+kokkos-kernels")
    # Belos, for the examples.
    depends_on("trilinos@17:+mpi+tpetra+belos", when="+trilinos")
    depends_on("trilinos+openmp", when="+trilinos+openmp")

    # A program that links a shared libashlar and a static Kokkos has two Kokkos.
    depends_on("kokkos+shared", when="+shared")

    # What is below compiles for the same GPU.
    depends_on("cuda@12.2:", when="+cuda")
    depends_on("hip@6.2:", when="+rocm")
    for arch in CudaPackage.cuda_arch_values:
        with when(f"+cuda cuda_arch={arch}"):
            depends_on(f"kokkos+cuda+wrapper cuda_arch={arch}")
            depends_on(f"kokkos-kernels+cuda cuda_arch={arch}", when="+kokkos-kernels")
            depends_on(f"trilinos+cuda+wrapper cuda_arch={arch}", when="+trilinos")
            depends_on(f"nccl cuda_arch={arch}", when="+nccl")
    for arch in ROCmPackage.amdgpu_targets:
        with when(f"+rocm amdgpu_target={arch}"):
            depends_on(f"kokkos+rocm amdgpu_target={arch}")
            depends_on(f"trilinos+rocm amdgpu_target={arch}", when="+trilinos")
            depends_on(f"rccl amdgpu_target={arch}", when="+rccl")

    conflicts("+cuda", when="+rocm", msg="a Kokkos has one kind of GPU: choose +cuda or +rocm")
    conflicts(
        "cuda_arch=none",
        when="+cuda",
        msg="kernels are compiled for one GPU: name it, such as cuda_arch=90",
    )
    conflicts(
        "amdgpu_target=none",
        when="+rocm",
        msg="kernels are compiled for one GPU: name it, such as amdgpu_target=gfx942",
    )
    for arch in CudaPackage.cuda_arch_values:
        if arch not in Kokkos.spack_cuda_arch_map:
            conflicts(f"cuda_arch={arch}", msg=f"Kokkos does not compile for cuda_arch={arch}")
    conflicts("+nccl", when="~cuda", msg="NCCL is for NVIDIA GPUs: add +cuda")
    conflicts("+rccl", when="~rocm", msg="RCCL is for AMD GPUs: add +rocm")
    conflicts("+nccl", when="~mpi", msg="groups of NCCL are made over MPI: add +mpi")
    conflicts("+rccl", when="~mpi", msg="groups of RCCL are made over MPI: add +mpi")
    conflicts(
        "+trilinos", when="~mpi", msg="the adapters of Tpetra make communicators of MPI: add +mpi"
    )
    conflicts("%gcc@:11", msg="C++20 as it is used here needs GCC 12 or later")
    conflicts("%clang@:15", msg="C++20 as it is used here needs Clang 16 or later")

    def cmake_args(self):
        spec = self.spec
        backends = {"+cuda": "CUDA", "+rocm": "HIP", "+openmp": "OPENMP"}
        backend = next((backends[each] for each in backends if spec.satisfies(each)), "SERIAL")
        args = [
            self.define("ASHLAR_REQUIRE_BACKEND", backend),
            self.define("ASHLAR_ENABLE_APPS", True),
            self.define("ASHLAR_ENABLE_PERF_TESTS", False),
            self.define_from_variant("ASHLAR_ENABLE_TESTS", "tests"),
            self.define_from_variant("ASHLAR_ENABLE_MPI", "mpi"),
            self.define("ASHLAR_ENABLE_NCCL", spec.satisfies("+nccl") or spec.satisfies("+rccl")),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]
        for name in ("nccl", "rccl"):
            if spec.satisfies(f"+{name}"):
                args.append(self.define("ASHLAR_NCCL_INCLUDE_DIR", spec[name].prefix.include))
                args.append(self.define("ASHLAR_NCCL_LIBRARY", spec[name].libs[0]))
        return args + self.compiler_for_gpus()

    def compiler_for_gpus(self):
        """Kokkos' choice: the one of this package compiles for its host."""
        if self.spec.satisfies("+cuda"):
            return [self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx)]
        # Clang, AMD's and the other, compiles HIP itself.
        is_clang = self.spec.satisfies("%cxx=clang") or self.spec.satisfies("%cxx=rocmcc")
        if self.spec.satisfies("+rocm") and not is_clang:
            return [self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc)]
        return []

    @run_after("install")
    def keep_a_consumer(self):
        """What the stand-alone test builds."""
        cache_extra_test_sources(self, join_path("unit_tests", "install", "consumer"))

    def test_installed_package(self):
        """build a project with the installed package and run it"""
        sources = self.test_suite.current_test_cache_dir
        project = join_path(sources, "unit_tests", "install", "consumer")
        cmake = self.spec["cmake"].command
        options = [self.define("Ashlar_ROOT", self.prefix), *self.compiler_for_gpus()]
        cmake("-S", project, "-B", "mine", *options)
        cmake("--build", "mine")
        said = Executable(join_path("mine", "mine"))(output=str.split, error=str.split)
        check_outputs([r"4 rows, 3 blocks, sum 12"], said)

    def test_command(self):
        """the installed command solves a small cantilever"""
        problem = ["--problem", "cantilever", "--nodes", "9", "--dof", "3"]
        ashlar = which(self.prefix.bin.ashlar, required=True)
        said = ashlar("solve", *problem, output=str.split, error=str.split)
        check_outputs([r"converged"], said)
