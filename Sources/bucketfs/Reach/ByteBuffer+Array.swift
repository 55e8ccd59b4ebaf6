internal import Bucket
internal import SystemCalls

extension ByteBuffer {
  /// The content in an array of its own.
  var array: [UInt8] { span.array }

  /// Hands the content to `body`: where the buffer is a class's, its span cannot leave it.
  func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(span)
  }
}
