package import Access
import Synchronization

/// The rules for JSON Web Tokens that hold now, nil if none does; a reload replaces them.
package final class WebTokenRulesInForce: Sendable {
  private let rules: Mutex<WebTokenRules?>

  package init(_ rules: WebTokenRules?) {
    self.rules = Mutex(rules)
  }

  package var value: WebTokenRules? {
    get { rules.withLock(\.self) }
    set { rules.withLock { $0 = newValue } }
  }
}
