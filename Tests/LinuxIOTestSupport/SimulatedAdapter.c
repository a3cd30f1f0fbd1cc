// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "LinuxIOTestSupport.h"

#include <errno.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct simulated_adapter adapter;
/// The kernel's adapter has a lock, too: a bus is also used by the thread that opens it anew.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct simulated_adapter *simulated_adapter(void) { return &adapter; }

void simulated_adapter_reset(void) {
  memset(&adapter, 0, sizeof adapter);
  for (int index = 0; index < 256; index++) adapter.registers[index] = (uint8_t)index ^ 0xA5;
}

void simulated_adapter_hold(uint16_t address) { __atomic_store_n(&adapter.held, address, __ATOMIC_RELEASE); }

int simulated_adapter_selections(void) { return __atomic_load_n(&adapter.selections, __ATOMIC_ACQUIRE); }

uint8_t simulated_adapter_register(uint8_t number) { return adapter.registers[number]; }

/// As i2c-bcm2835 does: one read message, the last one; EREMOTEIO when no chip acknowledges.
static int combined(struct i2c_rdwr_ioctl_data *data) {
  uint8_t reg = 0;
  adapter.messages = (int)data->nmsgs;
  for (unsigned index = 0; index < data->nmsgs; index++) {
    struct i2c_msg *message = &data->msgs[index];
    if (message->flags & I2C_M_RD && index + 1 != data->nmsgs) return EOPNOTSUPP;
    if (message->addr != adapter.chip) return EREMOTEIO;
    if (message->flags & I2C_M_RD) {
      for (unsigned byte = 0; byte < message->len; byte++)
        message->buf[byte] = adapter.registers[reg++];
    } else {
      reg = message->buf[0];
      for (unsigned byte = 1; byte < message->len; byte++)
        adapter.registers[reg++] = message->buf[byte];
    }
  }
  return 0;
}

/// Blocks and byte data, as i2c-dev hands them on; ENXIO when no chip acknowledges.
static int smbus(struct i2c_smbus_ioctl_data *call) {
  if (adapter.selected != adapter.chip) return ENXIO;
  if (call->read_write == I2C_SMBUS_WRITE && call->size == I2C_SMBUS_BYTE_DATA) {
    adapter.registers[call->command] = call->data->byte;
    return 0;
  }
  if (call->read_write != I2C_SMBUS_READ) return EOPNOTSUPP;
  if (call->size == I2C_SMBUS_I2C_BLOCK_BROKEN) call->data->block[0] = I2C_SMBUS_BLOCK_MAX;
  else if (call->size != I2C_SMBUS_I2C_BLOCK_DATA) return EOPNOTSUPP;
  int count = call->data->block[0];
  if (count > adapter.longest_block) adapter.longest_block = count;
  for (int byte = 0; byte < count; byte++)
    call->data->block[1 + byte] = adapter.registers[(uint8_t)(call->command + byte)];
  call->data->block[0] = (uint8_t)(count - adapter.shortfall);
  return 0;
}

static int transfer(ino_t node, unsigned long request, void *argument) {
  ino_t deselected = __atomic_load_n(&adapter.deselected, __ATOMIC_ACQUIRE);
  if (deselected && deselected == node) return EREMOTEIO;
  if (deselected) __atomic_store_n(&adapter.deselected, 0, __ATOMIC_RELEASE);
  if (adapter.failure && adapter.failure_after-- <= 0) return adapter.failure;
  adapter.transfers++;
  return request == I2C_RDWR ? combined(argument) : smbus(argument);
}

/// The errno, 0, or -1 for "not mine".
static int answer(ino_t node, unsigned long request, void *argument) {
  unsigned long number = (unsigned long)argument;
  switch (request) {
    case I2C_FUNCS: *(unsigned long *)argument = adapter.functions; return 0;
    case I2C_SLAVE:
      __atomic_fetch_add(&adapter.selections, 1, __ATOMIC_RELEASE);
      if (number == __atomic_load_n(&adapter.held, __ATOMIC_ACQUIRE)) return EBUSY;
      adapter.selected = (uint16_t)number;
      return 0;
    case I2C_TIMEOUT: adapter.timeout = number; return 0;
    case I2C_RETRIES: adapter.retries = number; return 0;
    case I2C_RDWR:
    case I2C_SMBUS: return transfer(node, request, argument);
    default: return -1;
  }
}

int ioctl(int fd, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  struct stat status;
  if (_IOC_TYPE(request) == 0xB4 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    int code = simulated_lines_answer(fd, request, argument);
    if (code > 0) errno = code;
    if (code >= 0) return code > 0 ? -1 : 0;
  }
  if (adapter.functions && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    pthread_mutex_lock(&lock);
    int code = answer(status.st_ino, request, argument);
    pthread_mutex_unlock(&lock);
    if (code > 0) errno = code;
    if (code >= 0) {
      int done = request == I2C_RDWR ? (int)((struct i2c_rdwr_ioctl_data *)argument)->nmsgs : 0;
      return code > 0 ? -1 : done;
    }
  }
  return (int)syscall(SYS_ioctl, fd, request, argument);
}
