/// An event of a recipient's stream.
public struct ChimedStreamEvent: Hashable, Sendable {
  public enum Content: Hashable, Sendable {
    /// The stream is connected, initially or again. Store the position of this event: a stream that
    /// continues from there loses nothing.
    case connected
    case notification(ChimedDelivery)
    /// A notification no longer applies, perhaps one that an earlier connection has reported. A
    /// stream that continues repeats recent withdrawals.
    case withdrawn(ChimedWithdrawal)
    /// The recipient's state, initially and after each change, if the stream includes the state.
    case state(ChimedState)
    /// The service cannot continue from the last position. The stream continues from now; read the
    /// inbox for the notifications in between.
    case missed
  }

  public let content: Content
  /// The position to continue after this event, also in another process; nil if there is none.
  public let position: String?

  init(_ content: Content, position: String?) {
    self.content = content
    self.position = position
  }
}
