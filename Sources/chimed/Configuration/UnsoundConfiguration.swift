import Reminders

/// Everything that is wrong with a configuration; each thing with its place where it has one.
struct UnsoundConfiguration: Error, CustomStringConvertible {
  /// What is wrong in the files and the options.
  private(set) var faults: [any Error] = []
  /// What sinks lack of what they need: a secret, a program, a directory.
  private(set) var outages: [any Error] = []

  var isSound: Bool { faults.isEmpty && outages.isEmpty }

  var description: String { lines.joined(separator: "\n") }

  /// Each once.
  var lines: [String] {
    (faults + outages).map { "\($0)" }.reduce(into: []) { lines, line in
      if !lines.contains(line) { lines.append(line) }
    }
  }

  mutating func add(_ fault: any Error) { faults.append(fault) }

  mutating func add(outage: any Error) { outages.append(outage) }

  /// Reads a part, and goes on if that fails.
  @discardableResult
  mutating func part<Value>(_ read: () throws -> Value) -> Value? {
    do {
      return try read()
    } catch {
      add(error)
      return nil
    }
  }
}
