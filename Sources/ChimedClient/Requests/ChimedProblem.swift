internal import Foundation

/// The service's description of a problem with a request (RFC 9457).
public struct ChimedProblem: Hashable, Sendable {
  /// The HTTP status of the reply, from 300 on.
  public let status: Int
  /// The kind of problem: `urn:chimed:problem:unacceptable-event`; empty if unknown.
  public let type: String
  /// The fault, its position, and what to do.
  public let detail: String
  /// The member or parameter concerned, such as `data.timezone`.
  public let path: String?
  /// The time to wait before the request is sent again, if the service has named one.
  public let retryAfter: Duration?

  /// Whether the same request may succeed later: the service is busy, stopping, out of storage, or
  /// out of reach of a proxy. Status 429 without `retryAfter` means a limit that time alone does
  /// not lift.
  public var isTemporary: Bool {
    switch status {
    case 408, 502, 503, 504, 507: true
    case 429: retryAfter != nil
    default: false
    }
  }

  init(
    status: Int, type: String = "", detail: String, path: String? = nil,
    retryAfter: Duration? = nil
  ) {
    self.status = status
    self.type = type
    self.detail = detail
    self.path = path
    self.retryAfter = retryAfter
  }

  init(_ headers: ReplyHeaders, document: Data) {
    let problem = try? ChimedDocument.decode(Document.self, from: document)
    let seconds = headers["Retry-After"].flatMap { Int64($0) }
    self.init(problem, status: headers.status, retryAfter: seconds.map { .seconds($0) })
  }

  /// The problem of one event of a batch.
  init(_ problem: Document?) {
    self.init(problem, status: problem?.status ?? 422, retryAfter: nil)
  }

  private init(_ problem: Document?, status: Int, retryAfter: Duration?) {
    self.init(
      status: status, type: problem?.type ?? "",
      detail: problem?.detail ?? "the service answered \(status)", path: problem?.path,
      retryAfter: retryAfter)
  }

  struct Document: Decodable {
    let status: Int?
    let type: String?
    let detail: String?
    let path: String?
  }
}
