// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A path without links; `nil` where there is none, with the reason in errno.
package func realPath(_ path: String) -> String? {
  guard let text = realpath(path, nil) else { return nil }
  // Safe: realpath allocated the C string, which is freed after it is copied.
  defer { free(text) }
  return String(cString: text)
}
