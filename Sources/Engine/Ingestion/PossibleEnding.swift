/// The events of one request that may have ended notifications of a recipient. Later events of the
/// request may have made these apply again.
struct PossibleEnding {
  let person: RecipientCache.Person
  /// The types of the events, in order.
  var types: [String]
}
