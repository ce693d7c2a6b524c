/** A value of a tag: text, list of texts, or numbers of 32 bits. */
export type RpmValue = string | readonly string[] | readonly number[]

const STRING = 6
const STRING_ARRAY = 8
const INT32 = 4

/** A package of format V4 with these tags and no files. */
export function rpmOf(tags: Readonly<Record<number, RpmValue>>, payload = 'payload'): Buffer {
  const lead = Buffer.alloc(96)
  lead.writeUInt32BE(0xedabeedb)
  const signature = headerOf({ 1000: [1], 1007: [512] })
  const padding = Buffer.alloc((8 - (signature.length % 8)) % 8)
  return Buffer.concat([lead, signature, padding, headerOf(tags), Buffer.from(payload)])
}

function headerOf(tags: Readonly<Record<number, RpmValue>>): Buffer {
  const entries: Buffer[] = []
  const values: Buffer[] = []
  let offset = 0
  const add = (bytes: Buffer): void => {
    values.push(bytes)
    offset += bytes.length
  }
  for (const [tag, value] of Object.entries(tags)) {
    const isText = typeof value === 'string'
    const items: readonly (string | number)[] = isText ? [value] : value
    const isNumber = typeof items[0] === 'number'
    if (isNumber) add(Buffer.alloc((4 - (offset % 4)) % 4))
    const entry = Buffer.alloc(16)
    const numbers = [Number(tag), isText ? STRING : isNumber ? INT32 : STRING_ARRAY, offset, items.length]
    for (const [place, number] of numbers.entries()) entry.writeUInt32BE(number, place * 4)
    entries.push(entry)
    for (const item of items) add(typeof item === 'number' ? int32(item) : Buffer.from(`${item}\0`))
  }
  const intro = Buffer.alloc(16)
  intro.writeUInt32BE(0x8eade801)
  intro.writeUInt32BE(entries.length, 8)
  intro.writeUInt32BE(offset, 12)
  return Buffer.concat([intro, ...entries, ...values])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
