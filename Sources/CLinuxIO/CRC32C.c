#include "CRC32C.h"
