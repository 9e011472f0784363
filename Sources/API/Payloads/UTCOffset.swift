/// How far a zone's clocks are ahead of UTC, written as RFC 3339 has it: `-05:00`. The seconds that
/// some zones had before 1972 are added when there are any: `-00:25:21`.
struct UTCOffset: CustomStringConvertible {
  let seconds: Int

  var description: String {
    let length = abs(seconds)
    let parts = [length / 3_600, length / 60 % 60, length % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    let shown = parts.prefix(length.isMultiple(of: 60) ? 2 : 3)
    return (seconds < 0 ? "-" : "+") + shown.joined(separator: ":")
  }
}
