// Reads a JSON file and, asked to, writes it again. Compiled by measure.py together with the sources of the JSON value,
// because a package's benchmark cannot see `package` declarations from outside it.

func readFile(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    let size = ftell(file)
    rewind(file)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = fread(buffer.baseAddress, 1, size, file)
    }
}

let value = try JSONParser().parse(readFile(CommandLine.arguments[2]))
if CommandLine.arguments[1] == "rewrite" {
    var text: [UInt8] = []
    JSONWriter(layout: .pretty).write(value, to: &text)
    if let output = fdopen(1, "wb") {
        fwrite(text, 1, text.count, output)
        fclose(output)
    }
} else if CommandLine.arguments[1] == "layout" {
    print("stride of JSON: \(MemoryLayout<JSON>.stride) bytes")
}
