# SPDX-License-Identifier: Apache-2.0
"""An independent decoder of imulog logs, version 1.

Written from Specification.md alone, without looking at the other decoder; the
docstrings name its sections.
"""
