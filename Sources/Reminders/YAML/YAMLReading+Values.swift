package import CivilTime
package import Yams

extension YAMLReading {
  package mutating func text(_ node: Node, _ what: String) -> String? {
    guard let text = node.string, !text.isEmpty else {
      report(node, "\(what) must be a text")
      return nil
    }
    return text
  }

  package mutating func span(_ node: Node, _ what: String) -> TimeSpan? {
    guard let text = node.string, let span = TimeSpan(text), span.milliseconds >= 0 else {
      report(node, "\(what) must be a duration such as 30m, 12h or 3d")
      return nil
    }
    return span
  }

  package mutating func number(_ node: Node, _ what: String) -> Int64? {
    guard let number = node.int else {
      report(node, "\(what) must be a whole number")
      return nil
    }
    return Int64(number)
  }

  package mutating func toggle(_ node: Node, _ what: String) -> Bool? {
    guard let isOn = node.bool else {
      report(node, "\(what) must be true or false")
      return nil
    }
    return isOn
  }
}
