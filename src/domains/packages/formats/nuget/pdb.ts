const SIGNATURE = 0x424a5342
const GUID_LENGTH = 16
const MAX_STREAMS = 100

/**
 * The GUID of a portable PDB in hex, from the stream `#Pdb` of its metadata (ECMA-335 §II.24.2, portable PDB
 * specification). Undefined for other files.
 */
export function pdbId(bytes: Buffer): string | undefined {
  try {
    if (bytes.readUInt32LE(0) !== SIGNATURE) return undefined
    const start = 16 + bytes.readUInt32LE(12)
    const count = Math.min(bytes.readUInt16LE(start + 2), MAX_STREAMS)
    for (let at = start + 4, stream = 0; stream < count; stream++) {
      const end = bytes.indexOf(0, at + 8)
      if (end < 0) return undefined
      if (bytes.toString('latin1', at + 8, end) === '#Pdb') return guidAt(bytes, bytes.readUInt32LE(at))
      // The name is padded with zeros to a multiple of four bytes.
      at = end + 4 - ((end - at) % 4)
    }
    return undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The first three parts of a GUID are stored as little-endian numbers. */
function guidAt(bytes: Buffer, at: number): string | undefined {
  const guid = Buffer.from(bytes.subarray(at, at + GUID_LENGTH))
  if (guid.length < GUID_LENGTH) return undefined
  guid.subarray(0, 4).reverse()
  guid.subarray(4, 6).reverse()
  guid.subarray(6, 8).reverse()
  return guid.toString('hex')
}

/** The path that debuggers request (SSQP key conventions): the name, and the GUID with an age of `ffffffff`. */
export const symbolFileName = (name: string, id: string): string => `${name}/${id}ffffffff/${name}`.toLowerCase()
