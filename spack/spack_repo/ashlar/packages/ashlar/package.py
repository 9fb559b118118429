# Part of Ashlar, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Ashlar(CMakePackage, CudaPackage, ROCmPackage):
    """Block-sparse linear systems on Kokkos: products, streamed matrices, conjugate gradients over many GPUs, halo
    exchanges and geometric multigrid, from one source on NVIDIA and AMD GPUs and on CPUs."""

    # The checkout that this recipe lies in.
    git = pathlib.Path(__file__).resolve().parents[5].as_uri()

    license("Apache-2.0 WITH LLVM-exception", checked_by="ashlar")
    test_requires_compiler = True

    version("main", branch="main")

    variant("mpi", default=True, description="Ranks over MPI: component MPI")
    variant("nccl", default=False, description="Messages on streams of NVIDIA GPUs: component NCCL")
    variant("rccl", default=False, description="Messages on streams of AMD GPUs by RCCL: component NCCL")
    variant("kokkos-kernels", default=False, description="Matrices of Kokkos Kernels: component KokkosKernels")
    variant("trilinos", default=False, description="Operators and matrices of Tpetra: component Tpetra")
    variant("openmp", default=True, description="Threads of the host, as Kokkos has them")
    variant("shared", default=True, description="Shared libraries")
    variant("tests", default=False, description="Build the unit tests and the examples")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type=("build", "test"))
    depends_on("nlohmann-json", type="build")
    depends_on("eigen@3.4:", type="build")
    depends_on("xxhash@0.8:", type="build")
    depends_on("cli11", type="build")
    depends_on("googletest+gmock", type="build", when="+tests")
    depends_on("python@3:", type="build", when="+tests")

    depends_on("kokkos@5:")
    depends_on("kokkos+openmp", when="+openmp")
    depends_on("mpi", when="+mpi")
    depends_on("nccl@2.18:", when="+nccl")
    depends_on("rccl@6.0:", when="+rccl")
    # The adapters of these two are headers: what they need is there, and nothing is compiled.
    depends_on("kokkos-kernels@5:", when="+kokkos-kernels")
    # Belos, for the examples.
    depends_on("trilinos@17:+tpetra+belos", when="+trilinos")
    depends_on("trilinos+openmp", when="+trilinos+openmp")

    # A program that links a shared libashlar and a static Kokkos has two Kokkos.
    depends_on("kokkos+shared", when="+shared")

    # What is below compiles for the same GPU.
    depends_on("cuda@12.2:", when="+cuda")
    depends_on("kokkos+cuda+wrapper", when="+cuda")
    depends_on("kokkos+rocm", when="+rocm")
    depends_on("hip@6.2:", when="+rocm")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
        depends_on(f"kokkos-kernels+cuda cuda_arch={arch}", when=f"+kokkos-kernels+cuda cuda_arch={arch}")
        depends_on(f"trilinos+cuda+wrapper cuda_arch={arch}", when=f"+trilinos+cuda cuda_arch={arch}")
        depends_on(f"nccl cuda_arch={arch}", when=f"+nccl+cuda cuda_arch={arch}")
    for arch in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos amdgpu_target={arch}", when=f"+rocm amdgpu_target={arch}")
        depends_on(f"trilinos+rocm amdgpu_target={arch}", when=f"+trilinos+rocm amdgpu_target={arch}")
        depends_on(f"rccl amdgpu_target={arch}", when=f"+rccl+rocm amdgpu_target={arch}")

    conflicts("+cuda", when="+rocm", msg="a Kokkos has one kind of GPU: choose +cuda or +rocm")
    conflicts("cuda_arch=none", when="+cuda", msg="kernels are compiled for one GPU: name it, such as cuda_arch=90")
    conflicts("amdgpu_target=none", when="+rocm",
              msg="kernels are compiled for one GPU: name it, such as amdgpu_target=gfx942")
    conflicts("+nccl", when="~cuda", msg="NCCL is for NVIDIA GPUs: add +cuda")
    conflicts("+rccl", when="~rocm", msg="RCCL is for AMD GPUs: add +rocm")
    conflicts("+nccl", when="~mpi", msg="groups of NCCL are made over MPI: add +mpi")
    conflicts("+rccl", when="~mpi", msg="groups of RCCL are made over MPI: add +mpi")
    conflicts("+trilinos", when="~mpi", msg="the adapters of Tpetra make communicators of MPI: add +mpi")
    conflicts("%gcc@:11", msg="C++20 as it is used here needs GCC 12 or later")
    conflicts("%clang@:15", msg="C++20 as it is used here needs Clang 16 or later")

    def cmake_args(self):
        spec = self.spec
        backend = next((name for variant, name in (("+cuda", "CUDA"), ("+rocm", "HIP"), ("+openmp", "OPENMP"))
                        if spec.satisfies(variant)), "SERIAL")
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
                args += [self.define("ASHLAR_NCCL_INCLUDE_DIR", spec[name].prefix.include),
                         self.define("ASHLAR_NCCL_LIBRARY", find_libraries(f"lib{name}", spec[name].prefix,
                                                                           shared=True, recursive=True)[0])]
        if spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        elif spec.satisfies("+rocm"):
            args.append(self.define("CMAKE_CXX_COMPILER", spec["hip"].hipcc))
        return args

    @run_after("install")
    def keep_a_consumer(self):
        """What the stand-alone test builds."""
        cache_extra_test_sources(self, join_path("unit_tests", "install", "consumer"))

    def test_installed_package(self):
        """build a project with the installed package and run it"""
        project = join_path(self.test_suite.current_test_cache_dir, "unit_tests", "install", "consumer")
        cmake = self.spec["cmake"].command
        arguments = ["-S", project, "-B", "mine", f"-DAshlar_ROOT={self.prefix}"]
        if self.spec.satisfies("+cuda"):
            arguments.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        elif self.spec.satisfies("+rocm"):
            arguments.append(self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc))
        cmake(*arguments)
        cmake("--build", "mine")
        said = Executable(join_path("mine", "mine"))(output=str.split, error=str.split)
        check_outputs([r"4 rows, 3 blocks, sum 12"], said)

    def test_command(self):
        """the installed command solves a small cantilever"""
        said = which(self.prefix.bin.ashlar, required=True)(
            "solve", "--problem", "cantilever", "--nodes", "9", "--dof", "3", output=str.split, error=str.split)
        check_outputs([r"converged"], said)
