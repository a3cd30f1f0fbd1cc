# SPDX-License-Identifier: Apache-2.0
"""The scenarios, by what they are about."""
