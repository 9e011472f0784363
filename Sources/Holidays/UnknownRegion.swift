internal import CivilTime

/// The refusal of a region for which there are no holidays.
package struct UnknownRegion: Error, Hashable, Sendable {
  package let code: String
  /// The codes most likely meant first; empty if nothing is similar.
  package let nearest: [String]

  package init(code: String, nearest: [String]) {
    self.code = code
    self.nearest = nearest
  }
}

extension UnknownRegion: CustomStringConvertible {
  package var description: String {
    NameRefusal.sentence(code, isNot: "a region whose holidays are known", nearest: nearest)
  }
}
