#ifndef CLINUXIO_KERNEL_H
#define CLINUXIO_KERNEL_H

#endif
