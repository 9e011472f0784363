import HTTPTypes

extension HTTPFields {
  /// Returns whether the client has a copy with an entity tag (If-None-Match; RFC 9110, section
  /// 13.1.2). Weak and strong tags are compared alike.
  func hasCopy(tagged tag: String) -> Bool {
    self[values: .ifNoneMatch].joined(separator: ",").split(separator: ",").contains { entry in
      let copyTag = entry.trimmingPrefix { $0 == " " }
      return copyTag == "*" || copyTag.trimmingPrefix("W/") == tag.trimmingPrefix("W/")
    }
  }
}
