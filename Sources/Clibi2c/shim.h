// SPDX-License-Identifier: Apache-2.0

#ifndef CLIBI2C_SHIM_H
#define CLIBI2C_SHIM_H
#include <linux/i2c.h>
#include <linux/i2c-dev.h>
#include <i2c/smbus.h>
#endif
