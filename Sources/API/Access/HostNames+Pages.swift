import HTTPTypes

extension HostNames {
  /// Refuses what a browser sends for a page of another origin: the page would act with the rights
  /// of whoever looks at it. A request without the fields of browsers is no page's.
  ///
  /// - Parameter authority: whom the request is for.
  func checkPage(_ headers: HTTPFields, of authority: String?) throws(Problem) {
    if let site = headers[.secFetchSite] {
      if site == "same-origin" || site == "none" { return }
    } else {
      guard let origin = headers[.origin] else { return }
      if isOwn(origin: origin, authority.flatMap { Authority($0) }) { return }
    }
    let page = headers[.origin].map { " of \"\($0.shortened)\"" } ?? ""
    throw Problem(
      .crossSite,
      "a browser sent this for a page\(page), which is not the service's own; have the page ask "
        + "its own server, and that server ask the service")
  }

  /// A proxy may have put another Host in the place of the one that the page's browser knows; then
  /// the service has to know the name.
  private func isOwn(origin: String, _ authority: Authority?) -> Bool {
    let scheme = origin.prefix { $0 != ":" }
    guard scheme == "http" || scheme == "https", origin.dropFirst(scheme.count).hasPrefix("://"),
      let page = Authority(origin.dropFirst(scheme.count + 3))
    else { return false }
    if let authority, page.isSame(as: authority, in: String(scheme)) { return true }
    let name = Self.name(of: page)
    return further.contains { $0.lowercased() == name }
  }
}

extension HTTPField.Name {
  /// Where the page stands that sends a request (W3C Fetch Metadata Request Headers).
  static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}
