import Logging
import NIOCore

/// What belongs to a request beside the request itself.
struct RequestScope: Sendable {
  let logger: Logger
  let channel: any Channel
  let seat: ConnectionSeat

  var origin: ConnectionOrigin { seat.origin }
}
