package import CivilTime

extension Duration {
  package init(_ span: TimeSpan) {
    self = .milliseconds(span.milliseconds)
  }
}

extension TimeSpan {
  package init(_ duration: Duration) {
    self.init(milliseconds: Int64(duration / .milliseconds(1)))
  }
}
