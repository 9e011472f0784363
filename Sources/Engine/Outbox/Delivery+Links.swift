import Access
import Reminders

extension Delivery {
  /// Returns the delivery with the links of its actions (rule H28).
  ///
  /// - Parameter links: nil without a public address.
  func linked(by links: ActionLinks?) -> Delivery {
    guard let links else { return self }
    var linked = self
    linked.message = message.linked { links.link($0, of: identifier) }
    return linked
  }
}
