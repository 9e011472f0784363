public import Foundation

/// The effects of a change of preferences on pending occurrences (rule P5).
public struct ChimedEffects: Hashable, Sendable, Decodable {
  /// The effect on one occurrence.
  public struct Change: Hashable, Sendable, Decodable {
    public enum Kind: String, Sendable, Decodable {
      /// The occurrence will be sent at another instant.
      case moved
      /// A gate will drop the occurrence.
      case dropped
      /// The occurrence will be sent; before the change, a gate would have dropped it.
      case restored
      /// The occurrence is no longer planned.
      case cancelled
      /// The occurrence is newly planned.
      case added
    }

    public let kind: Kind
    public let reminder: String
    public let title: String
    public let channels: [String]
    /// The entities whose date changes, if it is a calendar date that several can share. A date
    /// that is cancelled for these entities may remain for others.
    public let entities: [String]?
    /// The previous instant; nil if the occurrence was not going to be sent.
    public let before: Date?
    /// The new instant; nil if the occurrence will not be sent.
    public let after: Date?
    /// The gates that hold or drop the occurrence, such as `quiet_hours`.
    public let reasons: [String]

    private enum CodingKeys: String, CodingKey {
      case kind = "change"
      case reminder, title, channels, entities, before, after, reasons
    }
  }

  /// The new version of the preferences; after a dry run, the current version.
  public let version: Int64
  /// Whether nothing was written.
  public let isDryRun: Bool
  public let changes: [Change]
  /// Consequences that the recipient may not expect, as sentences.
  public let warnings: [String]

  private enum CodingKeys: String, CodingKey {
    case version
    case isDryRun = "dryRun"
    case changes, warnings
  }
}
