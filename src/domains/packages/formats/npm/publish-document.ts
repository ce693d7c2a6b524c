import { errors } from '../../../errors.ts'
import { badRequest, tooLarge } from '../../../../core/platform/errors.ts'
import { members, type Members, parseJson } from '../../../../core/platform/json-members.ts'
import { isProvenance } from './npm-provenance.ts'

/** Bytes of a document without its attachment: metadata of one version, or of all for `npm deprecate`. */
const MAX_DOCUMENT = 8 * 1024 * 1024

interface SentDocument<Content> {
  readonly document: Members
  /** The decoded attachment; undefined if there is none. */
  readonly content: Content | undefined
}

/**
 * Reads the JSON document of `npm publish`. The base64 text of its attachment (`_attachments.<file>.data`), which may
 * be long, is decoded and passed to `receive` while it arrives; only the rest, with the provenance, is parsed. Throws
 * BadRequest and TooLarge.
 */
export async function readPublishDocument<Content>(
  body: AsyncIterable<Buffer>,
  receive: (bytes: AsyncIterable<Buffer>) => Promise<Content>,
): Promise<SentDocument<Content>> {
  const source = new ByteSource(body)
  const scanner = new DocumentScanner()
  const parts: Buffer[] = []
  let size = 0
  let content: Content | undefined
  for (let chunk = await source.next(); chunk !== undefined; chunk = await source.next()) {
    const end = scanner.scan(chunk)
    const part = end === undefined ? chunk : chunk.subarray(0, end)
    size += part.length
    if (size > MAX_DOCUMENT) throw tooLarge(`the metadata of a package have at most ${MAX_DOCUMENT} bytes`)
    parts.push(part)
    if (end === undefined) continue
    if (content !== undefined) throw badRequest('a package has one attachment')
    source.unread(chunk.subarray(end))
    content = await receive(decoded(source))
  }
  const parsed = parseJson(Buffer.concat(parts).toString('utf8'))
  if (parsed === undefined) throw errors.npmDocumentInvalid()
  return { document: members(parsed.value), content }
}

/** The bytes of a body, of which some can be put back. */
class ByteSource {
  readonly #iterator: AsyncIterator<Buffer>
  #rest: Buffer | undefined

  constructor(body: AsyncIterable<Buffer>) {
    this.#iterator = body[Symbol.asyncIterator]()
  }

  async next(): Promise<Buffer | undefined> {
    const rest = this.#rest
    this.#rest = undefined
    if (rest !== undefined && rest.length > 0) return rest
    const { value, done } = await this.#iterator.next()
    return done === true ? undefined : value
  }

  unread(bytes: Buffer): void {
    this.#rest = bytes
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST, COLON] = [...Buffer.from('{}[]:')]
const MAX_DEPTH = 100
/** Keys that matter are short. */
const MAX_KEY = 1000

/** Follows the structure of a JSON text, to find the beginning of the text of an attachment. */
class DocumentScanner {
  /** Keys of the objects around, from the outermost; a list has an empty key. */
  readonly #path: string[] = []
  #key = ''
  #text = ''
  #isInString = false
  #isEscaped = false
  #isValue = false

  /** The index after the quote that begins the text of an attachment; undefined if none begins in the chunk. */
  scan(chunk: Buffer): number | undefined {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (this.#isInString) this.#character(byte)
      else if (byte === QUOTE) {
        this.#isInString = true
        this.#text = ''
        if (this.#isAttachment()) return at + 1
      } else this.#structure(byte)
    }
    return undefined
  }

  #isAttachment(): boolean {
    const [, parent, name = ''] = this.#path
    const isData = this.#isValue && this.#key === 'data' && this.#path.length === 3 && parent === '_attachments'
    const is = isData && !isProvenance({ name })
    if (is) this.#isValue = false
    return is
  }

  #character(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInString = false
    else if (this.#text.length < MAX_KEY) this.#text += String.fromCharCode(byte)
  }

  #structure(byte: number): void {
    if (byte === COLON) {
      this.#key = this.#text
      this.#isValue = true
      return
    }
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (this.#path.length === MAX_DEPTH) throw errors.npmDocumentInvalid()
      this.#path.push(this.#isValue ? this.#key : '')
    }
    if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#path.pop()
    if (byte > 0x20) this.#isValue = false
  }
}

/** The decoded bytes of base64 up to the closing quote, which the document gets back. */
async function* decoded(source: ByteSource): AsyncGenerator<Buffer> {
  let pending = ''
  for (let chunk = await source.next(); chunk !== undefined; chunk = await source.next()) {
    const end = chunk.indexOf(QUOTE)
    const text = pending + chunk.subarray(0, end < 0 ? chunk.length : end).toString('latin1')
    if (!/^[\w+/=-]*$/.test(text)) throw errors.npmAttachmentInvalid()
    const whole = end < 0 ? text.length - (text.length % 4) : text.length
    pending = text.slice(whole)
    if (whole > 0) yield Buffer.from(text.slice(0, whole), 'base64')
    if (end < 0) continue
    source.unread(chunk.subarray(end))
    return
  }
  throw errors.npmDocumentInvalid()
}
