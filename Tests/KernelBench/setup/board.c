// SPDX-License-Identifier: Apache-2.0

// board: tells the guest's kernel of a chip on its first I2C bus and of the GPIO line that the chip's interrupt output is
// wired to, as a device tree does on a real board.
//
//     load board name=lsm6dso address=0x6a line=22 trigger=1
//
// `trigger` is an IRQ_TYPE of linux/irq.h: 1 for rising edges. The chip is gone when the module is unloaded.
#include <linux/gpio/consumer.h>
#include <linux/gpio/driver.h>
#include <linux/gpio/machine.h>
#include <linux/i2c.h>
#include <linux/irq.h>
#include <linux/module.h>
#include <linux/property.h>

static char *name = "";
static ushort address;
static uint line;
static uint trigger = IRQ_TYPE_EDGE_RISING;
module_param(name, charp, 0444);
module_param(address, ushort, 0444);
module_param(line, uint, 0444);
module_param(trigger, uint, 0444);

static struct gpio_desc *wire;
static struct i2c_client *chip;

// INT1 of some chips must stay open; and no second bus is there to be searched for other chips.
static const struct property_entry properties[] = {
	PROPERTY_ENTRY_U32("st,drdy-int-pin", 2),
	PROPERTY_ENTRY_BOOL("st,disable-sensor-hub"),
	{}
};
static const struct software_node node = { .properties = properties };

static int is_first(struct gpio_chip *candidate, void *unused)
{
	return 1;
}

static int __init board_begin(void)
{
	struct i2c_board_info info = { .addr = address, .swnode = &node };
	struct i2c_adapter *bus = i2c_get_adapter(0);
	struct gpio_chip *lines = gpiochip_find(NULL, is_first);
	int error = -ENODEV;

	if (!bus || !lines)
		goto bus;
	wire = gpiochip_request_own_desc(lines, line, "board", GPIO_ACTIVE_HIGH, GPIOD_IN);
	error = PTR_ERR_OR_ZERO(wire);
	if (error)
		goto bus;
	error = info.irq = gpiod_to_irq(wire);
	if (error > 0)
		error = irq_set_irq_type(info.irq, trigger);
	if (error < 0)
		goto wire;
	strscpy(info.type, name, sizeof(info.type));
	chip = i2c_new_client_device(bus, &info);
	error = PTR_ERR_OR_ZERO(chip);
wire:
	if (error)
		gpiochip_free_own_desc(wire);
bus:
	if (bus)
		i2c_put_adapter(bus);
	return error;
}

static void __exit board_end(void)
{
	i2c_unregister_device(chip);
	gpiochip_free_own_desc(wire);
}

module_init(board_begin);
module_exit(board_end);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A chip and its interrupt line");
