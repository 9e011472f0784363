import HTTPTypes
import HummingbirdCore

/// One thing that can be asked for.
struct Route: Sendable {
  let method: HTTPRequest.Method
  /// Its path, such as `/v1/recipients/{recipient}/pending`, where a name in braces stands for any
  /// segment.
  let template: String
  /// The segments of the path; nil stands for any one.
  let path: [String?]
  /// The names of the variable segments, in order.
  let names: [String]
  /// What it takes and answers.
  let operation: Operation
  let answer: @Sendable (Call) async throws -> Response

  init(
    _ method: HTTPRequest.Method, _ template: String, _ operation: Operation,
    answer: @escaping @Sendable (Call) async throws -> Response
  ) {
    self.method = method
    self.template = template
    self.operation = operation
    let segments = RouteTable.segments(of: template)
    path = segments.map { $0.first == "{" ? nil : String($0) }
    names = segments.filter { $0.first == "{" }.map { String($0.dropFirst().dropLast()) }
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
