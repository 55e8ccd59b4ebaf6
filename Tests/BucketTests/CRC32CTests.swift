import Bucket
import Testing

/// The checksum of contents, by the vectors of RFC 3720, appendix B.4.
@Suite struct CRC32CTests {
  @Test(
    arguments: [
      ([UInt8](repeating: 0, count: 32), 0x8a91_36aa),
      ([UInt8](repeating: 0xff, count: 32), 0x62a8_ab43),
      ([UInt8](0..<32), 0x46dd_794e),
      ([UInt8]((0..<32).reversed()), 0x113f_db5c),
      (Array("123456789".utf8), 0xe306_9283),
      ([], 0),
    ] as [([UInt8], UInt32)])
  func vectorsHaveTheirChecksum(bytes: [UInt8], expected: UInt32) {
    var checksum = CRC32C()
    checksum.update(bytes.span)
    #expect(checksum.value == expected)
  }

  @Test func piecesMakeTheWhole() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    var whole = CRC32C()
    whole.update(bytes.span)
    for cut in [0, 1, 500, 999, 1000] {
      var pieces = CRC32C()
      pieces.update(bytes.span.extracting(0..<cut))
      pieces.update(bytes.span.extracting(cut..<1000))
      #expect(pieces.value == whole.value)
    }
  }
}
