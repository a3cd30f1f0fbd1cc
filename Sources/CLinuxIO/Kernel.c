#include "Kernel.h"
