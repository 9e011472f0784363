/// How much an entry matters, by syslog's scale (RFC 5424, section 6.2.1).
package enum JournalPriority: Int32, Sendable, CaseIterable {
  case emergency, alert, critical, error, warning, notice, informational, debug
}
