internal import BucketFileSystem
internal import CFuse
internal import SystemCalls

extension Operations {
  /// INIT: what is asked of the kernel. Everything here saves requests; what is not said keeps libfuse's default.
  static let initialize: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<fuse_conn_info>?) -> Void = {
    userdata, connection in
    guard let userdata, let connection else { return }
    Unmanaged<SessionContext>.fromOpaque(userdata)._withUnsafeGuaranteedRef { context in
      let capable = connection.pointee.capable
      func want(_ flag: Int32) {
        connection.pointee.want |= capable & UInt32(bitPattern: flag)
      }
      // A pipe would have to hold a whole WRITE and a page, and is not to be had so large; and what came by one could
      // not be looked at beforehand.
      connection.pointee.want &= ~UInt32(bitPattern: FUSE_CAP_SPLICE_READ)
      // Each create carries its umask, so that default ACLs and the umask act once, in the backing filesystem.
      want(FUSE_CAP_DONT_MASK)
      want(FUSE_CAP_PARALLEL_DIROPS)
      want(FUSE_CAP_READDIRPLUS)
      want(FUSE_CAP_READDIRPLUS_AUTO)
      want(FUSE_CAP_CACHE_SYMLINKS)
      want(FUSE_CAP_ASYNC_DIO)
      want(FUSE_CAP_SPLICE_WRITE)
      want(FUSE_CAP_SPLICE_MOVE)
      if context.hasPosixACLs { want(FUSE_CAP_POSIX_ACL) }
      let rings = context.rings.flatMap { $0.areReady ? $0 : nil }
      connection.pointee.max_write = UInt32(rings?.payloadCapacity ?? Rings.largestPayload)
      // libfuse ends the session where this is not what the mount option says.
      connection.pointee.max_read = context.maximumRead
      var wanted = Negotiation.setxattrExtended
      if rings != nil { wanted |= Negotiation.rings }
      if cfuse_knows_passthrough() != 0 {
        cfuse_want_passthrough(connection)
      } else {
        wanted |= Negotiation.handleKillprivV2
        if System.capabilities.effective.contains(.sysAdmin) { wanted |= Negotiation.passthrough }
      }
      context.negotiation.want(wanted)
    }
  }
}
