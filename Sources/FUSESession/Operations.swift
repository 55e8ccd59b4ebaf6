internal import BucketFileSystem
internal import CFuse
internal import CLinux
internal import Glibc
internal import SystemCalls

/// What binds libfuse's callbacks to the file system: each unwraps a request, calls one operation and replies.
enum Operations {
  static var table: fuse_lowlevel_ops {
    var table = fuse_lowlevel_ops()
    table.`init` = initialize
    addNames(to: &table)
    addAttributes(to: &table)
    addFiles(to: &table)
    addFlags(to: &table)
    addDirectories(to: &table)
    addXattrs(to: &table)
    return table
  }
}

/// What an operation needs beside the request's own arguments.
struct Request: ~Copyable {
  let context: SessionContext
  let worker: Worker
  let caller: Caller

  var fileSystem: BucketFileSystem { context.fileSystem }
}

/// Runs one operation for a request and replies with its result, or with the errno that it throws.
@inline(__always)
func serve<Result>(
  _ request: fuse_req_t?, _ operation: (borrowing Request) throws(Errno) -> Result,
  reply: (consuming Reply, Result, borrowing Request) -> Void
) {
  guard let request, let userdata = fuse_req_userdata(request) else { return }
  Unmanaged<SessionContext>.fromOpaque(userdata)._withUnsafeGuaranteedRef { context in
    ServingThread.current._withUnsafeGuaranteedRef { thread in
      let served = Request(context: context, worker: thread.worker, caller: Caller(request))
      let result: Result
      do throws(Errno) {
        result = try operation(served)
      } catch {
        Reply(request).fail(error)
        return
      }
      reply(Reply(request), result, served)
    }
  }
}

/// The same for an operation without a result.
@inline(__always)
func serve(_ request: fuse_req_t?, _ operation: (borrowing Request) throws(Errno) -> Void) {
  serve(request, operation, reply: { reply, _, _ in reply.done() })
}
