import TestSupport

/// The moment at which a service is killed, given by events that can be counted from outside.
enum Moment {
  /// Before the service can have done anything.
  case start
  /// After this many changes to files of the state directory, usually within a transaction.
  case changes(Int)
  case ready
  case deliveries(Int)
  case acknowledgements(Int)
  /// After the test has sent this many bytes, usually within a request.
  case bytesSent(Int)

  struct Counts {
    var changes = 0
    var isReady = false
    var deliveries = 0
    var acknowledgements = 0
    var bytesSent = 0
  }

  static func random(using random: inout SplitMix64) -> Moment {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: .start
    case 1: .ready
    case 2...6: .changes(.random(in: 1...150, using: &random))
    case 7...11: .deliveries(.random(in: 1...300, using: &random))
    case 12...15: .acknowledgements(.random(in: 1...300, using: &random))
    default: .bytesSent(.random(in: 1...100_000, using: &random))
    }
  }

  func isReached(_ counts: Counts) -> Bool {
    switch self {
    case .start: true
    case .changes(let count): counts.changes >= count
    case .ready: counts.isReady
    case .deliveries(let count): counts.deliveries >= count
    case .acknowledgements(let count): counts.acknowledgements >= count
    case .bytesSent(let count): counts.bytesSent >= count
    }
  }
}
