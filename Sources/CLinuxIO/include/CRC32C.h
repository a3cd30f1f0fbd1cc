#ifndef CLINUXIO_CRC32C_H
#define CLINUXIO_CRC32C_H

#endif
