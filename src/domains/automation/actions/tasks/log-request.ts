import { badRequest } from '../../../../core/platform/errors.ts'

/** A part of the rows of an UpdateLog request. */
export interface LogPart {
  readonly taskId: number
  /** The number of the first of the lines in the log. */
  readonly index: number
  readonly lines: readonly string[]
  /** The log is complete after these lines. */
  readonly noMore: boolean
}

/** Bytes of the text of one line; the rest of a longer one is not stored. */
const MAX_LINE = 64 * 1024
/** Bytes of one row as it arrives. */
const MAX_ROW = 64 * 1024 * 1024
/** Lines that are stored at once. */
const PART = 2_000
/** The number of the field of the rows. */
const ROWS = 3

interface Field {
  readonly number: number
  readonly value: number | Buffer
  readonly end: number
}

/** Undefined if the bytes end within it. */
function readVarint(bytes: Buffer, at: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0
  for (let i = 0; i < 10; i++) {
    const byte = bytes[at + i]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return { value, end: at + i + 1 }
  }
  throw malformed()
}

const malformed = () => badRequest('the body is not a runner.v1.UpdateLogRequest')

/** Undefined if the bytes end within it. */
function readField(bytes: Buffer, at: number): Field | undefined {
  const tag = readVarint(bytes, at)
  if (tag === undefined) return undefined
  const number = Math.floor(tag.value / 8)
  const type = tag.value % 8
  const varint = type === 0 || type === 2 ? readVarint(bytes, tag.end) : undefined
  if (type === 0) return varint && { number, ...varint }
  if (type === 1 || type === 5) {
    const end = tag.end + (type === 1 ? 8 : 4)
    return end > bytes.length ? undefined : { number, value: 0, end }
  }
  if (type !== 2) throw malformed()
  if (varint === undefined) return undefined
  if (varint.value > MAX_ROW) throw malformed()
  const end = varint.end + varint.value
  return end > bytes.length ? undefined : { number, value: bytes.subarray(varint.end, end), end }
}

function* fieldsOf(bytes: Buffer): Generator<Field> {
  for (let at = 0; at < bytes.length;) {
    const field = readField(bytes, at)
    if (field === undefined) throw malformed()
    yield field
    at = field.end
  }
}

/** Writes rows as lines of the log; remembers the text of the last second. */
function createLineWriter() {
  let second = NaN
  let prefix = ''
  return (seconds: number, nanos: number, content: string): string => {
    if (seconds !== second) {
      second = seconds
      const date = new Date(Math.min(seconds * 1000, 8.64e15))
      prefix = date.toISOString().slice(0, -4)
    }
    const fraction = String(Math.floor(nanos / 100) % 10_000_000).padStart(7, '0')
    const text =
      content.includes('\n') || content.includes('\0')
        ? content.replaceAll('\n', '\\n').replaceAll('\0', '\ufffd')
        : content
    return `${prefix}${fraction}Z ${text}`
  }
}

/** One line of a row that was decoded as a whole. */
export function lineOfRow({ seconds, nanos, content }: { seconds: number; nanos: number; content: string }): string {
  const cut = Buffer.from(content.toWellFormed()).subarray(0, MAX_LINE).toString()
  return createLineWriter()(seconds, nanos, cut)
}

function readRow(row: Buffer, write: ReturnType<typeof createLineWriter>): string {
  let [seconds, nanos, content] = [0, 0, '']
  for (const { number, value } of fieldsOf(row)) {
    if (number === 2 && typeof value === 'object') content = value.toString('utf8', 0, MAX_LINE)
    if (number !== 1 || typeof value === 'number') continue
    for (const part of fieldsOf(value)) {
      if (part.number === 1) seconds = Number(part.value)
      else if (part.number === 2) nanos = Number(part.value)
    }
  }
  return write(seconds, nanos, content)
}

/**
 * Reads an UpdateLogRequest in the binary encoding while it arrives: a request is everything since the last answer, many
 * megabytes at times. Throws BadRequest for other bytes, and where rows precede the task.
 */
export async function* readLogRequest(body: AsyncIterable<Buffer>): AsyncGenerator<LogPart> {
  const write = createLineWriter()
  let [taskId, index, noMore] = [0, 0, false]
  let lines: string[] = []
  const take = ({ number, value }: Field): void => {
    if (number === ROWS && typeof value === 'object') {
      if (taskId === 0) throw malformed()
      lines.push(readRow(value, write))
    } else if (typeof value !== 'number') return
    else if (number === 1) taskId = value
    else if (number === 2) index = value
    else if (number === 4) noMore = value !== 0
  }
  for await (const bytes of inWholeFields(body)) {
    for (let at = 0, field; (field = readField(bytes, at)) !== undefined; at = field.end) {
      // NOTE: with one more row at hand, because the last lines of a request arrive with the answer whether more follow.
      if (field.number === ROWS && lines.length === PART) {
        yield { taskId, index, lines, noMore: false }
        index += lines.length
        lines = []
      }
      take(field)
    }
  }
  yield { taskId, index, lines, noMore }
}

/** The bytes in pieces that end where a field ends. */
async function* inWholeFields(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let [pending, size, needed]: [Buffer[], number, number] = [[], 0, 1]
  for await (const chunk of body) {
    pending.push(chunk)
    size += chunk.length
    if (size < needed) continue
    const bytes = pending.length === 1 ? chunk : Buffer.concat(pending)
    let end = 0
    for (let field; (field = readField(bytes, end)) !== undefined;) end = field.end
    if (end > 0) yield bytes.subarray(0, end)
    const rest = bytes.subarray(end)
    pending = rest.length === 0 ? [] : [rest]
    size = rest.length
    // NOTE: a long row is joined once it has doubled, not with each chunk.
    needed = 2 * size
  }
  if (size === 0) return
  const rest = Buffer.concat(pending)
  let end = 0
  for (let field; (field = readField(rest, end)) !== undefined;) end = field.end
  if (end !== rest.length) throw malformed()
  yield rest
}
