/// One event of a stream (WHATWG HTML, section 9.2).
package struct ServerSentEvent: Hashable, Sendable {
  /// The id from which a client continues after this event; nil if the stream has sent none yet.
  package var lastEventID: String?
  /// The kind of event; `message` if the stream names none.
  package var name: String
  package var data: String

  package init(lastEventID: String?, name: String, data: String) {
    self.lastEventID = lastEventID
    self.name = name
    self.data = data
  }
}
