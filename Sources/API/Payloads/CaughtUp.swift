import JSON

/// Whether there is nothing to see: nothing scheduled and nothing delivered (rule N4).
struct CaughtUp {
  static let message = "You're all caught up!"

  let isSo: Bool

  func write(to writer: inout JSONWriter) {
    writer.member("allCaughtUp", isSo)
    if isSo { writer.member("message", Self.message) }
  }
}
