import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../../core/platform/clock.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { isHttpUrl } from '../../../../core/platform/html.ts'
import { sniffMediaType } from '../../../../core/platform/http/media-type.ts'
import { isOutgoingError } from '../../../../core/platform/outgoing/index.ts'
import type { UploadRules } from '../../../repositories/index.ts'
import { ForgeError } from '../forge-error.ts'
import type { PhaseContext } from '../phase.ts'
import type { SourceAsset } from '../source.ts'
import { cleanText, pastTime } from './clean-values.ts'

/** A file of an issue, a comment or a release, whose bytes are stored, or a link. */
export interface CopiedFile {
  readonly uuid: string
  readonly name: string
  readonly size: number
  readonly hash: string
  /** Empty for a file. */
  readonly external_url: string
  readonly download_count: number
  readonly created_at: number
}

interface Wanted {
  readonly asset: SourceAsset
  /** The object in warnings, such as `issue 5`. */
  readonly what: string
  /** Epoch milliseconds for a file without a time. */
  readonly createdAt: number
  readonly rules: UploadRules
}

/**
 * Stores the bytes of a file. Undefined, with a warning, for one that cannot be fetched or that this server refuses.
 * Throws if the service limits requests or does not respond at all, and RemoteError for more bytes than an import may
 * have.
 */
export async function fetchFile(
  { clock }: { readonly clock: Clock },
  context: PhaseContext,
  { asset, what, createdAt, rules }: Wanted,
): Promise<CopiedFile | undefined> {
  const name = fileName(asset.name)
  const leaveOut = (reason: string): undefined => {
    context.warn(`the file ${JSON.stringify(name)} of ${what} was not imported: ${reason}`)
  }
  const row = {
    uuid: randomUUID(),
    download_count: Number.isSafeInteger(asset.downloads) ? Math.max(0, asset.downloads) : 0,
    created_at: pastTime(asset.createdAt, clock.now(), createdAt),
  }
  if (asset.kind === 'link')
    return isHttpUrl(asset.url)
      ? { ...row, name, size: 0, hash: '', external_url: asset.url }
      : leaveOut('its address is none')
  if (!rules.enabled) return leaveOut('this server has no attachments')
  try {
    return { ...row, ...(await download(context, { ...asset, name }, rules)), external_url: '' }
  } catch (error) {
    context.signal.throwIfAborted()
    if (!isDomainError(error) && !isOutgoingError(error) && !(error instanceof ForgeError)) throw error
    if (error instanceof ForgeError && error.kind === 'busy') throw error
    if (mayBeDown(error)) await requireUp(context)
    return leaveOut(error.message)
  }
}

/** Whether the service may be down or refuse the token, rather than lack one file. */
const mayBeDown = (error: Error): boolean =>
  isOutgoingError(error, 'unreachable') ||
  isOutgoingError(error, 'timeout') ||
  (error instanceof ForgeError && (error.status === 401 || error.status >= 500))

/** Throws unless the service answers and takes the token. */
async function requireUp({ source, signal }: PhaseContext): Promise<void> {
  try {
    await source.facts(signal)
  } catch (error) {
    if (!(error instanceof ForgeError) || error.kind === 'busy' || error.status === 401) throw error
    if (error.status === 0 || error.status >= 500) throw error
  }
}

const download = (
  { source, hold, signal, countBytes }: PhaseContext,
  asset: SourceAsset,
  rules: UploadRules,
): Promise<Pick<CopiedFile, 'hash' | 'name' | 'size'>> =>
  source.download(asset, signal, async (bytes) => {
    const iterator = bytes[Symbol.asyncIterator]()
    const first = await iterator.next()
    const head = first.done === true ? Buffer.alloc(0) : first.value
    if (isPage(head) && !/\.x?html?$/i.test(asset.name))
      throw new ForgeError('failed', 'the other server answered with a web page')
    const name = withExtension(asset.name, head)
    const whole = counted(head, iterator, countBytes)
    const { hash, size } = await hold.keep({ name, source: whole }, { rules, refusal: 'invalid' })
    return { hash, size, name }
  })

/** Services answer with a page to sign in where they do not take the token. */
const isPage = (head: Buffer): boolean => /^\s*<(?:!doctype html|html)\b/i.test(head.toString('latin1', 0, 500))

async function* counted(
  head: Buffer,
  rest: AsyncIterator<Buffer>,
  countBytes: (bytes: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    for (let chunk = head; ;) {
      countBytes(chunk.length)
      yield chunk
      const next = await rest.next()
      if (next.done === true) return
      chunk = next.value
    }
  } finally {
    await rest.return?.()
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': '.pdf',
  'application/zip': '.zip',
  'image/gif': '.gif',
  'image/jpeg': '.jpeg',
  'image/png': '.png',
  'image/webp': '.webp',
  'video/mp4': '.mp4',
  'video/webm': '.webm',
}

/** Services name images in texts by their id; browsers and the allowed types go by the extension. */
const withExtension = (name: string, head: Buffer): string =>
  name.includes('.') ? name : `${name}${EXTENSIONS[sniffMediaType(head)] ?? ''}`

const MAX_NAME_LENGTH = 80

/** The last segment of a name, without control characters; at most 255 bytes with an extension. */
function fileName(name: string): string {
  const segment = cleanText(name)
    .split(/[/\\]/)
    .at(-1)!
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
  const usable = segment === '' || segment === '.' || segment === '..' ? 'file' : segment
  // Four bytes a character at most.
  return Buffer.byteLength(usable) <= 250 ? usable : shortened(usable)
}

function shortened(name: string): string {
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= 20 ? name.slice(dot) : ''
  return `${name.slice(0, MAX_NAME_LENGTH - extension.length)}${extension}`.toWellFormed()
}
