import type { TObject, TSchema } from '@sinclair/typebox'
import { invalid, invalidField } from '../platform/errors.ts'
import { parseInteger } from '../platform/paging.ts'
import { parseTimestamp } from '../platform/timestamp.ts'

/**
 * Request decoding by the rules of reference auth-and-access §12: members match without regard to case, unknown ones
 * are ignored, null counts as absent, nothing is coerced in JSON, everything is read leniently in queries and forms.
 */
export function decodeJson(schema: TObject, text: string): unknown {
  const value = text.trim() === '' ? {} : parseJson(text)
  return readObject(schema, value ?? {}, '')
}

/** Query strings and forms: texts become what the schema says; numbers that do not parse are 0, odd booleans false. */
export function decodeText(schema: TObject, raw: Readonly<Record<string, unknown>>): unknown {
  const converted: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(schema.properties)) {
    const value = raw[name]
    if (value !== undefined && value !== '') converted[name] = fromText(member, value)
  }
  return readObject(schema, converted, '')
}

/** Outside of most texts, so that those that only hold base64 are read once over. */
const FRACTION = /[[,:\s]-?\d+(?:\.|[eE])/

/**
 * COMPAT: `1.0` and `1e2` are no integers (reference auth-and-access §12); no member is a bigint, so that these are
 * refused.
 */
function keepFraction(_: string, value: unknown, ...[context]: unknown[]): unknown {
  const { source } = context as { readonly source?: string }
  return Number.isInteger(value) && source !== undefined && !/^-?\d+$/.test(source) ? BigInt(value as number) : value
}

function parseJson(text: string): unknown {
  try {
    return FRACTION.test(text) ? JSON.parse(text, keepFraction) : JSON.parse(text)
  } catch (error) {
    const message = (error as Error).message
    const rest = /after JSON at position (\d+)/.exec(message)
    if (rest) return parseJson(text.slice(0, Number(rest[1])))
    const isCutOff =
      /end of JSON|Unterminated/.test(message) ||
      Number(/at position (\d+)/.exec(message)?.[1]) >= text.trimEnd().length
    throw invalid(`[]: ${isCutOff ? 'unexpected EOF' : `invalid JSON: ${message.slice(0, 120)}`}`)
  }
}

function fromText(schema: TSchema, value: unknown): unknown {
  if (schema['type'] === 'array')
    return (Array.isArray(value) ? value : [value]).map((item) => fromText(schema['items'] as TSchema, item))
  const text = String(Array.isArray(value) ? value[0] : value)
  if (schema['type'] === 'integer' || schema['type'] === 'number') return parseInteger(text)
  if (schema['type'] === 'boolean') return /^(?:1|[tT]|true|TRUE|True|[oO][nN])$/.test(text)
  return text
}

const lowered = new WeakMap<TObject, Map<string, string>>()

function memberNames(schema: TObject): Map<string, string> {
  const known = lowered.get(schema)
  if (known) return known
  const names = new Map(Object.keys(schema.properties).map((name) => [name.toLowerCase(), name]))
  lowered.set(schema, names)
  return names
}

function readObject(schema: TObject, value: unknown, at: string): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw wrongType(at, value, 'object')
  const names = memberNames(schema)
  const members = new Map<string, unknown>()
  for (const [key, member] of Object.entries(value)) {
    const name = key in schema.properties ? key : names.get(key.toLowerCase())
    if (name !== undefined && member !== null && (key === name || !(name in value))) members.set(name, member)
  }
  const result: Record<string, unknown> = {}
  const required = new Set(schema.required)
  for (const [name, memberSchema] of Object.entries(schema.properties)) {
    const member = members.get(name)
    const field = fieldName(name, memberSchema)
    if (required.has(name) && (member === undefined || (member === '' && memberSchema['x-empty'] !== 'allowed')))
      throw invalidField(field, 'Required')
    if (member !== undefined) result[name] = readValue(memberSchema, member, field)
  }
  return result
}

/** The contract's messages name members in Pascal case: `user_name` is `[UserName]`. */
function fieldName(name: string, schema: TSchema): string {
  return (
    (schema['x-field'] as string | undefined) ??
    name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  )
}

function readValue(schema: TSchema, value: unknown, field: string): unknown {
  if (Array.isArray(schema['anyOf'])) return readUnion(schema['anyOf'] as TSchema[], value, field)
  switch (schema['type']) {
    case 'string':
      return readString(schema, value, field)
    case 'integer':
    case 'number':
      return readNumber(schema, value, field)
    case 'boolean':
      if (typeof value !== 'boolean') throw wrongType(field, value, 'bool')
      return value
    case 'array':
      if (!Array.isArray(value)) throw wrongType(field, value, 'array')
      return value.filter((item) => item !== null).map((item) => readValue(schema['items'] as TSchema, item, field))
    case 'object':
      return schema['properties'] === undefined
        ? readMap(schema, value, field)
        : readObject(schema as TObject, value, field)
    default:
      return value
  }
}

/** A member that may be one of several types, such as an id or a name. */
function readUnion(options: readonly TSchema[], value: unknown, field: string): unknown {
  const wanted = Array.isArray(value) ? 'array' : typeof value
  const fitting = options.find(
    (option) =>
      option['type'] === wanted || (wanted === 'number' && option['type'] === 'integer') || option['const'] === value,
  )
  if (fitting === undefined) throw wrongType(field, value, options.map((option) => String(option['type'])).join(' or '))
  return readValue(fitting, value, field)
}

function readMap(schema: TSchema, value: unknown, field: string): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw wrongType(field, value, 'object')
  const patterns = Object.values((schema['patternProperties'] as Record<string, TSchema> | undefined) ?? {})
  const item = patterns[0]
  if (item === undefined) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === null ? [] : [[key, readValue(item, member, field)]])),
  )
}

function readString(schema: TSchema, value: unknown, field: string): string {
  if (typeof value !== 'string') throw wrongType(field, value, 'string')
  if (typeof schema['maxLength'] === 'number' && [...value].length > schema['maxLength'])
    throw invalidField(field, 'MaxSize')
  if (value.includes('\0')) throw invalidField(field, 'NoControlCharacters')
  if (schema['format'] === 'date-time' && parseTimestamp(value) === undefined)
    throw invalid(`[]: parsing time ${JSON.stringify(value)} as RFC 3339: cannot parse (${field})`)
  if (value === '') return value
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(value)) throw invalidField(field, 'In')
  if (typeof schema['pattern'] === 'string' && !new RegExp(schema['pattern'], 'u').test(value))
    throw invalidField(field, String(schema['x-rule'] ?? 'Pattern'))
  return value
}

function readNumber(schema: TSchema, value: unknown, field: string): number {
  if (typeof value !== 'number') throw wrongType(field, value, 'int64')
  if (schema['type'] === 'integer' && !Number.isSafeInteger(value)) throw wrongType(field, value, 'int64')
  return value
}

function wrongType(field: string, value: unknown, wanted: string): Error {
  const got = Array.isArray(value)
    ? 'array'
    : value === null
      ? 'null'
      : typeof value === 'bigint'
        ? 'number'
        : typeof value
  return invalid(`[]: json: cannot unmarshal ${got} into field ${field || 'body'} of type ${wanted}`)
}
