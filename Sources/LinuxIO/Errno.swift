import Glibc

/// What an error number means, in the C library's words, such as `Permission denied`.
///
/// For sentences only, never on the sampler thread. The corresponding C function is `strerror`,
/// which has been safe to call from several threads since glibc 2.32.
func meaning(ofErrno code: Int32) -> String {
  guard let text = strerror(code) else { return "unknown error" }
  // Safe: strerror's text ends in a NUL and is copied before this thread calls strerror again.
  return String(cString: text)
}
