// SPDX-License-Identifier: Apache-2.0

// poller: the plain logger that the torture test compares with, written with care: 100 times a second, by deadlines that do
// not drift, it reads an MPU-6050 in one burst and prints a line of CSV. A read that fails is a line without values.
//
//     unix time, ax, ay, az in g, gx, gy, gz in degrees a second
#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { ADDRESS = 0x68, OUTPUTS = 0x3B, PERIOD = 10 * 1000 * 1000 };

static volatile sig_atomic_t is_over;
static void end(int number) { is_over = 1; }

static int transfer(int bus, uint8_t *written, int count, uint8_t *data, int wanted) {
  struct i2c_msg messages[] = {{ADDRESS, 0, count, written}, {ADDRESS, I2C_M_RD, wanted, data}};
  struct i2c_rdwr_ioctl_data both = {messages, wanted ? 2 : 1};
  return ioctl(bus, I2C_RDWR, &both) < 0 ? -1 : 0;
}

int main(void) {
  // Awake; 42 Hz; 1 kHz / 10; 1000 degrees a second; 8 g.
  uint8_t set_up[][2] = {{0x6B, 0x01}, {0x1A, 0x03}, {0x19, 0x09}, {0x1B, 0x10}, {0x1C, 0x10}};
  int bus = open("/dev/i2c-0", O_RDWR);
  for (unsigned index = 0; index < sizeof set_up / sizeof *set_up; index++)
    if (transfer(bus, set_up[index], 2, NULL, 0) != 0) return perror("poller"), 1;
  signal(SIGINT, end);
  struct timespec due, wall;
  clock_gettime(CLOCK_MONOTONIC, &due);
  while (!is_over && !ferror(stdout)) {
    if ((due.tv_nsec += PERIOD) >= 1000000000) due.tv_nsec -= 1000000000, due.tv_sec++;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR && !is_over) {}
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((now.tv_sec - due.tv_sec) * 1000000000LL + now.tv_nsec - due.tv_nsec > PERIOD) due = now; // no burst of late reads
    uint8_t data[14], first = OUTPUTS;
    int failed = transfer(bus, &first, 1, data, sizeof data);
    clock_gettime(CLOCK_REALTIME, &wall);
    printf("%lld.%09ld", (long long)wall.tv_sec, wall.tv_nsec);
    for (int axis = 0; axis < 7; axis++) {
      int16_t count = data[2 * axis] << 8 | data[2 * axis + 1];
      if (axis == 3) continue; // the temperature
      if (failed) printf(",");
      else printf(",%.6f", axis < 3 ? count / 4096.0 : count / 32.8);
    }
    printf("\n");
  }
  int failed = ferror(stdout);
  return fclose(stdout) == 0 && !failed ? 0 : 74;
}
