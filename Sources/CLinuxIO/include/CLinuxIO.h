#ifndef CLINUXIO_H
#define CLINUXIO_H

#include "CRC32C.h"
#include "GPIO.h"
#include "Kernel.h"
#include "Processes.h"
#include "SHA256.h"
#include "Sockets.h"
#include "Terminal.h"

#endif
