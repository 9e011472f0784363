internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The status and the headers of a reply.
struct ReplyHeaders: Hashable, Sendable {
  let status: Int
  /// The headers, by names in lower case.
  private let fields: [String: String]

  init(status: Int, _ fields: [String: String] = [:]) {
    self.status = status
    self.fields = Dictionary(
      fields.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// The status is 0 if the reply is not HTTP.
  init(_ response: URLResponse) {
    let response = response as? HTTPURLResponse
    var fields: [String: String] = [:]
    for (name, value) in response?.allHeaderFields ?? [:] { fields["\(name)"] = "\(value)" }
    self.init(status: response?.statusCode ?? 0, fields)
  }

  subscript(name: String) -> String? { fields[name.lowercased()] }
}
