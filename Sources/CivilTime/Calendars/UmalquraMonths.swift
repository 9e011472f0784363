/// The months of the calendar of Umm al-Qura, as Saudi Arabia has published them.
///
/// Before 1365 AH some months had 28 or 31 days, and the years after 1500 AH are not published. The
/// lengths were derived with the Python package `hijridate`. From 1423 AH on, all but three months
/// begin as the calendar's astronomical rule requires at Mecca. ICU has other months from 1451 AH
/// on.
enum UmalquraMonths {
  static let firstYear = 1_365
  /// The last known year.
  static let lastYear = 1_500
  /// 1945-12-05, the first day of the first year, in days since 1970-01-01.
  private static let firstDay: Int32 = -8_793

  /// The first days of all months, and of the month after the last one, in days since 1970-01-01.
  static let starts: [Int32] = {
    var start = firstDay
    var starts = [start]
    for digits in table.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      let longMonths = Int(digits, radix: 16) ?? 0
      for month in 0..<12 {
        start += longMonths >> month & 1 == 1 ? 30 : 29
        starts.append(start)
      }
    }
    return starts
  }()

  /// A hexadecimal number for each year: bit n is set if month n + 1 has 30 days.
  private static let table = """
    d55 555 555 d55 6d5 555 ea5 d2a aaa cd5 655 572 da9 555 aaa 555 52d a6d 55a 555
    74d d53 d54 556 d55 2d5 d55 d54 d45 655 52d a5d 55a ad5 6aa d4b 52a a57 4ae 976
    56c b55 aaa a55 4ad 95d 2da 5d9 db2 ba4 b4a a55 2b5 575 b6a bd2 bc4 b89 a95 52d
    5ad b6a 6d4 dc9 d92 aa6 956 2ae 56d 36a b55 aaa 94d 49d 95d 2ba 5b5 5aa d55 a9a
    92e 26e 55d ada 6d4 6a5 54b a97 54e aae 5ac ba9 d92 b25 64b cab 55a b55 6d2 ea5
    e4a a95 52d aad 36c 759 6d2 695 52d a5b 4ba 9ba 3b4 b69 b52 aa6 4b6 96d 2ec 6d9
    eb2 d54 d2a a56 4ae 96d d6a b54 b29 a93 52b a57 536 ab5 6aa e93
    """
}
