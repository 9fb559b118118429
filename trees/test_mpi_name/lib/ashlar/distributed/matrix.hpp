

void f(MPI_Comm);
