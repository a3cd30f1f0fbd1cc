#ifndef CLINUXIO_H
#define CLINUXIO_H

#include "CRC32C.h"
#include "Kernel.h"

#endif
