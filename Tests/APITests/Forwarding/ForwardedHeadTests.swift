import Access
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import API

@Suite struct ForwardedHeadTests {
  @Test func `F9: a forwarded path and query keep their meaning`() {
    #expect(ForwardedHead.target("/v1/a#b", nil) == "/v1/a%23b")
    #expect(
      ForwardedHead.target("/v1/a%2Fb/r\u{e9}", "x=1&y=a#b?") == "/v1/a%2Fb/r%C3%A9?x=1&y=a%23b?")
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SplitMix64(seed: seed)
    let letters = Array("ab/?#&=+ %\\\"<>[]{}|^`~\u{e9}\u{1f600}\u{7f}\u{1}")
    for _ in 0..<500 {
      let name = String((0..<12).compactMap { _ in letters.randomElement(using: &generator) })
      let path = name.replacing("%", with: "%25").replacing("/", with: "%2F")
        .replacing("?", with: "%3F")
      let target = ForwardedHead.target(path, nil)
      #expect(PercentEncoding.decoded(target[...]) == name, "seed \(seed)")
      #expect(target.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "seed \(seed)")
      #expect(!target.contains { "#?\"<>\\^`{|}".contains($0) }, "seed \(seed)")
    }
  }

  @Test func `F9: the forwarding node names the caller itself and removes credentials`() throws {
    var caller = Caller(
      scope: .recipient("r\u{e9}n: /"), name: "token x \"y\"", isLocal: true, bearer: "token:x",
      hidesTexts: true)
    caller.arrival = Fixtures.now
    let incoming: HTTPFields = [
      .authorization: "Bearer secret", .forwardedCaller: "forged", .contentType: "text/plain",
      .connection: "close",
    ]
    let fields = ForwardedHead.fields(of: incoming, for: caller)
    #expect(fields.map(\.0) == ["Chimed-Caller", "Content-Type"])
    let forwardedCaller = try Caller(forwarded: [.forwardedCaller: fields[0].1])
    #expect(forwardedCaller.scope == caller.scope)
    #expect(forwardedCaller.name == caller.name)
    #expect(forwardedCaller.bearer == "token:x")
    #expect(forwardedCaller.hidesTexts == true)
    #expect(forwardedCaller.arrival == Fixtures.now)
    #expect(!forwardedCaller.isLocal)
    #expect(ForwardedHead.fields(of: incoming, for: nil).map(\.0) == ["Content-Type"])
  }

  @Test func `D19: the language that a browser accepts is forwarded`() {
    let fields = ForwardedHead.fields(of: [.acceptLanguage: "de"], for: nil)
    #expect(fields.map(\.0) == ["Accept-Language"] && fields.map(\.1) == ["de"])
  }

  @Test func `F9: a forwarded request without a valid caller is refused`() {
    for value in ["", "e30", "x y", Base64URL.encoded(Array(#"{"scope":"root","name":""}"#.utf8))] {
      #expect(throws: Problem.self) { try Caller(forwarded: [.forwardedCaller: value]) }
    }
    #expect(throws: Problem.self) { try Caller(forwarded: [:]) }
  }
}
