import HTTPTypes
import JSON

/// An answer that says what is wrong and what to do about it (RFC 9457, rule H2).
struct Problem: Error {
  let kind: ProblemKind
  /// One sentence for the person who reads it: what is wrong, where, what to do.
  let detail: String
  /// The member of the document concerned, such as `data.timezone`.
  let path: String?
  let headers: HTTPFields

  init(_ kind: ProblemKind, _ detail: String, path: String? = nil, headers: HTTPFields = [:]) {
    self.kind = kind
    self.detail = detail
    self.path = path
    self.headers = headers
  }

  /// Writes the problem document.
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("type", kind.type)
    writer.member("title", kind.title)
    writer.member("status", kind.status.code)
    writer.member("detail", detail)
    if let path { writer.member("path", path) }
    writer.endObject()
  }
}
