import Foundation
import JSON
import Synchronization
import Testing

/// The program in which all peers run. It ends with the tests.
final class PushProgram: Sendable {
  /// The queue of blocking waits, which would otherwise block Swift's pool of threads.
  private let queue = DispatchQueue(label: "push peers")
  private let pipes: Mutex<Pipes>

  private struct Pipes: ~Copyable {
    let input: FileHandle
    let output: FileHandle
  }

  /// The Python interpreter with `h2` and `pyjwt`.
  static let python = PushKeys.root + "/.build/tools/push/bin/python"

  private static let sharedTask = Mutex<Task<PushProgram, any Error>?>(nil)

  static func shared(_ keys: PushKeys) async throws -> PushProgram {
    let task = sharedTask.withLock { task in
      let current = task ?? Task { try PushProgram(keys) }
      task = current
      return current
    }
    return try await task.value
  }

  private init(_ keys: PushKeys) throws {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: Self.python)
    process.arguments = [
      "-B", PushKeys.root + "/Tests/SinksTests/Peers/push_peer.py", keys.directory,
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    pipes = Mutex(
      Pipes(input: input.fileHandleForWriting, output: output.fileHandleForReading))
  }

  /// Sends a command to the program, and returns the program's answer.
  func ask(_ command: JSONObject) async throws -> JSONValue {
    let line = JSONWriter.compact(.object(command)) + Array("\n".utf8)
    let answer = try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        continuation.resume(with: Result { try pipes.withLock { try Self.ask(line, $0) } })
      }
    }
    return try JSONParser(maximumBytes: 1 << 26).parse(answer)
  }

  private static func ask(_ line: [UInt8], _ pipes: borrowing Pipes) throws -> [UInt8] {
    try pipes.input.write(contentsOf: Data(line))
    var answer: [UInt8] = []
    while answer.last != UInt8(ascii: "\n") {
      let chunk = pipes.output.availableData
      try #require(!chunk.isEmpty, "the peers have ended")
      answer += chunk
    }
    return answer
  }
}
