// SPDX-License-Identifier: Apache-2.0

#ifndef CLINUXIO_H
#define CLINUXIO_H

#include "Checksums.h"
#include "GPIO.h"
#include "Kernel.h"
#include "Processes.h"
#include "Sockets.h"
#include "Temporary.h"
#include "Terminal.h"

#endif
