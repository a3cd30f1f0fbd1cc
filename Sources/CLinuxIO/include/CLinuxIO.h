#ifndef CLINUXIO_H
#define CLINUXIO_H
#endif
