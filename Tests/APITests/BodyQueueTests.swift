import NIOCore
import Testing

@testable import API

@Suite struct BodyQueueTests {
  private struct Broken: Error {}

  @Test func `dequeue returns all queued bytes at once`() async throws {
    let queue = BodyQueue(limit: 100)
    #expect(await queue.enqueue(ByteBuffer(string: "ab")))
    #expect(await queue.enqueue(ByteBuffer(string: "cd")))
    #expect(try await queue.dequeue() == ByteBuffer(string: "abcd"))
    queue.finish(.success(()))
    #expect(try await queue.dequeue() == nil)
  }

  @Test func `a chunk is never longer than the limit`() async throws {
    let queue = BodyQueue(limit: 3)
    async let isConsumed = queue.enqueue(ByteBuffer(string: "abcdefgh"))
    #expect(try await queue.dequeue() == ByteBuffer(string: "abc"))
    #expect(try await queue.dequeue() == ByteBuffer(string: "def"))
    #expect(await isConsumed)
    #expect(try await queue.dequeue() == ByteBuffer(string: "gh"))
  }

  @Test func `bytes before an error are dequeued before the error is thrown`() async throws {
    let queue = BodyQueue(limit: 100)
    #expect(await queue.enqueue(ByteBuffer(string: "ab")))
    queue.finish(.failure(Broken()))
    #expect(try await queue.dequeue() == ByteBuffer(string: "ab"))
    await #expect(throws: Broken.self) { try await queue.dequeue() }
  }

  @Test func `a second finish has no effect`() async throws {
    let queue = BodyQueue(limit: 100)
    queue.finish(.success(()))
    queue.finish(.failure(Broken()))
    #expect(try await queue.dequeue() == nil)
  }

  @Test func `abandoning the queue releases a waiting producer`() async {
    let queue = BodyQueue(limit: 1)
    async let isConsumed = queue.enqueue(ByteBuffer(string: "abc"))
    queue.abandon()
    #expect(await !isConsumed)
    #expect(await !queue.enqueue(ByteBuffer(string: "d")))
  }

  @Test func `all bytes pass in order, never more than the limit at once`() async throws {
    let queue = BodyQueue(limit: 64)
    async let production: Void = {
      for number in 0..<2_000 { _ = await queue.enqueue(ByteBuffer(string: "\(number) ")) }
      queue.finish(.success(()))
    }()
    var text = ""
    while let bytes = try await queue.dequeue() {
      #expect(bytes.readableBytes <= 64)
      text += String(buffer: bytes)
    }
    await production
    #expect(text == (0..<2_000).map { "\($0) " }.joined())
  }
}
