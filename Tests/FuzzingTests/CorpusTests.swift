import FuzzTargets
import Foundation
import Testing

/// What a fuzzer has found to matter is tried again; `Tests/Fuzzing/fuzz` makes more of it.
@Suite("Inputs of the fuzzer")
struct CorpusTests {
  static let names: [String] = FuzzTargets.all.map { $0.name }

  @Test(
    "no input of the corpus makes the reader or an export do what it must not", arguments: names)
  func replay(_ name: String) throws {
    let type = try #require(FuzzTargets.all.first { $0.name == name })
    let folder = try #require(Bundle.module.resourceURL).appendingPathComponent("Corpus/\(name)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.count > 50)
    let target = type.init()
    for file in files.sorted() {
      let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
      bytes.withUnsafeBytes { target.run($0) }
    }
  }
}
