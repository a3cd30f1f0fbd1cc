// SPDX-License-Identifier: Apache-2.0

// stubchip BUS TRUTH: plays an MPU-6050 in the registers of the kernel's i2c-stub, an adapter that knows SMBus only.
//
// The stub is memory: reads return what was written. This program animates it: it ends a reset, and while the chip is
// awake it writes a new sample with its data-ready flag every 2 ms, flag and sample in one transfer. A read does not
// clear the flag. TRUTH gets a line for each sample as ../kernelbench/chips/truth.py describes, in the guest's time.
#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { CHIP = 0x68, INT_STATUS = 0x3A, PWR_MGMT_1 = 0x6B, GYRO_CONFIG = 0x1B, ACCEL_CONFIG = 0x1C, WHO_AM_I = 0x75 };

static int bus;

static int transfer(uint8_t direction, uint8_t reg, uint32_t size, union i2c_smbus_data *data) {
  struct i2c_smbus_ioctl_data arguments = {.read_write = direction, .command = reg, .size = size, .data = data};
  if (ioctl(bus, I2C_SMBUS, &arguments) == 0) return 0;
  fprintf(stderr, "stubchip: register %#x: %s\n", reg, strerror(errno));
  exit(1);
}

static uint8_t get(uint8_t reg) {
  union i2c_smbus_data data;
  transfer(I2C_SMBUS_READ, reg, I2C_SMBUS_BYTE_DATA, &data);
  return data.byte;
}

static void set(uint8_t reg, uint8_t value) {
  union i2c_smbus_data data = {.byte = value};
  transfer(I2C_SMBUS_WRITE, reg, I2C_SMBUS_BYTE_DATA, &data);
}

static void sample(FILE *truth, unsigned number) {
  int16_t axes[7];  // ax ay az temp gx gy gz, as in the chip
  for (unsigned axis = 0; axis < 7; axis++) axes[axis] = (int16_t)((number * (2654435761u + 40503u * axis)) >> 16);
  union i2c_smbus_data data;
  data.block[0] = 15;
  data.block[1] = 1;
  for (unsigned axis = 0; axis < 7; axis++) {
    data.block[2 + 2 * axis] = (uint8_t)(axes[axis] >> 8);
    data.block[3 + 2 * axis] = (uint8_t)axes[axis];
  }
  static const double turn[4] = {131, 65.5, 32.8, 16.4};
  double accelerometer = 16384 >> (get(ACCEL_CONFIG) >> 3 & 3), gyroscope = turn[get(GYRO_CONFIG) >> 3 & 3];
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  transfer(I2C_SMBUS_WRITE, INT_STATUS, I2C_SMBUS_I2C_BLOCK_DATA, &data);
  fprintf(truth, "sample mpu6050 %u %lld %.17g %.17g settled %d %d %d %d %d %d %d\n", number,
          now.tv_sec * 1000000000ll + now.tv_nsec, 1 / accelerometer, 1 / gyroscope, axes[0], axes[1], axes[2], axes[4],
          axes[5], axes[6], axes[3]);
}

int main(int count, char **arguments) {
  if (count != 3) return fprintf(stderr, "usage: stubchip BUS TRUTH\n"), 64;
  bus = open(arguments[1], O_RDWR | O_CLOEXEC);
  FILE *truth = fopen(arguments[2], "w");
  if (bus < 0 || !truth || ioctl(bus, I2C_SLAVE_FORCE, CHIP) != 0) return perror("stubchip"), 1;
  struct sched_param first = {.sched_priority = 50};
  if (sched_setscheduler(0, SCHED_FIFO, &first) != 0) return perror("stubchip: real-time class"), 1;
  set(WHO_AM_I, 0x68);
  set(PWR_MGMT_1, 0x40);
  puts("ready");
  fflush(stdout);
  for (unsigned number = 1;;) {
    uint8_t power = get(PWR_MGMT_1);
    if (power & 0x80) {
      for (unsigned reg = 0; reg < 0x6B; reg++) set((uint8_t)reg, 0);
      set(PWR_MGMT_1, 0x40);
    } else if (!(power & 0x40)) {
      sample(truth, number++);
      fflush(truth);
    }
    usleep(1500);
  }
}
