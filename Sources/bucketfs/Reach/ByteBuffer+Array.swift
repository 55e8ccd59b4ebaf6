internal import Bucket
internal import SystemCalls

extension ByteBuffer {
  /// The content in an array of its own.
  var array: [UInt8] { span.array }
}
