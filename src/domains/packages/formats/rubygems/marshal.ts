/** A value of Ruby; texts are in UTF-8. */
export type RubyValue =
  | null
  | boolean
  | number
  | string
  | readonly RubyValue[]
  | { readonly symbol: string }
  /** An object with instance variables. */
  | { readonly object: string; readonly variables: Readonly<Record<string, RubyValue>> }
  /** The result of `marshal_dump` of an object. */
  | { readonly dumped: string; readonly value: RubyValue }
  /** The result of `_dump` of an object. */
  | { readonly bytesOf: string; readonly bytes: Buffer }
  | { readonly emptyHash: true }

const VERSION = Buffer.of(4, 8)

/**
 * The marshal format 4.8 of Ruby (docs.ruby-lang.org, marshal), of the kinds of values that indexes of gems contain.
 */
export const marshal = (value: RubyValue): Buffer => Buffer.concat([VERSION, ...parts(value)])

function* parts(value: RubyValue): Generator<Buffer> {
  if (value === null) yield Buffer.from('0')
  else if (typeof value === 'boolean') yield Buffer.from(value ? 'T' : 'F')
  else if (typeof value === 'number') yield Buffer.concat([Buffer.from('i'), packed(value)])
  else if (typeof value === 'string') {
    yield Buffer.from('I')
    yield sized('"', Buffer.from(value))
    // One variable of the text: E, true for UTF-8.
    yield Buffer.concat([packed(1), symbol('E'), Buffer.from('T')])
  } else if (isList(value)) {
    yield Buffer.concat([Buffer.from('['), packed(value.length)])
    for (const one of value) yield* parts(one)
  } else if ('symbol' in value) yield symbol(value.symbol)
  else if ('object' in value) {
    const variables = Object.entries(value.variables)
    yield Buffer.concat([Buffer.from('o'), symbol(value.object), packed(variables.length)])
    for (const [name, one] of variables) {
      yield symbol(`@${name}`)
      yield* parts(one)
    }
  } else if ('dumped' in value) {
    yield Buffer.concat([Buffer.from('U'), symbol(value.dumped)])
    yield* parts(value.value)
  } else if ('bytesOf' in value) {
    yield Buffer.concat([Buffer.from('u'), symbol(value.bytesOf), packed(value.bytes.length), value.bytes])
  } else yield Buffer.concat([Buffer.from('{'), packed(0)])
}

const isList = (value: RubyValue): value is readonly RubyValue[] => Array.isArray(value)

const sized = (kind: string, bytes: Buffer): Buffer => Buffer.concat([Buffer.from(kind), packed(bytes.length), bytes])

const symbol = (name: string): Buffer => sized(':', Buffer.from(name))

/** Numbers from 0 to 2³⁰: up to 122 in one byte, others after the number of their bytes. */
function packed(value: number): Buffer {
  if (value === 0) return Buffer.of(0)
  if (value < 123) return Buffer.of(value + 5)
  const bytes: number[] = []
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256)
  return Buffer.of(bytes.length, ...bytes)
}
