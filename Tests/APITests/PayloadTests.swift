import Testing

@testable import API

@Suite struct PayloadTests {
  private struct Forgetful: Payload {
    typealias Value = Void
    static let shape = PayloadShape(Self())

    let name = Member("name", .text) { _ in "a" }
    let other = 1
  }

  /// Else it would be left out of what is written, read and described, and nobody would know.
  @Test func aPropertyThatIsNoMemberIsNoPayload() async {
    await #expect(processExitsWith: .failure) { _ = Forgetful.shape }
  }
}
