// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
package import IMUModel
import Text

/// The temporary name of a file or a directory, in the directory of its final one: `.pending-3f9a01c2d4e5b677`.
///
/// Its length is the same whatever the final name, which may have all 255 bytes of a file system's limit. The digits are
/// random, so that no other program's file, and no remains of a power failure, have the name. A signal that ends the program
/// while it is held deletes what has it.
package struct TemporaryName {
  package let path: String
  private let number: Int32

  /// Holds a name beside `final`.
  package init(beside final: String) throws(CommandFailure) {
    let digits = UInt64.random(in: .min ... .max).digits(16, radix: 16)
    let directory = final.lastIndex(of: "/").map { final[...$0] } ?? ""
    path = "\(directory).pending-\(digits)"
    number = clinuxio_temporary_hold(path)
    guard number >= 0 else {
      throw CommandFailure(
        .cannotCreate,
        "cannot make \(final): \(Errno.words(-number)); choose a shorter name, or write fewer files at once"
      )
    }
  }

  /// Ends the holding, once what has the name is renamed or deleted.
  package func release() { clinuxio_temporary_release(number) }
}

/// The directory of a path.
func parent(of path: String) -> String {
  path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
}

/// Makes the names in a directory durable, unless this user may only write to it.
///
/// - Returns: 0 or the errno.
func syncNames(in directory: String) -> Int32 {
  let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { return errno == EACCES ? 0 : errno }
  defer { close(descriptor) }
  // EINVAL: a file system without directories on a medium.
  return fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
}
