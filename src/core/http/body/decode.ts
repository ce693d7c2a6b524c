import type { TObject, TSchema } from '@sinclair/typebox'
import { badRequest, engineErrors, invalid, invalidField, oversize } from '../../platform/errors.ts'
import { parseInteger } from '../../platform/paging.ts'
import { parseTimestamp } from '../../platform/timestamp.ts'
import type { Fields } from './form.ts'
import { parseJson } from './json.ts'
import { NAME_LENGTH } from './limits.ts'

/**
 * Reads requests (behaviour/auth-and-access#request-decoding): members match without regard to case, unknown ones
 * are ignored, null counts as absent, nothing is coerced in JSON, everything is read leniently in queries and forms.
 * Texts longer than `maxLength`, lists longer than `maxItems`, maps larger than `maxProperties` and numbers outside
 * `minimum` and `maximum` are refused.
 */
export interface Decoder {
  /** Throws Invalid for text that is not JSON and for values that the schema refuses. */
  json(text: string): unknown
  /**
   * Query strings and forms: texts are converted to the types of the schema; numbers that do not parse are 0, or
   * refused where the schema has `x-strict`; odd booleans are false.
   */
  fields(raw: Fields): unknown
}

/** Compiles the decoder of a schema: everything that depends only on the schema is computed once. */
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

function fromText(schema: TSchema, value: unknown): unknown {
  if (schema['type'] === 'array')
    return (Array.isArray(value) ? value : [value]).map((item) => fromText(schema['items'] as TSchema, item))
  const text = String(Array.isArray(value) ? value[0] : value)
  if (schema['x-strict'] === true && !/^[+-]?\d{1,15}$/.test(text)) return text === '' ? null : text
  if (schema['type'] === 'integer' || schema['type'] === 'number') return parseInteger(text)
  if (schema['type'] === 'boolean') return /^(?:1|[tT]|true|TRUE|True|[oO][nN])$/.test(text)
  return text
}

/** Converts the value to the form of the schema, or throws Invalid. */
type Reader = (value: unknown) => unknown

interface Member {
  readonly name: string
  /** Its name in messages. */
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
    const sent = matchMembers(value, schema.properties, names)
    const result: Record<string, unknown> = {}
    for (const { name, field, isRequired, mayBeEmpty, read } of members) {
      const member = sent.get(name)
      if (isRequired && (member === undefined || (member === '' && !mayBeEmpty)))
        throw engineErrors.fieldRequired(field)
      if (member !== undefined) result[name] = read(member)
    }
    return result
  }
}

/** The members of `value` by their names in the schema; `names` has those in lower case. An exact name wins. */
function matchMembers(
  value: object,
  properties: TObject['properties'],
  names: ReadonlyMap<string, string>,
): ReadonlyMap<string, unknown> {
  const sent = new Map<string, unknown>()
  for (const [key, member] of Object.entries(value)) {
    const name = key in properties ? key : names.get(key.toLowerCase())
    if (name !== undefined && member !== null && (key === name || !(name in value))) sent.set(name, member)
  }
  return sent
}

/** The contract's messages name members in Pascal case: `user_name` is `[UserName]`. */
function fieldName(name: string, schema: TSchema): string {
  return (
    (schema['x-field'] as string | undefined) ??
    name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  )
}

function valueReader(schema: TSchema, field: string): Reader {
  if (Array.isArray(schema['anyOf'])) return unionReader(schema, field)
  switch (schema['type']) {
    case 'string':
      return stringReader(schema, field)
    case 'integer':
    case 'number':
      return numberReader(schema, field)
    case 'boolean':
      return (value) => {
        if (typeof value !== 'boolean') throw wrongType(field, value, 'bool')
        return value
      }
    case 'array':
      return arrayReader(schema, field)
    case 'object':
      return schema['properties'] === undefined ? mapReader(schema, field) : objectReader(schema as TObject, field)
    default:
      return (value) => value
  }
}

