// SPDX-License-Identifier: Apache-2.0

import Export
import Files
import Glibc
@testable import Hub
import IMUModel
import LogStore
import Testing

@Suite("What a hub says of its disk")
struct HubErrorTests {
  private static let codes = [
    ENOSPC, EDQUOT, EFBIG, EROFS, EACCES, EPERM, EIO, ENOENT, EEXIST, ENOTDIR, EISDIR, ELOOP,
    ENAMETOOLONG, ENODEV, ENXIO, EMFILE, EWOULDBLOCK, ENOLCK, ESTALE, EINTR, EBADF, 99,
  ]

  @Test("no remedy is one of a single store, an output or a card", arguments: codes)
  func remedies(_ code: Int32) {
    let error = StorageError(.write, path: "fleet/rows/a", errno: code)
    for error in [
      error, CatalogueError.storage(error), ExportError.output(name: "fleet/rows/a", code: code),
    ] as [any Error] {
      let sentence = HubError.failure(error).sentence
      #expect(sentence.hasPrefix("writing to fleet/rows/a: "))
      for word in ["--store", "with -o", "-o FILE", "the card is in", "name a file"] {
        #expect(!sentence.contains(word), "\(sentence)")
      }
    }
  }

  @Test("what is no file in the place of one is damage; what is missing is not a wrong name")
  func statuses() {
    func status(_ code: Int32) -> IMUModel.ExitStatus {
      HubError.failure(StorageError(.open, path: "x", errno: code)).status
    }
    #expect([EISDIR, ENXIO, ELOOP, ENOTDIR].allSatisfy { status($0) == .damagedData })
    #expect(status(ENOENT) == .inputOutput)
    #expect(status(EROFS) == .cannotCreate)
    #expect(status(EACCES) == .noPermission)
    #expect(HubError.failure(CatalogueError.notADirectory(path: "x")).status == .damagedData)
  }
}
