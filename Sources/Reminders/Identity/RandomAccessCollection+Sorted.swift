extension RandomAccessCollection {
  /// The first place whose element does not come before a wanted one, in a collection that is
  /// sorted by that; its end if there is none. Cost: logarithmic.
  func place(where isBefore: (Element) -> Bool) -> Index {
    Work.count()
    var (start, count) = (startIndex, count)
    while count > 0 {
      let middle = index(start, offsetBy: count / 2)
      if isBefore(self[middle]) {
        start = index(after: middle)
        count -= count / 2 + 1
      } else {
        count /= 2
      }
    }
    return start
  }
}
