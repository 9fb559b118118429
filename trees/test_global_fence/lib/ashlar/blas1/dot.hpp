void f() { Kokkos::fence(); }
