/// Creates the links of actions in notifications (rule H28).
package struct ActionLinks: Sendable {
  package let url: PublicURL
  private let key: CurrentLinkKey

  package init(at url: PublicURL, key: CurrentLinkKey) {
    self.url = url
    self.key = key
  }

  /// Returns the link of a notification's action; nil before the store is open.
  ///
  /// - Parameter action: the action's name; an empty name gives the link to a page with all
  ///   actions.
  package func link(_ action: String, of notification: String) -> String? {
    key.value?.token(of: LinkKey.Action(notification: notification, name: action))
      .map { "\(url)/a/\($0)" }
  }
}
