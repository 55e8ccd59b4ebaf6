internal import Bucket
internal import SystemCalls

/// One test of `find`: a property, and what it must be.
struct FindTest {
  private enum Subject {
    case property(Property)
    case custom([UInt8])
  }

  private enum Condition {
    case isSet
    case glob([UInt8], negated: Bool)
    case expression(RegularExpression)
    /// Compared as numbers.
    case number(Comparison, UInt64)
    /// Compared as bytes.
    case text(Comparison, [UInt8])
  }

  private enum Comparison: String, CaseIterable {
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case notEqual = "!="
    case less = "<"
    case greater = ">"
    case equal = "="
    case matches = "~"

    func holds(_ order: Int) -> Bool {
      switch self {
      case .less: order < 0
      case .lessOrEqual: order <= 0
      case .greater: order > 0
      case .greaterOrEqual: order >= 0
      case .equal, .matches: order == 0
      case .notEqual: order != 0
      }
    }
  }

  private let subject: Subject
  private let condition: Condition

  init(_ word: Argument, _ command: CommandDescription) throws(Command.Failure) {
    let end = word.bytes.firstIndex { "<>=!~".utf8.contains($0) } ?? word.bytes.count
    let name = Argument(bytes: Array(word.bytes[..<end]))
    let rest = word.dropping(end)
    if let key = MetadataEdit.customKey(name) {
      subject = .custom(key)
    } else if let property = Property.named(name.bytes.span) {
      subject = .property(property)
    } else {
      throw .usage("find: there is no property '\(name.text)'", command)
    }
    if rest.bytes.isEmpty {
      condition = .isSet
      return
    }
    guard let comparison = Comparison.allCases.first(where: { rest.bytes.starts(with: $0.rawValue.utf8) }) else {
      throw .usage("find: '\(word.text)' is no test; PROPERTY=GLOB would be one", command)
    }
    let value = rest.dropping(comparison.rawValue.utf8.count)
    condition = try Self.condition(subject, comparison, value, word, command)
  }

  private static func condition(
    _ subject: Subject, _ comparison: Comparison, _ value: Argument, _ word: Argument, _ command: CommandDescription
  ) throws(Command.Failure) -> Condition {
    if comparison == .matches {
      guard let expression = RegularExpression(value.bytes.span) else {
        throw .usage("find: '\(value.text)' is no regular expression", command)
      }
      return .expression(expression)
    }
    if case .property(let property) = subject {
      switch property.source {
      case .size, .generation, .metageneration:
        guard let number = number(value.bytes, hasUnits: property.source == .size) else {
          throw .usage("find: '\(word.text)' needs a number, such as 10\(property.source == .size ? "K" : "")", command)
        }
        return .number(comparison, number)
      case .timeCreated, .updated:
        guard let time = time(value.bytes) else {
          throw .usage("find: '\(word.text)' needs a time, such as 2026-01-31 or 2026-01-31T08:30", command)
        }
        if comparison == .equal || comparison == .notEqual {
          return .glob(value.bytes + [UInt8(ascii: "*")], negated: comparison == .notEqual)
        }
        return .text(comparison, time)
      default: break
      }
    }
    switch comparison {
    case .equal: return .glob(value.bytes, negated: false)
    case .notEqual: return .glob(value.bytes, negated: true)
    default: return .text(comparison, value.bytes)
    }
  }

  /// Whether the object passes.
  func matches(_ object: Reached, _ access: BucketAccess) throws(AccessError) -> Bool {
    switch subject {
    case .property(let property): try access.withText(of: property, of: object) { holds($0) }
    case .custom(let key): try access.withCustom(key, of: object) { holds($0) }
    }
  }

  private func holds(_ text: Span<UInt8>?) -> Bool {
    guard let text else {
      return switch condition {
      case .glob(_, let negated): negated
      case .number(.notEqual, _): true
      case .isSet, .expression, .number, .text: false
      }
    }
    switch condition {
    case .isSet: return true
    case .glob(let glob, let negated): return System.matches(glob.span, text) != negated
    case .expression(let expression): return expression.isFound(in: text)
    case .number(let comparison, let wanted):
      guard let number = Self.digits(text) else { return false }
      return comparison.holds(number < wanted ? -1 : number > wanted ? 1 : 0)
    case .text(let comparison, let wanted): return comparison.holds(text.order(to: wanted.span))
    }
  }
}

/// Values as people write them.
extension FindTest {
  private static func digits(_ text: Span<UInt8>) -> UInt64? {
    guard text.count > 0 else { return nil }
    var number: UInt64 = 0
    for index in text.indices {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index]) else { return nil }
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isStillTooLarge) = product.addingReportingOverflow(UInt64(text[index] - UInt8(ascii: "0")))
      if isTooLarge || isStillTooLarge { return nil }
      number = sum
    }
    return number
  }

  private static func number(_ text: [UInt8], hasUnits: Bool) -> UInt64? {
    let units = Array("KMGT".utf8)
    guard hasUnits, let last = text.last, let power = units.firstIndex(of: last & 0xdf) else {
      return digits(text.span)
    }
    guard let number = digits(text.span.extracting(0..<text.count - 1)) else { return nil }
    let (product, isTooLarge) = number.multipliedReportingOverflow(by: 1 << UInt64(10 * (power + 1)))
    return isTooLarge ? nil : product
  }

  /// The time completed to the form that properties have: the beginning of the day, hour, minute or second.
  private static func time(_ text: [UInt8]) -> [UInt8]? {
    let form = Array("0000-01-01T00:00:00.000Z".utf8)
    guard [4, 7, 10, 13, 16, 19, 20, 23, 24].contains(text.count) else { return nil }
    for (index, byte) in text.enumerated() {
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      let wantsDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(form[index])
      if index == 19, text.count == 20 {
        guard byte == UInt8(ascii: "Z") else { return nil }
      } else if wantsDigit ? !isDigit : byte != form[index] {
        return nil
      }
    }
    let length = text.count == 20 ? 19 : text.count
    return Array(text[..<length]) + form[length...]
  }
}
