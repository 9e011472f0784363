/// The effects that the events of one request may have on a recipient's delivered notifications.
/// Later events of the request may cancel these effects.
struct PossibleEnding {
  /// The types of the events that may end notifications, in order.
  var types: [String] = []
  /// Whether an event may end occurrences whose messages other recipients have got.
  var endsRelays = false
}
