#include <mpi.h>
MPI_Comm c;
