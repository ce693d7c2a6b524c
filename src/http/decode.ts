import type { TObject, TSchema } from '@sinclair/typebox'
import { invalid, invalidField } from '../platform/errors.ts'
import { parseInteger } from '../platform/paging.ts'
import { parseTimestamp } from '../platform/timestamp.ts'
import type { Fields } from './form.ts'

/**
 * Reads requests (behaviour/auth-and-access#request-decoding): members match without regard to case, unknown ones
 * are ignored, null counts as absent, nothing is coerced in JSON, everything is read leniently in queries and forms.
 */
export interface Decoder {
  /** Throws Invalid for text that is not JSON and for values that the schema refuses. */
  json(text: string): unknown
  /**
   * Query strings and forms: texts become what the schema says; numbers that do not parse are 0, odd booleans false.
   */
  fields(raw: Fields): unknown
}

/** The decoder of a schema: what depends on the schema alone is worked out once. */
export function compileDecoder(schema: TObject): Decoder {
  const read = objectReader(schema, '')
  const members = Object.entries(schema.properties)
  return {
    json: (text) => read((text.trim() === '' ? {} : parseJson(text)) ?? {}),
    fields(raw) {
      const converted: Record<string, unknown> = {}
      for (const [name, member] of members) {
        const value = raw[name]
        if (value !== undefined && value !== '') converted[name] = fromText(member, value)
      }
      return read(converted)
    },
  }
}

/** Outside of most texts, so that those that only hold base64 are read once over. */
const FRACTION = /[[,:\s]-?\d+(?:\.|[eE])/

/**
 * COMPAT: `1.0` and `1e2` are no integers (behaviour/auth-and-access#request-decoding; src/http/decode.test.ts); no
 * member is a bigint, so that these are refused.
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

/** Returns the value in the form of the schema, or throws Invalid. */
type Reader = (value: unknown) => unknown

interface Member {
  readonly name: string
  /** What messages call it. */
  readonly field: string
  readonly isRequired: boolean
  readonly mayBeEmpty: boolean
  readonly read: Reader
}

/** `at` is the field that contains the object; empty for the body itself. */
function objectReader(schema: TObject, at: string): Reader {
  const required = new Set(schema.required)
  const members = Object.entries(schema.properties).map(([name, member]): Member => {
    const field = fieldName(name, member)
    const mayBeEmpty = member['x-empty'] === 'allowed'
    return { name, field, isRequired: required.has(name), mayBeEmpty, read: valueReader(member, field) }
  })
  const names = new Map(members.map(({ name }) => [name.toLowerCase(), name]))
  return (value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) throw wrongType(at, value, 'object')
    const sent = new Map<string, unknown>()
    for (const [key, member] of Object.entries(value)) {
      const name = key in schema.properties ? key : names.get(key.toLowerCase())
      if (name !== undefined && member !== null && (key === name || !(name in value))) sent.set(name, member)
    }
    const result: Record<string, unknown> = {}
    for (const { name, field, isRequired, mayBeEmpty, read } of members) {
      const member = sent.get(name)
      if (isRequired && (member === undefined || (member === '' && !mayBeEmpty))) throw invalidField(field, 'Required')
      if (member !== undefined) result[name] = read(member)
    }
    return result
  }
}

/** The contract's messages name members in Pascal case: `user_name` is `[UserName]`. */
function fieldName(name: string, schema: TSchema): string {
  return (
    (schema['x-field'] as string | undefined) ??
    name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  )
}

function valueReader(schema: TSchema, field: string): Reader {
  if (Array.isArray(schema['anyOf'])) return unionReader(schema['anyOf'] as TSchema[], field)
  switch (schema['type']) {
    case 'string':
      return stringReader(schema, field)
    case 'integer':
    case 'number':
      return numberReader(schema['type'] === 'integer', field)
    case 'boolean':
      return (value) => {
        if (typeof value !== 'boolean') throw wrongType(field, value, 'bool')
        return value
      }
    case 'array':
      return arrayReader(valueReader(schema['items'] as TSchema, field), field)
    case 'object':
      return schema['properties'] === undefined ? mapReader(schema, field) : objectReader(schema as TObject, field)
    default:
      return (value) => value
  }
}

function arrayReader(readItem: Reader, field: string): Reader {
  return (value) => {
    if (!Array.isArray(value)) throw wrongType(field, value, 'array')
    return value.filter((item) => item !== null).map((item) => readItem(item))
  }
}

/** A member that may be one of several types, such as an id or a name. */
function unionReader(schemas: readonly TSchema[], field: string): Reader {
  const options = schemas.map((schema) => ({ schema, read: valueReader(schema, field) }))
  return (value) => {
    const wanted = Array.isArray(value) ? 'array' : typeof value
    const fitting = options.find(
      ({ schema }) =>
        schema['type'] === wanted || (wanted === 'number' && schema['type'] === 'integer') || schema['const'] === value,
    )
    if (fitting === undefined)
      throw wrongType(field, value, schemas.map((option) => String(option['type'])).join(' or '))
    return fitting.read(value)
  }
}

function mapReader(schema: TSchema, field: string): Reader {
  const [item] = Object.values((schema['patternProperties'] as Record<string, TSchema> | undefined) ?? {})
  const read = item && valueReader(item, field)
  return (value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) throw wrongType(field, value, 'object')
    if (read === undefined) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, member]) => (member === null ? [] : [[key, read(member)]])),
    )
  }
}

function stringReader(schema: TSchema, field: string): Reader {
  const { maxLength, format, pattern } = schema as { maxLength?: number; format?: string; pattern?: string }
  const words = Array.isArray(schema['enum']) ? new Set<unknown>(schema['enum']) : undefined
  const rule = String(schema['x-rule'] ?? 'Pattern')
  const fits = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  return (value) => {
    if (typeof value !== 'string') throw wrongType(field, value, 'string')
    if (maxLength !== undefined && [...value].length > maxLength) throw invalidField(field, 'MaxSize')
    if (value.includes('\0')) throw invalidField(field, 'NoControlCharacters')
    if (format === 'date-time' && parseTimestamp(value) === undefined)
      throw invalid(`[]: parsing time ${JSON.stringify(value)} as RFC 3339: cannot parse (${field})`)
    if (value === '') return value
    if (words !== undefined && !words.has(value)) throw invalidField(field, 'In')
    if (fits !== undefined && !fits.test(value)) throw invalidField(field, rule)
    return value
  }
}

function numberReader(isInteger: boolean, field: string): Reader {
  return (value) => {
    if (typeof value !== 'number') throw wrongType(field, value, 'int64')
    if (isInteger && !Number.isSafeInteger(value)) throw wrongType(field, value, 'int64')
    return value
  }
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
