/// Limits on clients, so that no client can exhaust the service.
package struct APILimits: Sendable {
  /// The maximum size, in bytes, of a line of a streamed body, and of any other body except a batch
  /// (rule H3).
  package var body = 1 << 20
  /// The maximum size of a batch in bytes, and the number of bodies above `body` that are read at
  /// once; others wait.
  package var batch = 8 << 20
  package var largeBodies = 4
  /// The maximum size of a group of a stream's events, in bytes and in lines.
  package var groupBytes = 1 << 18
  package var groupLines = 1_000
  /// The time for the head of a request to arrive, from its first byte.
  package var headDeadline = Duration.seconds(10)
  /// The time for a body that is not streamed to arrive.
  package var bodyDeadline = Duration.seconds(30)
  /// The maximum silence of a new connection.
  package var opening = Duration.seconds(10)
  /// The maximum silence of a connection after its first bytes, between requests and within a body.
  package var idle = Duration.seconds(60)
  /// The time for which a client may leave answers unread.
  package var stallTimeout = Duration.seconds(30)
  /// The time for which the rest of a refused request is read and discarded, so that the client can
  /// read the answer.
  package var linger = Duration.seconds(5)
  /// The maximum number of connections of a listener, except streams (rule H6).
  package var connections = 256
  /// The number of these connections that are reserved for peers without a connection.
  package var reservedConnections = 2
  /// The maximum number of connections of a peer, and of a local administrator. A peer is an IPv4
  /// address, the network half of an IPv6 address, or a user of this machine. All clients behind a
  /// proxy are one peer.
  package var share = 64
  package var administratorShare = 192
  /// The time for which an idle connection stays open if other peers need it.
  package var evictionGrace = Duration.seconds(1)
  /// The number of requests that a token may send: the average per second, and the number at once
  /// after a pause.
  package var rate = 50
  package var burst = 200
  /// The number of events and other changes that all tokens of a recipient together may send at
  /// once after a pause. In each further interval they may send one more (rule H15).
  package var recipientEvents = 600
  package var recipientEventInterval = Duration.seconds(60)
  /// The number of invalid tokens and tickets that a peer may send: the average per second, and the
  /// number at once.
  package var failureRate = 5
  package var failureBurst = 100
  /// The maximum number of streams, in all and of one token.
  package var streams = 128
  package var streamsOfBearer = 8
  /// The interval of a stream's heartbeats, and so its longest silence, in whole seconds.
  package var heartbeat = Duration.seconds(15)
  /// The minimum time between two messages of a status stream.
  package var statusPause = Duration.seconds(1)
  /// The time that clients are asked to wait before they open a stream again.
  package var reconnection = Duration.seconds(2)
  /// Limits on the head of a request, as in NIO: the bytes of one field, the bytes of all fields,
  /// and the number of fields.
  package var headerField = 80 * 1_024
  package var headerList = 80 * 1_024
  package var headerCount = 1_000

  package init() {}
}
