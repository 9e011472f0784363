/// The members of a JSON object in their original order, with unique keys.
///
/// A look-up scans the members, O(count), which is faster than hashing for the usual few members.
package struct JSONObject: Sendable {
  package struct Member: Hashable, Sendable {
    package var key: String
    package var value: JSONValue

    package init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  package private(set) var members: [Member]

  package init() {
    members = []
  }

  /// Creates an object from members with distinct keys, which the caller guarantees.
  init(distinct members: [Member]) {
    self.members = members
  }

  package var count: Int { members.count }
  package var isEmpty: Bool { members.isEmpty }

  /// The value of a key. Setting nil removes the member; setting a new key appends a member.
  package subscript(key: String) -> JSONValue? {
    get {
      index(of: key).map { members[$0].value }
    }
    set {
      switch (index(of: key), newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  private func index(of key: String) -> Int? {
    for index in members.indices where members[index].key.hasSameBytes(as: key) {
      return index
    }
    return nil
  }
}

extension JSONObject: Sequence {
  package func makeIterator() -> Array<Member>.Iterator {
    members.makeIterator()
  }

  package var underestimatedCount: Int { members.count }
}

extension JSONObject: Hashable {
  /// Returns whether both objects have the same members, in any order. O(count) for the same order,
  /// otherwise O(count log count).
  package static func == (left: JSONObject, right: JSONObject) -> Bool {
    guard left.count == right.count else { return false }
    return left.members == right.members || left.sortedMembers == right.sortedMembers
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(sortedMembers)
  }

  /// The members, sorted by the UTF-8 code units of their keys.
  var sortedMembers: [Member] {
    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}

extension JSONObject.Member {
  package static func == (left: Self, right: Self) -> Bool {
    left.key.hasSameBytes(as: right.key) && left.value == right.value
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Creates an object. If a key is repeated, its last value counts.
  package init(dictionaryLiteral members: (String, JSONValue)...) {
    self.init()
    for (key, value) in members { self[key] = value }
  }
}
