import HTTPTypes
import Synchronization

/// Bounds how many streams there are, for each bearer and in all, so that there are connections
/// left for others.
final class StreamSeats: Sendable {
  private struct Taken {
    var all = 0
    var byBearer: [String: Int] = [:]
  }

  private let limits: APILimits
  private let taken = Mutex(Taken())

  init(limits: APILimits) {
    self.limits = limits
  }

  /// - Parameter bearer: nil for one who is not limited, but by the number of all.
  func take(for bearer: String?) throws(Problem) -> StreamSeat {
    try taken.withLock { taken throws(Problem) in
      guard taken.all < limits.streams else { throw Self.full }
      if let bearer {
        guard taken.byBearer[bearer, default: 0] < limits.streamsOfBearer else {
          throw tooMany
        }
        taken.byBearer[bearer, default: 0] += 1
      }
      taken.all += 1
    }
    return StreamSeat(bearer: bearer, among: self)
  }

  fileprivate func free(_ bearer: String?) {
    taken.withLock { taken in
      taken.all -= 1
      guard let bearer, let count = taken.byBearer[bearer] else { return }
      taken.byBearer[bearer] = count > 1 ? count - 1 : nil
    }
  }

  private static let full = Problem(
    .unavailable, "there are as many streams as the service holds; try again later",
    headers: [.retryAfter: "30"])

  private var tooMany: Problem {
    Problem(
      .tooManyRequests,
      "your token has \(limits.streamsOfBearer) streams open, as many as it may; end one of them",
      headers: [.retryAfter: "30"])
  }
}

/// A place for a stream, for as long as it is kept.
final class StreamSeat: Sendable {
  private let bearer: String?
  private let seats: StreamSeats

  fileprivate init(bearer: String?, among seats: StreamSeats) {
    self.bearer = bearer
    self.seats = seats
  }

  deinit {
    seats.free(bearer)
  }
}
