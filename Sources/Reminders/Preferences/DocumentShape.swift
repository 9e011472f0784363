package import JSON

/// Which members a JSON document may have, each by its path such as `quietHours.start`.
package protocol DocumentShape {
  /// The paths of all members, as they are shown to whoever mistypes one.
  var members: [String] { get }
  func isMember(_ path: String) -> Bool
  /// Whether a path is an object that holds members.
  func isPart(_ path: String) -> Bool
}

/// A member that a document gives.
package struct DocumentLeaf: Hashable, Sendable {
  package let path: String
  package let value: JSONValue
}

extension DocumentShape {
  /// Takes a document apart; any part may be left out, and what is no member is refused with its
  /// path (rules P1, H3).
  ///
  /// - Parameter root: what refusals call the document; empty for a body of its own.
  func leaves(of document: JSONObject, root: String) throws(Refusal) -> [DocumentLeaf] {
    var leaves: [DocumentLeaf] = []
    try collect(document, under: "", root: root, into: &leaves)
    return leaves
  }

  private func collect(
    _ object: JSONObject, under prefix: String, root: String, into leaves: inout [DocumentLeaf]
  ) throws(Refusal) {
    for member in object {
      let path = prefix + member.key
      guard !member.key.utf8.contains(UInt8(ascii: ".")) else {
        throw Refusal(
          path: place(path, in: root), "is not a preference; parts are objects of their own")
      }
      if isMember(path) {
        leaves.append(DocumentLeaf(path: path, value: member.value))
      } else if case .object(let part) = member.value, isPart(path) {
        try collect(part, under: path + ".", root: root, into: &leaves)
      } else {
        throw unknown(member, under: prefix, root: root)
      }
    }
  }

  private func unknown(
    _ member: JSONObject.Member, under prefix: String, root: String
  ) -> Refusal {
    let path = place(prefix + member.key, in: root)
    guard !isPart(prefix + member.key) else {
      return Refusal(path: path, "must be an object; it is \(member.value.kind)")
    }
    let siblings = members.filter { $0.hasPrefix(prefix) }.map {
      String($0.dropFirst(prefix.count).prefix { $0 != "." })
    }
    let meant = nearest(member.key, among: siblings).map { "; did you mean \"\(prefix)\($0)\"?" }
    return Refusal(path: path, "is not a preference" + (meant ?? ""))
  }
}

/// A path as refusals name it.
func place(_ path: String, in root: String) -> String {
  root.isEmpty || path.isEmpty ? root + path : root + "." + path
}
