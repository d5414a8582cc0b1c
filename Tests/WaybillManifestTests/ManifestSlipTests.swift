import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillSchema
import WaybillTestSupport

/// One error causes one diagnostic: each key of a manifest that has all keys is misspelt, and each value is replaced.
@Suite(.timeLimit(.minutes(5))) struct ManifestSlipTests {
    private let schema: JSONSchema
    private let manifest: JSON

    init() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let path = "\(root)/Tests/Manifests/every-key.yaml"
        let file = SourceFile(name: path, bytes: try #require(TemporaryFolder.contents(of: path)))
        manifest = try #require(YAMLReader().read(file).document).json
        schema = try JSONSchema(compiling: try JSONParser().parse(EmbeddedSchema.manifest.text))
    }

    @Test func `a misspelt key causes one diagnostic at that key, which suggests the correct name`() {
        var slips = 0
        for pointer in manifest.memberPointers {
            guard case .name(let name) = pointer.tokens.last, name.unicodeScalars.count > 3 else { continue }
            let slip = String(name.dropLast(2)) + String(name.suffix(2).reversed())
            guard slip != name else { continue }
            let found = schema.validate(manifest.reduced(to: pointer).renaming(pointer, to: slip))
            // Names that a manifest chooses itself may be spelt in any way.
            guard !found.isEmpty else { continue }
            slips += 1
            #expect(found.map(\.suggestion) == [name], "\(pointer): \(found.map(\.message))")
            #expect(found.map(\.instanceLocation.tokens.last) == [.name(slip)], "\(pointer)")
        }
        #expect(slips > 250)
    }

    @Test(arguments: [[[[]]], .null, "", "?", -1, 0.5, true] as [JSON])
    func `a wrong value causes one diagnostic, at the value or at its mapping`(value: JSON) {
        var refusals = 0
        for pointer in manifest.memberPointers {
            let found = schema.validate(manifest.reduced(to: pointer).replacing(pointer, by: value))
            guard !found.isEmpty else { continue }
            refusals += 1
            #expect(found.count == 1, "\(pointer): \(found.map { "\($0.instanceLocation) \($0.message)" })")
            let place = found[0].instanceLocation.tokens
            let isNear = place.starts(with: pointer.tokens) || pointer.tokens.starts(with: place)
            #expect(isNear && place.count >= pointer.tokens.count - 1, "\(pointer): \(found[0].instanceLocation)")
        }
        #expect(refusals > 50)
    }
}

extension JSON {
    /// The pointers to all members and elements, outer ones first.
    fileprivate var memberPointers: [JSONPointer] {
        var pointers: [JSONPointer] = []
        func visit(_ value: JSON, at pointer: JSONPointer) {
            for (name, member) in value.object ?? JSONObject() {
                pointers.append(pointer.appending(.name(name)))
                visit(member, at: pointer.appending(.name(name)))
            }
            for (index, element) in (value.array ?? []).enumerated() {
                pointers.append(pointer.appending(.index(index)))
                visit(element, at: pointer.appending(.index(index)))
            }
        }
        visit(self, at: JSONPointer())
        return pointers
    }

    /// A copy that contains only the definition at the pointer, which is much faster to check.
    fileprivate func reduced(to pointer: JSONPointer) -> JSON {
        guard case .object(let manifest) = self, case .name(let section) = pointer.tokens.first else { return self }
        var reduced = JSONObject()
        reduced["waybill"] = manifest["waybill"]
        reduced[section] = manifest[section]
        if case .name(let name) = pointer.tokens.dropFirst().first, let definition = manifest[section]?[name] {
            reduced[section] = .object(JSONObject([(name, definition)]))
        }
        return .object(reduced)
    }

    /// A copy with another value at the pointer.
    fileprivate func replacing(_ pointer: JSONPointer, by value: JSON) -> JSON {
        changing(pointer.tokens[...]) { name, _ in (name, value) }
    }

    /// A copy in which the member at the pointer has another name.
    fileprivate func renaming(_ pointer: JSONPointer, to name: String) -> JSON {
        changing(pointer.tokens[...]) { _, value in (name, value) }
    }

    private func changing(_ tokens: ArraySlice<JSONPointer.Token>, _ change: (String, JSON) -> (String, JSON)) -> JSON {
        guard let token = tokens.first else { return self }
        let rest = tokens.dropFirst()
        switch (self, token) {
        case (.object(let members), .name(let name)):
            var changed = JSONObject()
            for (key, value) in members {
                let (key, value) =
                    key != name
                    ? (key, value) : rest.isEmpty ? change(key, value) : (key, value.changing(rest, change))
                changed[key] = value
            }
            return .object(changed)
        case (.array(var elements), .index(let index)):
            elements[index] = rest.isEmpty ? change("", elements[index]).1 : elements[index].changing(rest, change)
            return .array(elements)
        default:
            return self
        }
    }
}
