# SPDX-License-Identifier: Apache-2.0
"""a C poller (guest/poller.c)"""
command = "poller"
