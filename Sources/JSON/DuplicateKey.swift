/// A key that an object gives twice, with the way there from the root.
struct DuplicateKey: Error {
  enum Step {
    case key(String)
    case index(Int)
  }

  /// Innermost first.
  private var steps: [Step]

  init(key: String) {
    steps = [.key(key)]
  }

  /// The same key seen from one level further out.
  func inside(_ step: Step) -> DuplicateKey {
    var outer = self
    outer.steps.append(step)
    return outer
  }

  /// The way from the root, like `data.items[2].id` or `data["a b"]`.
  var path: String {
    var path = ""
    for step in steps.reversed() {
      switch step {
      case .index(let index): path += "[\(index)]"
      case .key(let key) where Self.isPlain(key): path += (path.isEmpty ? "" : ".") + key
      case .key(let key): path += "[\(JSONValue.string(Self.shortened(key)))]"
      }
    }
    return path
  }

  private static let longestShown = 60

  private static func isPlain(_ key: String) -> Bool {
    !key.isEmpty && key.utf8.count <= longestShown
      && key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }

  /// The key or its beginning, so that a message stays short whatever was sent.
  private static func shortened(_ key: String) -> String {
    let beginning = key.unicodeScalars.prefix(longestShown)
    return beginning.endIndex == key.endIndex ? key : String(beginning) + "…"
  }
}
