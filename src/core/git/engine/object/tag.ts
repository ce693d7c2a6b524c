import { GitError } from '../../errors.ts'
import { headerValue, splitHeaders, formatIdentity, type Identity, parseIdentity } from './commit.ts'
import type { ObjectType } from './format.ts'

export interface Tag {
  readonly oid: string
  readonly object: string
  readonly type: ObjectType
  readonly name: string
  /** Undefined in very old tags. */
  readonly tagger: Identity | undefined
  /** As stored, including its trailing newline, without the signature. */
  readonly message: string
  readonly signature: string | undefined
}

export interface NewTag {
  readonly object: string
  readonly type: ObjectType
  readonly name: string
  readonly tagger: Identity
  readonly message: string
  /** Armored signature over everything before it. */
  readonly signature?: string
}

const SIGNATURE = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/m

export function parseTag(oid: string, content: Buffer): Tag {
  const { headers, body } = splitHeaders(content)
  const object = headerValue(headers, 'object')
  const type = headerValue(headers, 'type')
  if (object === undefined || type === undefined) throw new GitError('corrupt', `tag ${oid} names no object`)
  const tagger = headerValue(headers, 'tagger')
  const text = body.toString('utf8')
  const start = text.search(SIGNATURE)
  return {
    oid,
    object,
    type: type as ObjectType,
    name: headerValue(headers, 'tag') ?? '',
    tagger: tagger === undefined ? undefined : parseIdentity(tagger),
    message: start === -1 ? text : text.slice(0, start),
    signature: start === -1 ? undefined : text.slice(start),
  }
}

export function serializeTag(tag: NewTag): Buffer {
  const lines = [`object ${tag.object}`, `type ${tag.type}`, `tag ${tag.name}`, `tagger ${formatIdentity(tag.tagger)}`]
  return Buffer.from(`${lines.join('\n')}\n\n${tag.message}${tag.signature ?? ''}`, 'utf8')
}
