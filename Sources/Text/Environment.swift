// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The process's environment.
public enum Environment {
  /// The value of a variable; `nil` when it is not set.
  public static func value(_ name: String) -> String? {
    // Safe: the program never changes its environment, so the C string stays valid while it is copied.
    getenv(name).map { String(cString: $0) }
  }

  /// Whether the locale lacks UTF-8: the first of these variables that is not empty decides (locale(7)).
  public static let isASCII = {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(value)
    let locale = (names.first { !$0.isEmpty } ?? "").lowercased()
    return
      !(locale.hasSuffix("utf-8") || locale.hasSuffix("utf8")
      || locale.parts(around: "utf-8@") != nil)
  }()
}
