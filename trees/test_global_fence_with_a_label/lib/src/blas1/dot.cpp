void f() { Kokkos::fence("here"); }
