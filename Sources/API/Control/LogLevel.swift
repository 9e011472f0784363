/// How much an entry has to matter to be written to the journal. There is none below `info`, where
/// libraries would write what requests hold.
package enum LogLevel: String, CaseIterable, Sendable {
  case info, notice, warning, error, critical

  package static let list = allCases.map(\.rawValue).joined(separator: ", ")
}
