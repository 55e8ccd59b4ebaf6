package import SystemCalls

extension ByteBuffer {
  /// Appends a time as RFC 3339 has it, in UTC and with exactly three digits of a second's fraction, such as
  /// `2026-01-31T08:30:00.123Z`. Years have four digits: later times are shown as the last of them.
  ///
  /// Source: RFC 3339, section 5.6.
  package mutating func append(rfc3339 microseconds: UInt64) {
    let milliseconds = min(microseconds / 1000, 253_402_300_799_999)
    let seconds = milliseconds / 1000
    let date = CivilDate(daysSince1970: seconds / 86400)
    append(decimal: date.year, width: 4)
    append(UInt8(ascii: "-"))
    append(decimal: date.month, width: 2)
    append(UInt8(ascii: "-"))
    append(decimal: date.day, width: 2)
    append(UInt8(ascii: "T"))
    append(decimal: seconds / 3600 % 24, width: 2)
    append(UInt8(ascii: ":"))
    append(decimal: seconds / 60 % 60, width: 2)
    append(UInt8(ascii: ":"))
    append(decimal: seconds % 60, width: 2)
    append(UInt8(ascii: "."))
    append(decimal: milliseconds % 1000, width: 3)
    append(UInt8(ascii: "Z"))
  }
}

/// A day of the Gregorian calendar.
private struct CivilDate {
  let year: UInt64
  let month: UInt64
  let day: UInt64

  /// Counts in years that begin in March, so that the leap day is a year's last, and in eras of 400 of them.
  init(daysSince1970 days: UInt64) {
    let sinceMarch0 = days + 719_468
    let era = sinceMarch0 / 146_097
    let dayOfEra = sinceMarch0 % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // Months from March have 153 days in each five.
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  }
}
