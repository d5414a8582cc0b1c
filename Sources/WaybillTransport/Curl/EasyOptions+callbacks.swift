import CLibCurl

extension EasyOptions {
    /// Sets the callbacks that every transfer needs, and the pointer that they receive.
    mutating func setCallbacks(owner: UnsafeMutableRawPointer) {
        set(CURLOPT_PRIVATE, owner)
        set(CURLOPT_WRITEDATA, owner)
        set(CURLOPT_HEADERDATA, owner)
        set(CURLOPT_PREREQDATA, owner)
        note(
            waybill_easy_set_receiver(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, owner in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                switch EasyHandle.from(owner)?.transfer?.receiveBody(bytes) {
                case .taken: return bytes.count
                case .later: return Int(CURL_WRITEFUNC_PAUSE)
                case .never, nil: return -1
                }
            }
        )
        note(
            waybill_easy_set_receiver(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, owner in
                let lines = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return EasyHandle.from(owner)?.transfer?.receiveHeader(lines) == true ? lines.count : -1 as Int
            }
        )
        note(
            waybill_easy_set_before_request(easy) { owner, _, _, _, localPort in
                let transfer = EasyHandle.from(owner)?.transfer
                return transfer?.mayBeSent(fromPort: localPort) == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }
        )
        set(CURLOPT_DEBUGDATA, owner)
        note(
            waybill_easy_set_observer(easy) { _, kind, bytes, count, owner in
                EasyHandle.from(owner)?.transfer?.observe(kind, UnsafeRawBufferPointer(start: bytes, count: count))
                return 0
            }
        )
        set(CURLOPT_SOCKOPTDATA, owner)
        note(
            waybill_easy_set_socket_watcher(easy) { owner, socket, _ in
                EasyHandle.from(owner)?.transfer?.marks.add(socket)
                return CURL_SOCKOPT_OK
            }
        )
    }

    /// Sets the callbacks that read the body of the request and rewind it.
    mutating func setReader(owner: UnsafeMutableRawPointer) {
        set(CURLOPT_READDATA, owner)
        set(CURLOPT_SEEKDATA, owner)
        note(
            waybill_easy_set_reader(easy) { buffer, size, count, owner in
                let room = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
                switch EasyHandle.from(owner)?.transfer?.readBody(into: room) {
                case .bytes(let count): return count
                case .later: return Int(CURL_READFUNC_PAUSE)
                case .never, nil: return Int(CURL_READFUNC_ABORT)
                }
            }
        )
        note(
            waybill_easy_set_seeker(easy) { owner, offset, origin in
                // SEEK_SET is 0 everywhere, and libcurl asks for nothing else.
                guard origin == 0, EasyHandle.from(owner)?.transfer?.seekBody(to: Int(offset)) == true else {
                    return CURL_SEEKFUNC_FAIL
                }
                return CURL_SEEKFUNC_OK
            }
        )
    }

    /// Sets the callback for bytes that have been sent or received.
    mutating func setProgress(owner: UnsafeMutableRawPointer) {
        set(CURLOPT_NOPROGRESS, 0)
        set(CURLOPT_XFERINFODATA, owner)
        note(
            waybill_easy_set_progress(easy) { owner, receivedTotal, received, _, sent in
                let transfer = EasyHandle.from(owner)?.transfer
                transfer?.inspectConnection()
                transfer?.advance(sent: Int(sent), received: Int(received), of: Int(receivedTotal))
                return 0
            }
        )
    }
}
