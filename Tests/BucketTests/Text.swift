import SystemCalls

/// What `body` appends to an empty buffer.
func appended(_ body: (inout ByteBuffer) -> Void) -> String {
  var buffer = ByteBuffer(capacity: 1 << 17)
  body(&buffer)
  var bytes: [UInt8] = []
  for index in buffer.span.indices { bytes.append(buffer.span[index]) }
  return String(decoding: bytes, as: UTF8.self)
}
