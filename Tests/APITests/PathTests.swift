import JSON
import Testing

@testable import API

@Suite(.timeLimit(.minutes(1))) struct PathTests {
  @Test(arguments: [
    "/x", "/v1", "/v1/", "/v2/events", "/v1/events/", "//v1/events", "/v1/recipients/u1/",
    "/v1/recipients/u1/pending/2", "/v1/recipients/a/b/pending", "/V1/STATUS", "/%76",
  ])
  func `an unknown path is answered 404`(path: String) async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get(path)
      #expect(reply.status == 404)
      #expect(reply.contentType == "application/problem+json")
      #expect(try reply.json["type"] == "urn:chimed:problem:unknown-path")
      let detail = try #require(try reply.json["detail"]?.stringValue)
      #expect(detail.contains("the nearest known paths are /"))
    }
  }

  @Test(arguments: [
    ("/v1/statsu", "/v1/status"), ("/V1/STATUS", "/v1/status"), ("/v1/event", "/v1/events"),
    ("/v1/recipients/u1/pendng", "/v1/recipients/{recipient}/pending"),
    ("/recipients/u1/preferences", "/v1/recipients/{recipient}/preferences"),
    ("/healtz", "/healthz"), ("/openapi.yaml", "/openapi.json"),
  ])
  func `H2: a mistyped path is answered with the three nearest paths`(
    path: String, intendedPath: String
  ) async throws {
    try await TestServer.serving(FakeService()) { server in
      let detail = try #require(try await server.get(path).json["detail"]?.stringValue)
      let list = detail.split(separator: "the nearest known paths are ").last?
        .split(separator: ", ")
      #expect(list?.prefix(3).contains(Substring(intendedPath)) == true, "\(detail)")
      // The last part of the list is a hint at /openapi.json.
      #expect(list?.count == 4, "\(detail)")
    }
  }

  @Test func `H2: the nearest paths of a long path are found in bounded time`() {
    let nearestPaths = KnownPaths(["/v1/status", "/v1/events"]).nearest(
      3, to: "/" + String(repeating: "a/", count: 100_000))
    #expect(nearestPaths.count == 2)
  }

  @Test func `H6: only the first segments of a long path are compared`() {
    let longTemplate = "/a" + String(repeating: "/{x}", count: 20)
    let paths = KnownPaths(["/a", longTemplate])
    let pathOfEightSegments = "/a/b/c/d/e/f/g/h"
    #expect(paths.nearest(1, to: pathOfEightSegments) == ["/a"])
    #expect(paths.nearest(1, to: pathOfEightSegments + "/i/j/k/l/m/n/o/p/q/r/s/t") == ["/a"])
    #expect(
      paths.nearest(1, to: "/a/b/c/d/e/f/g/h/i/j") == paths.nearest(1, to: pathOfEightSegments))
  }

  static let methods: [(String, path: String, allowed: String)] = [
    ("GET", "/v1/events", "POST"), ("PUT", "/v1/events", "POST"), ("HEAD", "/v1/events", "POST"),
    ("POST", "/v1/status", "GET, HEAD"), ("DELETE", "/v1/recipients/u1/pending", "GET, HEAD"),
    ("OPTIONS", "/healthz", "GET, HEAD"),
    ("DELETE", "/v1/recipients/u1/inbox/count", "GET, HEAD"),
    ("DELETE", "/v1/recipients/u1/inbox/read", "POST"),
  ]

  @Test(arguments: methods)
  func `a wrong method is answered 405 with the allowed ones`(
    method: String, path: String, allowed: String
  ) async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.call(method, path)
      #expect(reply.status == 405)
      #expect(reply["allow"] == allowed)
      if method != "HEAD" {
        #expect(try reply.json["detail"]?.stringValue?.contains(allowed) == true)
      }
    }
  }

  @Test func `HEAD is GET without the body`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let get = try await server.get("/v1/status")
      try await RawConnection.opened(to: server) { connection in
        try await connection.send("HEAD /v1/status HTTP/1.1\r\nConnection: close\r\n\r\n")
        let head = try await connection.receiveAll()
        #expect(head.hasPrefix("HTTP/1.1 200"))
        #expect(head.contains("\r\nContent-Length: \(get.bytes.count)\r\n"))
        #expect(head.hasSuffix("\r\n\r\n"))
      }
    }
  }

  static let invalidTargets: [(path: String, detail: String, name: JSONValue?)] = [
    (
      "/v1/status?verbose=1", "the parameter \"verbose\" is not known; there are no parameters",
      "verbose"
    ),
    (
      "/v1/recipients/u1/pending?limit=1&limit=2", "the parameter \"limit\" is given twice", "limit"
    ),
    (
      "/v1/recipients/u1/pending?page=2",
      "the parameter \"page\" is not known; use \"limit\", \"after\"", "page"
    ),
    (
      "/v1/recipients/u1/pending?limit=0", "limit must be a number from 1 to 1000; it is \"0\"",
      "limit"
    ),
    (
      "/v1/recipients/u1/pending?limit=1e2",
      "limit must be a number from 1 to 1000; it is \"1e2\"", "limit"
    ),
    (
      "/v1/recipients/u1/pending?limit", "limit must be a number from 1 to 1000; it is \"\"",
      "limit"
    ),
    (
      "/v1/recipients/u1/pending?after=7",
      "after must be the \"next\" of the previous page; it is \"7\"",
      "after"
    ),
    (
      "/v1/recipients/u1/pending?after=%ff", "\"%ff\" in the query is not percent-encoded UTF-8",
      nil
    ),
    (
      "/v1/recipients/a%00b/pending",
      "a recipient's id has 1 to 128 bytes and no control characters", nil
    ),
    (
      "/v1/recipients//pending", "a recipient's id has 1 to 128 bytes and no control characters",
      nil
    ),
  ]

  @Test(arguments: invalidTargets)
  func `an invalid path or query is refused, with the name of a wrong parameter`(
    path: String, detail: String, name: JSONValue?
  ) async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get(path)
      #expect(reply.status == 400)
      #expect(try reply.json["detail"] == .string(detail))
      #expect(try reply.json["path"] == name)
    }
  }
}
