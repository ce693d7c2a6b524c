/** Packet lines (gitprotocol-common(5)): four hex digits of length, the four included, then the payload. */
export type Pkt = { readonly kind: 'data'; readonly data: Buffer } | { readonly kind: 'flush' | 'delim' | 'end' }

/** Largest payload of one packet. */
export const MAX_PAYLOAD = 65516

export const FLUSH = Buffer.from('0000')
export const DELIM = Buffer.from('0001')
export const RESPONSE_END = Buffer.from('0002')

const PREFIX = 4

/** One packet holding `payload` as it is; text lines bring their own line feed. */
export function encodePkt(payload: string | Uint8Array): Buffer {
  const size = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length
  if (size > MAX_PAYLOAD) throw new RangeError(`a packet has at most ${MAX_PAYLOAD} bytes, not ${size}`)
  const out = Buffer.allocUnsafe(PREFIX + size)
  out.write(lengthPrefix(size), 0, 'latin1')
  if (typeof payload === 'string') out.write(payload, PREFIX, 'utf8')
  else out.set(payload, PREFIX)
  return out
}

/** The four hex digits in front of a payload of `size` bytes. */
export function lengthPrefix(size: number): string {
  return (size + PREFIX).toString(16).padStart(4, '0')
}

/** The total length written in a prefix (0, 1 and 2 are the special packets), or undefined when it is not one. */
export function parsePrefix(bytes: Buffer, at = 0): number | undefined {
  let value = 0
  for (let i = at; i < at + PREFIX; i++) {
    const digit = hexDigit(bytes[i])
    if (digit === undefined) return undefined
    value = value * 16 + digit
  }
  const valid = value <= 2 || (value >= PREFIX && value <= PREFIX + MAX_PAYLOAD)
  return valid ? value : undefined
}

function hexDigit(code: number | undefined): number | undefined {
  if (code === undefined) return undefined
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : undefined
}

/** A packet of text without its trailing line feed. */
export function pktText(data: Buffer): string {
  const end = data.at(-1) === 0x0a ? data.length - 1 : data.length
  return data.toString('utf8', 0, end)
}
