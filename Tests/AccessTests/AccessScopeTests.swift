import Access
import Testing

@Suite struct AccessScopeTests {
  @Test func `an administrator covers every recipient`() {
    #expect(AccessScope("admin") == .administrator)
    #expect(AccessScope.administrator.covers("u1"))
  }

  @Test func `the scope of a recipient covers that recipient alone`() throws {
    let scope = try #require(AccessScope("recipient:u1"))
    #expect(scope == .recipient("u1"))
    #expect(scope.covers("u1"))
    #expect(!scope.covers("u2"))
    #expect(!scope.covers("u11"))
    #expect(!scope.covers(""))
  }

  /// Support has access to every recipient and administers nothing. An observer has access to no
  /// recipient (rule H5).
  @Test func `H5: each scope has its rights`() {
    let scopes: [AccessScope] = [.administrator, .support, .observer, .recipient("u1")]
    #expect(scopes.map { $0.has(.administration) } == [true, false, false, false])
    #expect(scopes.map { $0.has(.support) } == [true, true, false, false])
    #expect(scopes.map { $0.has(.observation) } == [true, true, true, false])
    #expect(scopes.map { $0.covers("u1") } == [true, true, false, true])
    #expect(scopes.map { $0.covers("u2") } == [true, true, false, false])
    #expect(AccessScope.Right.support.scopes == ["admin", "support"])
  }

  @Test func `another Unicode spelling of an id is another recipient`() {
    let scope = AccessScope.recipient("ren\u{e9}e")
    #expect(scope.covers("ren\u{e9}e"))
    #expect(!scope.covers("rene\u{301}e"))
  }

  @Test func `the source namespaces of two recipients never overlap`() throws {
    #expect(AccessScope.administrator.sourceNamespace == nil)
    #expect(AccessScope.recipient("u1").sourceNamespace == "recipient:u1/")
    let names = ["a", "a/b", "a%2Fb", "a%", "a/", "a/\u{301}", "/", "%", "a/b/c", "a%25"]
    let namespaces = try names.map { try #require(AccessScope.recipient($0).sourceNamespace) }
    for (index, namespace) in namespaces.enumerated() {
      // Neither namespace is the beginning of the other.
      for other in namespaces[(index + 1)...] {
        #expect(
          !namespace.utf8.starts(with: other.utf8) && !other.utf8.starts(with: namespace.utf8))
      }
    }
  }

  @Test(arguments: [
    "", "Admin", "admin ", "recipient", "recipient:", "recipient:a\nb", "user:u1", "support:u1",
    "observers",
  ])
  func `a text that names no scope is rejected`(text: String) {
    #expect(AccessScope(text) == nil)
  }

  @Test(arguments: ["admin", "support", "observer", "recipient:u1", "recipient:a:b c"])
  func `a scope is written as it was read`(text: String) {
    #expect(AccessScope(text)?.text == text)
  }
}
