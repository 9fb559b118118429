#pragma once

// Working with Tpetra and Belos, in Trilinos-style programs: component Tpetra of the package.
//
//   TpetraOperator           an Ashlar operator as a Tpetra::Operator, which Belos takes
//   from_tpetra              a BlockCrsMatrix or CrsMatrix as an Ashlar operator, on the same memory
//   diagonal_blocks          of that operator: what Jacobi and block-Jacobi preconditioners are made of
//   tpetra_operator          both: it replaces a matrix in a program
//   to_tpetra                an Ashlar matrix as a BlockCrsMatrix, on the same memory
//   distributed_from_tpetra  a BlockCrsMatrix or CrsMatrix as a DistributedMatrix, with a copy of the values
//   tpetra_amg               algebraic multigrid for such a matrix, as a preconditioner of Belos
//   TpetraLinearOperator     a Tpetra::Operator in Ashlar's solvers, as operator or as preconditioner

#include <ashlar/interop/column_map_operator.hpp>
#include <ashlar/interop/tpetra/amg.hpp>
#include <ashlar/interop/tpetra/distributed_matrix.hpp>
#include <ashlar/interop/tpetra/from_tpetra.hpp>
#include <ashlar/interop/tpetra/linear_operator.hpp>
#include <ashlar/interop/tpetra/operator.hpp>
#include <ashlar/interop/tpetra/to_tpetra.hpp>
#include <ashlar/interop/tpetra/types.hpp>
