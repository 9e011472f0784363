import Systemd

/// What a sink lacks of what it would need, and which sink.
package struct SinkFlaw: Error, CustomStringConvertible {
  let sink: String
  let cause: any Error

  package var description: String { "the sink \"\(sink)\": \(cause)" }

  /// Whether nothing is wrong but that this process was handed no credentials.
  package var isForWantOfCredentials: Bool {
    (cause as? CredentialError)?.isForWantOfAny == true
  }
}
