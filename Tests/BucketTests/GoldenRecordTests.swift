import Bucket
import Testing

/// Records as the first version of the format wrote them. Later versions must read each of them: never change one, add.
@Suite("Golden records")
struct GoldenRecordTests {
  struct Golden: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let hex: String
    let record: Record
  }

  static let golden = [
    Golden(
      testDescription: "pins alone",
      hex:
        "a80001011b00064748462222400202031b000647484627e120040b051a6955b900061a075bcd1517446206a430",
      record: Sample.pinsOnly),
    Golden(
      testDescription: "the seed's example",
      hex:
        "ab0001011b00064748462222400202031b000647484627e120040b051a6955b900061a075bcd15096a696d6167652f6a"
        + "7065670a727075626c69632c6d61782d6167653d3330300ea26861637469766974796648696b696e67686c6f63617469"
        + "6f6e71596f73656d6974652c2043412c20555341174444ce8b10",
      record: Sample.jpeg),
    Golden(
      testDescription: "everything",
      hex:
        "b00001011b00064748462222400202031b000647484627e120040b05200600077818585546414b72784c4b6e6135635a"
        + "3252454266466b673d3d08f509f60a686e6f2d73746f72650b78266174746163686d656e743b2066696c656e616d653d"
        + "225ac3bc7269636820e29c932e747874220c64677a69700d6964652d43482c20656e0ea442fffe4200ff616261316473"
        + "697a656065636166c3a96f5ac3bc7269636820e29c9320253431174428494b2f",
      record: Sample.everything),
  ]

  @Test("are read and written byte for byte", arguments: golden)
  func frozen(_ golden: Golden) throws {
    let bytes = Self.decodeHex(golden.hex)
    #expect(golden.record.encoded().map { hexDigits($0) }.joined() == golden.hex)
    #expect(try Record(decoding: bytes.span) == golden.record)
  }

  private static func decodeHex(_ text: String) -> [UInt8] {
    let digits = Array(text)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! }
  }
}

private func hexDigits(_ byte: UInt8) -> String {
  (byte < 16 ? "0" : "") + String(byte, radix: 16)
}
