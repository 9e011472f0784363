import HTTPTypes
import HummingbirdCore

/// One thing that can be asked for.
struct Route: Sendable {
  let method: HTTPRequest.Method
  /// The segments of the path; nil stands for any one.
  let path: [String?]
  /// The names of the query's parameters that it knows.
  let parameters: [String]
  let answer: @Sendable (Call) async throws -> Response

  /// - Parameter path: such as `/v1/recipients/{}/pending`, where `{}` stands for any segment.
  init(
    _ method: HTTPRequest.Method, _ path: String, parameters: [String] = [],
    answer: @escaping @Sendable (Call) async throws -> Response
  ) {
    self.method = method
    self.path = RouteTable.segments(of: path).map { $0 == "{}" ? nil : String($0) }
    self.parameters = parameters
    self.answer = answer
  }

  /// The segments in the places of the variable ones; nil when the path is another.
  func values(in segments: [Substring]) -> [Substring]? {
    guard segments.count == path.count else { return nil }
    var values: [Substring] = []
    for (segment, expected) in zip(segments, path) {
      guard let expected else {
        values.append(segment)
        continue
      }
      guard segment == expected else { return nil }
    }
    return values
  }
}