/** With `x-empty-items: 'absent'`, empty strings count as absent, as null does everywhere but with `x-refusal`. */
function arrayReader({ items, maxItems = Infinity, 'x-empty-items': emptyItems }: TSchema, field: string): Reader {
  const readItem = valueReader(items as TSchema, field)
  const isRefused = (items as TSchema)['x-refusal'] !== undefined
  return (value) => {
    if (!Array.isArray(value)) throw wrongType(field, value, 'array')
    if (value.length > maxItems) throw oversize(field, maxItems, 'items')
    return value
      .filter((item) => (item !== null || isRefused) && (item !== '' || emptyItems !== 'absent'))
      .map((item) => readItem(item))
  }
}

/**
 * A member that may be one of several types, such as an id or a name; `x-refusal` is the text of a 400 for any other,
 * null in a list too.
 */
function unionReader({ anyOf, 'x-refusal': refusal }: TSchema, field: string): Reader {
  const schemas = anyOf as readonly TSchema[]
  const options = schemas.map((schema) => ({ schema, read: valueReader(schema, field) }))
  return (value) => {
    const wanted = Array.isArray(value) ? 'array' : typeof value
    const fitting = options.find(
      ({ schema }) =>
        schema['type'] === wanted || (wanted === 'number' && schema['type'] === 'integer') || schema['const'] === value,
    )
    if (fitting === undefined && refusal !== undefined) throw badRequest(String(refusal))
    if (fitting === undefined)
      throw wrongType(field, value, schemas.map((option) => String(option['type'])).join(' or '))
    return fitting.read(value)
  }
}

function mapReader(schema: TSchema, field: string): Reader {
  const [item] = Object.values((schema['patternProperties'] as Record<string, TSchema> | undefined) ?? {})
  const read = item && valueReader(item, field)
  const { maxProperties = Infinity } = schema
  return (value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) throw wrongType(field, value, 'object')
    if (read === undefined) return value
    const members = Object.entries(value)
    if (members.length > maxProperties) throw oversize(field, maxProperties, 'items')
    if (members.some(([key]) => key.length > NAME_LENGTH)) throw oversize(field, NAME_LENGTH, 'characters')
    return Object.fromEntries(members.flatMap(([key, member]) => (member === null ? [] : [[key, read(member)]])))
  }
}

function stringReader(schema: TSchema, field: string): Reader {
  const { maxLength = Infinity, format, pattern } = schema as { maxLength?: number; format?: string; pattern?: string }
  const words = Array.isArray(schema['enum']) ? new Set<unknown>(schema['enum']) : undefined
  const rule = String(schema['x-rule'] ?? 'Pattern')
  const fits = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  return (value) => {
    if (typeof value !== 'string') throw wrongType(field, value, 'string')
    if (isLonger(value, maxLength)) throw oversize(field, maxLength, 'characters')
    if (value.includes('\0')) throw invalidField(field, 'NoControlCharacters')
    if (format === 'date-time' && parseTimestamp(value) === undefined)
      throw invalid(`[]: parsing time ${JSON.stringify(value)} as RFC 3339: cannot parse (${field})`)
    if (value === '') return value
    if (words !== undefined && !words.has(value)) throw invalidField(field, 'In')
    if (fits !== undefined && !fits.test(value)) throw invalidField(field, rule)
    return value
  }
}

/** Counts code points, each of which is one or two units of `length`: only strings in between are counted. */
function isLonger(text: string, characters: number): boolean {
  if (text.length <= characters) return false
  if (text.length > 2 * characters) return true
  let count = 0
  for (const _ of text) if (++count > characters) return true
  return false
}

function numberReader({ type, minimum = -Infinity, maximum = Infinity }: TSchema, field: string): Reader {
  const range = Number.isFinite(maximum) ? `${minimum} to ${maximum}` : `at least ${minimum}`
  const rule = `Range (${Number.isFinite(minimum) ? range : `at most ${maximum}`})`
  return (value) => {
    if (typeof value !== 'number') throw wrongType(field, value, 'int64')
    if (type === 'integer' && !Number.isSafeInteger(value)) throw wrongType(field, value, 'int64')
    if (value < minimum || value > maximum) throw invalidField(field, rule)
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
