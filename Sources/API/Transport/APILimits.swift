/// What one client may ask of the service, so that none can exhaust it.
package struct APILimits: Sendable {
  /// The largest body, and the longest line of a streamed one, in bytes (rule H3).
  package var body = 1 << 20
  /// The largest batch of events, and how many bodies above `body` are read at once; more wait.
  package var batch = 8 << 20
  package var largeBodies = 4
  /// How much of a stream is handed in as one group at the most, in bytes and in lines.
  package var groupBytes = 1 << 18
  package var groupLines = 1_000
  /// How long the head of a request may take to arrive, from its first byte.
  package var headDeadline = Duration.seconds(10)
  /// How long a body that is not streamed may take to arrive.
  package var bodyDeadline = Duration.seconds(30)
  /// How long a new connection may stay silent.
  package var opening = Duration.seconds(10)
  /// How long a connection may stay silent later, between requests and in the middle of a body.
  package var idle = Duration.seconds(60)
  /// How long a client may leave answers unread that wait to be sent.
  package var stall = Duration.seconds(30)
  /// How long what a refused request still sends is read and thrown away, so that its sender gets
  /// to read the answer.
  package var linger = Duration.seconds(5)
  /// How many connections a listener has seats for, streams not counted (rule H6).
  package var connections = 256
  /// How many of them are for those who have none.
  package var reservedSeats = 2
  /// How many one peer may have: an address, or the half of one of IPv6 that names a network, or a
  /// user of this machine. Behind a proxy all have the proxy's.
  package var share = 64
  package var administratorShare = 192
  /// How long a connection without a request in progress keeps its seat if others want it.
  package var seatGrace = Duration.seconds(1)
  /// How many requests a second one token may make on average, and how many at once after a rest.
  package var rate = 50
  package var burst = 200
  /// How many events and other changes one person may send at once after a rest, and the time in
  /// which they may send one more; whatever tokens they have.
  package var recipientEvents = 600
  package var recipientEventInterval = Duration.seconds(60)
  /// How often a second one peer may bring what does not say who it is, and how often at once.
  package var failureRate = 5
  package var failureBurst = 100
  /// How many streams there may be, in all and of one token.
  package var streams = 128
  package var streamsOfBearer = 8
  /// How long a stream is silent at the most, in whole seconds.
  package var heartbeat = Duration.seconds(15)
  /// How long a stream of the status is silent at the least, whatever happens.
  package var statusPause = Duration.seconds(1)
  /// How long a client is to wait before it opens a stream again.
  package var reconnection = Duration.seconds(2)
  /// The head of a request: each field and all of them in bytes, and their number. As NIO has
  /// them.
  package var headerField = 80 * 1_024
  package var headerList = 80 * 1_024
  package var headerCount = 1_000

  package init() {}
}
