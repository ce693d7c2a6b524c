import { Type, type SchemaOptions } from '@sinclair/typebox'
import { LIST_ITEMS, NAME_LENGTH, TIME_LENGTH } from '../body/limits.ts'

/** `x-rule` names the rule that clients see in `[Field]: Rule` when the pattern does not match. */
const ruled = (pattern: string, rule: string, options: SchemaOptions & { maxLength?: number } = {}) =>
  Type.String({ pattern, 'x-rule': rule, ...options })

/** A list of allowed words; anything else is `[Field]: In`. */
export const OneOf = <const T extends readonly string[]>(...words: T) =>
  Type.Unsafe<T[number]>(Type.String({ enum: [...words] }))

/** A time in RFC 3339; the handler gets the text, checked. */
export const Timestamp = (options: SchemaOptions = {}) =>
  Type.String({ format: 'date-time', maxLength: TIME_LENGTH, ...options })

/** A branch or tag name by `git check-ref-format`'s rules. */
export const GitRefName = (options: SchemaOptions & { maxLength?: number } = {}) =>
  ruled(
    String.raw`^(?!@$)(?![/.])(?!.*(?:\.\.|@\{|//|/\.|\.lock/))(?!.*(?:\.lock|[/.])$)[^\u0000-\u0020\u007f~^:?*\[\\]*$`,
    'GitRefName',
    options,
  )

/** A list of names. Empty ones count as absent: clients send `[""]` for no names. */
export const Names = (options: SchemaOptions = {}) =>
  Type.Array(Type.String({ maxLength: NAME_LENGTH }), { maxItems: LIST_ITEMS, 'x-empty-items': 'absent', ...options })

/** An address in the schemes http and https, or a path of this server. Nothing that a browser would run. */
export const LinkUrl = (options: SchemaOptions & { maxLength?: number } = {}) =>
  ruled(String.raw`^\s*(?:[hH][tT][tT][pP][sS]?://[^\s]+|/(?!/)[^\s]*)?\s*$`, 'ValidUrl', options)
