import Testing

@testable import API

@Suite struct PayloadTests {
  private struct IncompletePayload: Payload {
    typealias Value = Void
    static let shape = PayloadShape(Self())

    let name = Member("name", .text) { _ in "a" }
    let other = 1
  }

  /// A property that is not a member would silently be missing in encoding, decoding and the
  /// description.
  @Test func `a payload whose property is not a member fails at once`() async {
    await #expect(processExitsWith: .failure) { _ = IncompletePayload.shape }
  }
}
