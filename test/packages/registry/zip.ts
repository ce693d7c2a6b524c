import { crc32, deflateRawSync } from 'node:zlib'

/** A zip archive of these files, in their order. */
export function zipOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text)
    const data = deflateRawSync(content)
    const common = commonHeader(content, data, Buffer.byteLength(name))
    const local = Buffer.concat([Buffer.from('PK\x03\x04\x14\0', 'latin1'), common, Buffer.from(name), data])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0\x14\0', 'latin1'), common, rest, Buffer.from(name)]))
    parts.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, listed, end])
}

/** Flags (names in UTF-8), method deflate, time, checksum, sizes and lengths. */
function commonHeader(content: Buffer, data: Buffer, nameLength: number): Buffer {
  const header = Buffer.alloc(24)
  header.writeUInt16LE(0x800, 0)
  header.writeUInt16LE(8, 2)
  header.writeUInt16LE(0x21, 6)
  header.writeUInt32LE(crc32(content), 8)
  header.writeUInt32LE(data.length, 12)
  header.writeUInt32LE(content.length, 16)
  header.writeUInt16LE(nameLength, 20)
  return header
}
