#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shell loop that a question on a forum gets: one command sets a register, one reads all outputs.
for pair in 0x6b:0x00 0x1b:0x10 0x1c:0x10; do i2cset -y 0 0x68 "${pair%:*}" "${pair#*:}"; done
while :; do
  echo "$(date +%s.%N) $(i2ctransfer -y 0 w1@0x68 0x3b r14)"
  sleep 0.01
done
